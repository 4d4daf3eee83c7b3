import { expect, test } from "bun:test";
import { reply, type ScenarioRequest, toolUse } from "@quoll/model-twin/scenario";
import type { Hooks } from "../../../src/contracts/hook.ts";
import { oneProcess, sessionIn } from "../../support/app-harness.ts";
import { deepTest } from "../../support/deep.ts";
import { tempProject } from "../../support/temp-project.ts";

type Body = {
  readonly messages: readonly { readonly content: readonly { readonly text?: string; readonly content?: unknown }[] }[];
};
type Step = ReturnType<typeof reply>;

const isChild = ({ body }: ScenarioRequest) => JSON.stringify(body).includes("You are an agent");
const lastText = ({ body }: ScenarioRequest) =>
  ((body as Body).messages.at(-1)?.content ?? []).map(({ text, content }) => text ?? String(content)).join("\n");
const write = (file_path: string, content: string) => reply([toolUse("Write", { file_path, content })]);

/** Runs an agent that takes these steps. @returns the result for the parent, and the prompts of the agent. */
async function played(
  contract: object,
  steps: (dir: string) => readonly Step[],
  { type = "general-purpose", allow = ["Write", "Bash"], hooks = undefined as Hooks | undefined } = {},
) {
  await using project = await tempProject({ "a.txt": "A\n", "b.txt": "B\n" });
  const left = [...steps(project.dir)];
  const prompts: string[] = [];
  await using here = await oneProcess((request) => {
    const last = lastText(request);
    if (isChild(request)) {
      prompts.push(last);
      return left.shift() ?? reply("Nothing is left.");
    }
    if (!/(^|\n)go$/.test(last)) return reply("ok");
    const input = { description: "work", prompt: "Do it.", subagent_type: type, expect: contract };
    return reply([toolUse("Agent", input)]);
  });
  const { session, events } = await sessionIn(
    here.app,
    project.dir,
    { allow, answerer: "nobody" },
    hooks ? { hooks } : {},
  );
  await session.main.engine.submit({ prompt: "go" });
  const finished = events.find(({ event, parentAgentId }) => event.type === "tool_finished" && parentAgentId === null);
  const result = finished?.event.type === "tool_finished" ? finished.event.result : undefined;
  const lines = String(result?.content).split("\n");
  return { isError: result?.isError === true, text: String(result?.content), last: lines.at(-1), prompts };
}

deepTest("a contract that is kept is said so in the last line, and the agent knew it", async () => {
  const { isError, last, prompts } = await played(
    { files: ["a.txt", "new.txt"], command: "grep -q changed a.txt", schema: { type: "object", required: ["n"] } },
    (dir) => [
      reply([toolUse("Read", { file_path: `${dir}/a.txt` })]),
      write(`${dir}/a.txt`, "changed\n"),
      write(`${dir}/new.txt`, "new\n"),
      reply('Here it is:\n```json\n{"n":1}\n```'),
    ],
  );
  expect({ isError, last }).toEqual({ isError: false, last: "[contract kept]" });
  expect(prompts[0]).toContain("a.txt, new.txt");
  expect(prompts[0]).toContain("grep -q changed a.txt");
});

deepTest(
  "an agent that says done without having done it is an error that names each broken part and the output",
  async () => {
    const { isError, last, text, prompts } = await played(
      { files: ["a.txt", "b.txt", "new.txt"], command: "echo one; echo two >&2; exit 3" },
      (dir) => [
        // The same content written again is no change.
        reply([toolUse("Read", { file_path: `${dir}/b.txt` })]),
        write(`${dir}/b.txt`, "B\n"),
        reply("All is done."),
        reply("All is done now."),
      ],
    );
    expect(isError).toBe(true);
    expect(prompts).toHaveLength(4);
    expect(last).toBe(
      "[contract broken: a.txt was not changed; b.txt was not changed; new.txt does not exist; the command `echo one; echo two >&2; exit 3` ended with exit code 3]",
    );
    expect(text).toMatch(/All is done now\.[\s\S]*one\ntwo/);
  },
);

deepTest("an answer that does not fit the schema is asked for once more, with the problem", async () => {
  const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  const fixed = await played({ schema }, () => [reply('{"n":"one"}'), reply('{"n":1}')]);
  expect({ isError: fixed.isError, last: fixed.last }).toEqual({ isError: false, last: "[contract kept]" });
  expect(fixed.prompts).toHaveLength(2);
  expect(fixed.prompts[1]).toMatch(/\/n.*number/);
  expect(fixed.text).toContain("2 requests");
  const broken = await played({ schema }, () => [reply("no"), reply("still no"), reply('{"n":1}')]);
  expect(broken.prompts).toHaveLength(2);
  expect(broken.last).toMatch(/^\[contract broken: the answer does not fit the schema: it is not JSON/);
});

deepTest("an agent is told once which files and which command are not as expected, and can put it right", async () => {
  const { isError, last, prompts } = await played({ files: ["new.txt"], command: "cat new.txt" }, (dir) => [
    reply("Done."),
    write(`${dir}/new.txt`, "new\n"),
    reply("Now it is there."),
  ]);
  expect({ isError, last }).toEqual({ isError: false, last: "[contract kept]" });
  expect(prompts).toHaveLength(3);
  expect(prompts[1]).toMatch(/new\.txt does not exist\n.*`cat new\.txt` ended with exit code 1[\s\S]*No such file/);
});

test("an agent whose check may not run is not started", async () => {
  const refused = await played({ command: "touch made" }, () => [], { allow: [] });
  expect(refused.prompts).toEqual([]);
  expect(refused.isError).toBe(true);
  expect(refused.text).toMatch(/not started.*touch made|not started[\s\S]*nobody/);
  const without = await played({ command: "true" }, () => [], { type: "Explore" });
  expect(without.prompts).toEqual([]);
  expect(without.text).toContain("Bash");
  const outside = await played({ files: ["/etc/hostname"] }, () => []);
  expect(outside.text).toContain("outside the folders");
  const odd = await played({ schema: { type: "nonsense" } }, () => []);
  expect(odd.text).toContain("expect.schema");
  expect([...outside.prompts, ...odd.prompts]).toEqual([]);
});

test("a hook hears of the check as a call of the agent, and can refuse it", async () => {
  const heard: (string | undefined)[] = [];
  const hooks: Hooks = {
    wants: (event) => event === "PreToolUse",
    run: async (input) => {
      if (input.event !== "PreToolUse" || input.toolName !== "Bash") return {};
      heard.push(input.agentId);
      return { block: { reason: "no checks today" } };
    },
  };
  const { text, prompts } = await played({ command: "true" }, () => [], { hooks });
  expect(text).toContain("no checks today");
  expect(prompts).toEqual([]);
  expect(heard).toEqual([expect.stringMatching(/./)]);
});
