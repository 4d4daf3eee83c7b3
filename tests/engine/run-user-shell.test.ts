import { expect, test } from "bun:test";
import { reply } from "@quoll/model-twin/scenario";
import { z } from "zod";
import { defineTool, inputSchemaOf } from "../../src/contracts/define-tool.ts";
import { declareTool, textResult } from "../../src/contracts/tool.ts";
import { answering, engineHarness, until } from "../support/engine-harness.ts";

const input = z.object({ command: z.string(), description: z.string() });
const spec = declareTool({
  name: "Bash",
  summary: "Run",
  description: "Run.",
  level: "execute",
  inputSchema: inputSchemaOf(input),
});

const bash = (run: (command: string, signal: AbortSignal) => Promise<string>) =>
  defineTool(spec, input, async ({ command }, { signal }) => ({
    level: "execute",
    concurrencySafe: false,
    subjects: [],
    title: command,
    run: async () => textResult(await run(command, signal)),
  }));

const nobody = answering(() => {
  throw new Error("A command that the person typed must not be judged.");
});

test("a command that the person ran is reported to the model once, before the next input", async () => {
  await using h = await engineHarness({
    tools: [bash(async (command) => `ran ${command}`)],
    permissions: nobody,
    scenario: [reply("I see."), reply("And now.")],
  });
  await h.engine.runShell("git status");
  expect(h.types()).toEqual(["busy_changed", "input_receipt", "tool_started", "tool_finished", "busy_changed"]);
  expect(h.twin.requests).toHaveLength(0);
  await h.engine.submit({ prompt: "so?" });
  await h.engine.submit({ prompt: "and?" });
  const texts = h.engine.state.messages.map(({ content }) =>
    content.map((block) => ("text" in block ? block.text : "")),
  );
  expect(texts[0]).toEqual([
    "<environment>test</environment>",
    "The user ran this command themselves:\n$ git status\nran git status",
    "so?",
  ]);
  expect(texts[2]).toEqual(["and?"]);
});

test("a failed command is reported with its failure, and the engine is free again", async () => {
  await using h = await engineHarness({
    tools: [bash(async () => Promise.reject(new Error("no bash here")))],
    permissions: nobody,
    scenario: [reply("I see.")],
  });
  await h.engine.runShell("make");
  expect(h.events.at(-2)).toMatchObject({ type: "tool_finished", result: { isError: true, content: "no bash here" } });
  expect(h.engine.state.busy).toBe(false);
  expect((await h.engine.submit({ prompt: "so?" })).outcome).toEqual({ reason: "completed" });
});

test("a user's shell command can be interrupted, and no turn starts while it runs", async () => {
  let begun = false;
  await using h = await engineHarness({
    tools: [
      bash((_, signal) => {
        begun = true;
        return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      }),
    ],
    permissions: nobody,
    scenario: [],
  });
  const running = h.engine.runShell("sleep 100");
  await until(() => begun);
  await expect(h.engine.submit({ prompt: "x" })).rejects.toThrow("already running");
  h.engine.interrupt();
  await running;
  expect(h.engine.state.busy).toBe(false);
});

test("/clear forgets it", async () => {
  await using h = await engineHarness({
    tools: [bash(async () => "secret")],
    permissions: nobody,
    scenario: [reply("Hm.")],
  });
  await h.engine.runShell("cat key");
  h.engine.clear();
  await h.engine.submit({ prompt: "so?" });
  expect(JSON.stringify(h.twin.requests[0]?.body)).not.toContain("secret");
});
