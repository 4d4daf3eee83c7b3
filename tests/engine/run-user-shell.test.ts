import { describe, expect, test } from "bun:test";
import { reply } from "@quoll/model-twin/scenario";
import { z } from "zod";
import { defineTool, inputSchemaOf } from "../../src/contracts/define-tool.ts";
import { declareTool, textResult } from "../../src/contracts/tool.ts";
import { USER_SHELL_RAN } from "../../src/engine/system-reminders.ts";
import { answering, engineHarness, until } from "../support/engine-harness.ts";

const input = z.object({ command: z.string() });
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
  // A description would stand on the screen in place of the command.
  const started = h.events.find((event) => event.type === "tool_started");
  expect(started?.use.input).toEqual({ command: "git status" });
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

describe("a command that the model answers at once", () => {
  const answered = (run: (command: string, signal: AbortSignal) => Promise<string>, answers = true) =>
    engineHarness({
      tools: [bash(run)],
      permissions: nobody,
      respondsToShell: () => answers,
      scenario: [reply("One test fails."), reply("And now.")],
    });

  test("starts a turn that no prompt of the person begins", async () => {
    await using h = await answered(async () => "1 failed");
    await h.engine.runShell("npm test");
    await until(() => h.types().includes("turn_finished"));
    expect(h.engine.prompts.map(({ text }) => text)).toEqual([""]);
    expect(h.engine.state.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    const [first] = h.engine.state.messages;
    expect(first?.content.map((block) => ("text" in block ? block.text : "")).slice(1)).toEqual([
      "The user ran this command themselves:\n$ npm test\n1 failed",
      USER_SHELL_RAN,
    ]);
    expect(h.twin.requests).toHaveLength(1);
  });

  test("is answered with the input that waits, in one turn", async () => {
    const gate = Promise.withResolvers<string>();
    await using h = await answered(() => gate.promise);
    const ran = h.engine.runShell("npm test");
    h.engine.enqueue({ prompt: "why?" }, "next");
    gate.resolve("1 failed");
    await ran;
    await until(() => h.types().includes("turn_finished") && !h.engine.state.busy);
    expect(h.engine.prompts.map(({ text }) => text)).toEqual(["why?"]);
    expect(JSON.stringify(h.engine.state.messages)).not.toContain(USER_SHELL_RAN);
    expect(h.twin.requests).toHaveLength(1);
  });

  test("gets no answer when the person interrupted it, or by default", async () => {
    const untilAborted = (_: string, signal: AbortSignal) =>
      new Promise<string>((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
    await using interrupted = await answered(untilAborted);
    const ran = interrupted.engine.runShell("npm test");
    await until(() => interrupted.types().includes("tool_started"));
    interrupted.engine.interrupt();
    await ran;
    await using off = await answered(async () => "1 failed", false);
    await off.engine.runShell("npm test");
    expect([interrupted.twin.requests, off.twin.requests]).toEqual([[], []]);
    expect([interrupted.engine.state.busy, off.engine.state.busy]).toEqual([false, false]);
  });
});
