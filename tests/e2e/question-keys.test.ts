import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { reply, type Scenario, type ScenarioRequest, toolUse } from "@quoll/model-twin/scenario";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

const IDLE = "? for keys";
const [TAB, SHIFT_TAB, CTRL_E] = ["\t", "\u001b[Z", "\u0005"];
const SETTINGS = { sandbox: { enabled: false } };

type Place = Awaited<ReturnType<typeof quollPlace>>;

/** One call, then words. */
const once = (...calls: Parameters<typeof toolUse>): Scenario => [reply([toolUse(...calls)]), reply("Done.")];

async function repl(place: Place) {
  const terminal = terminalProcess([...QUOLL, "--trust"], {
    columns: 80,
    rows: 24,
    cwd: place.project.dir,
    env: place.environmentOf({}),
  });
  await terminal.shows(IDLE);
  terminal.type("go on\r");
  return terminal;
}

test("shift+tab in a question about a file enters a mode that allows it, which answers the question", async () => {
  const scenario = once("Write", { file_path: "new.txt", content: "one\n" });
  await using place = await quollPlace({ scenario, settings: SETTINGS });
  await using terminal = await repl(place);
  await terminal.shows("1 Yes");
  await terminal.asks();
  expect(existsSync(place.project.path("new.txt"))).toBe(false);
  terminal.type(SHIFT_TAB);
  await terminal.shows("● Done.");
  await terminal.shows("acceptEdits");
  expect(existsSync(place.project.path("new.txt"))).toBe(true);
});

test("words typed after tab reach the model after the result of the call that was allowed", async () => {
  const scenario = once("Bash", { command: "echo built > built.txt; echo made", description: "Build it" });
  await using place = await quollPlace({ scenario, settings: SETTINGS });
  await using terminal = await repl(place);
  await terminal.shows("1 Yes");
  await terminal.asks();
  terminal.type(TAB);
  await terminal.shows("but: ");
  terminal.type("then read it again\r");
  await terminal.shows("● Done.");
  await terminal.shows(IDLE);
  expect(existsSync(place.project.path("built.txt"))).toBe(true);
  const content = place.sent().at(-1)?.messages.at(-1)?.content ?? [];
  const [result, words] = [content[0], content.at(-1)];
  expect([result?.type, JSON.stringify(result)]).toEqual(["tool_result", expect.stringContaining("made")]);
  expect([words?.type, JSON.stringify(words)]).toEqual(["text", expect.stringContaining("then read it again")]);
  expect(JSON.stringify(result)).not.toContain("then read it again");
  // The words are a prompt of the person: in the transcript, once.
  expect(terminal.all.split("› then read it again")).toHaveLength(2);
});

test("ctrl+e shows why Quoll asks and which rules an answer adds, and hides it again", async () => {
  await using place = await quollPlace({
    scenario: once("Bash", { command: "npm test", description: "Run the tests" }),
    settings: SETTINGS,
  });
  await using terminal = await repl(place);
  await terminal.shows("don't ask again for `npm test …` in this session");
  await terminal.asks();
  expect(terminal.screen).not.toContain("Bash(npm test *)");
  terminal.type(CTRL_E);
  await terminal.shows("Bash(npm test *)");
  expect(terminal.screen).toContain("asked because");
  terminal.type(CTRL_E);
  await terminal.shows(() => !terminal.screen.includes("asked because"));
  terminal.type("0");
  await terminal.shows("● Done.");
});

test("words with a yes to an agent's question reach that agent, not its parent", async () => {
  const ask = "Say what the machine is called.";
  const ofAgent = (request: ScenarioRequest) => JSON.stringify(request.body).includes(`"text":"${ask}"`);
  const scenario: Scenario = (request) => {
    const isAgain = JSON.stringify(request.body).includes("tool_result");
    if (ofAgent(request))
      return isAgain ? reply("Named.") : reply([toolUse("Bash", { command: "sh name.sh", description: "Name it" })]);
    return isAgain ? reply("Done.") : reply([toolUse("Agent", { description: "name it", prompt: ask })]);
  };
  await using place = await quollPlace({ files: { "name.sh": "echo shop\n" }, scenario, settings: SETTINGS });
  await using terminal = await repl(place);
  await terminal.shows(/Run this command\?.* asked by /);
  await terminal.asks();
  terminal.type(TAB);
  await terminal.shows("but: ");
  terminal.type("and the port\r");
  await terminal.shows("● Done.");
  const heard = place.sent().map((request) => JSON.stringify(request.messages).includes("and the port"));
  expect(heard).toEqual([false, false, true, false]);
});
