import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { failing, fault, reply, type ScenarioRequest, text, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace, type SentBody } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

const WAITS = toolUse("Bash", { command: "until [ -e go ]; do sleep 0.1; done", description: "Wait for go" });
const USAGE = { usage: { inputTokens: 1_000, outputTokens: 10 } };
const LONG = { usage: { inputTokens: 1_000, outputTokens: 1_000 } };

function answer({ body }: ScenarioRequest) {
  const last = JSON.stringify((body as SentBody).messages.at(-1));
  if (last.includes("which city")) return reply([text("Paris, as you said.")], USAGE);
  if (last.includes("which river")) return failing(fault.silence());
  if (last.includes("at most five lines"))
    return reply([text("You **asked** for a wait.\n\n```ts\nconst one = 1;\n```\n")], LONG);
  return last.includes("tool_result") ? reply([text("Gone on.")], USAGE) : reply([WAITS], USAGE);
}

/** The request without the marks that say what to cache. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, one: unknown) => (key === "cache_control" ? undefined : one)));
const blocksOf = ({ messages }: SentBody) =>
  messages.flatMap(({ role, content }) => content.map((block) => [role, block]));

test("/btw is answered from the cached prefix while a turn runs, and leaves nothing in the conversation", async () => {
  await using place = await quollPlace({ files: { "a.txt": "" }, scenario: answer });
  const env = place.environmentOf({ env: { IS_SANDBOX: "1" } });
  await using terminal = terminalProcess([...QUOLL, "--trust", "--permission-mode", "bypassPermissions"], {
    ...{ cwd: place.project.dir, env, columns: 120 },
  });
  await terminal.shows("? for keys");
  terminal.type("/btw which city?\r");
  await terminal.shows("still empty");
  terminal.type("we are in Paris\r");
  await terminal.shows("Wait for go");
  terminal.type("/btw which city?\r");
  await terminal.shows("Paris, as you said.");
  terminal.type("\u001b");
  await terminal.shows(() => !terminal.screen.includes("as you said"));
  expect(terminal.screen).toContain("Wait for go");
  await writeFile(place.project.path("go"), "");
  await terminal.shows("● Gone on.");
  const [first, asked, last] = place.sent();
  if (!first || !asked || !last) throw new Error("A request is missing.");
  expect(plain([asked.system, asked.tools])).toEqual(plain([first.system, first.tools]));
  const prefix = plain(blocksOf(first)) as unknown[];
  expect((plain(blocksOf(asked)) as unknown[]).slice(0, prefix.length)).toEqual(prefix);
  expect(blocksOf(asked)).toHaveLength(prefix.length + 1);
  expect(JSON.stringify(last.messages)).not.toContain("which city");
  terminal.type("/recap\r");
  await terminal.shows("You asked for a wait.");
  expect(terminal.screen).toContain("const one = 1;");
  expect(terminal.screen).not.toContain("```");
  // Three requests cost $0.01, all four $0.02.
  await terminal.shows(/^ .*bypassPermissions.*\$0\.02/m);
  expect(terminal.screen).toMatch(/So far · 2\.0k tokens · \$0\.01/);
  terminal.type("\u001b");
  await terminal.shows(() => !terminal.screen.includes("esc closes"));
  terminal.type("/cost\r");
  await terminal.shows(/main conversation +5\.0k tok/);
});

deepTest("Esc ends an unanswered /btw and leaves the turn running", async () => {
  await using place = await quollPlace({ files: { "a.txt": "" }, scenario: answer });
  const env = place.environmentOf({ env: { IS_SANDBOX: "1" } });
  await using terminal = terminalProcess([...QUOLL, "--trust", "--permission-mode", "bypassPermissions"], {
    ...{ cwd: place.project.dir, env, columns: 120 },
  });
  await terminal.shows("? for keys");
  terminal.type("we are in Paris\r");
  await terminal.shows("Wait for go");
  terminal.type("/btw which river?\r");
  await terminal.shows(/^. Asking the model · .* esc to interrupt$/m);
  terminal.type("\u001b");
  await terminal.shows("/btw was interrupted.");
  await writeFile(place.project.path("go"), "");
  await terminal.shows("● Gone on.");
});
