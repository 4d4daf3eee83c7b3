import { expect, test } from "bun:test";
import { failing, fault, reply, toolUse } from "@quoll/model-twin/scenario";
import { compactCommand } from "../../src/commands/compact.ts";
import type { CommandContext } from "../../src/contracts/command.ts";
import type { CommandResult } from "../../src/contracts/command-result.ts";
import { textResult } from "../../src/contracts/tool.ts";
import { messagePieces } from "../../src/services/context/accounting/context-pieces.ts";
import { summarise } from "../../src/services/context/compaction/summarise.ts";
import { engineHarness, testTool } from "../support/engine-harness.ts";

const NEVER = new AbortController().signal;
const SUMMARY = reply("<summary>\n## Goal\nFix it.\n## Next step\nRun the tests.\n</summary>");
const LOOK = testTool("Look", { run: async (text) => textResult(`${text} seen `.repeat(80)) });
const look = (text: string) => reply([toolUse("Look", { text })]);
const TALK = [look("a"), look("b"), look("c"), reply("One."), reply("Two.")];

async function talked(after: readonly ReturnType<typeof reply>[]) {
  const h = await engineHarness({ compactor: [summarise()], tools: [LOOK], scenario: [...TALK, ...after] });
  await h.engine.submit({ prompt: "first" });
  await h.engine.submit({ prompt: "second wish" });
  const context = { engine: h.engine } as unknown as CommandContext;
  const type = (argument: string) => compactCommand.run(argument, context, NEVER);
  return { ...h, type, [Symbol.asyncDispose]: h[Symbol.asyncDispose] };
}

async function operate(result: CommandResult, signal = NEVER) {
  if (result.kind !== "operation") throw new Error(`no operation: ${JSON.stringify(result)}`);
  const progress: string[] = [];
  const end = await result.run(({ text }) => void progress.push(text), signal);
  return { progress, end };
}

test("/compact with a hint sums up the conversation, and tells how far it is and what it freed", async () => {
  await using h = await talked([SUMMARY]);
  const { progress, end } = await operate(await h.type("keep the names"));
  expect(progress[0]).toContain("reading about");
  expect(end).toEqual({ kind: "text", lines: [expect.stringMatching(/^Freed about \d+ tokens/)] });
  expect(JSON.stringify(h.twin.requests.at(-1)?.body)).toContain("keep the names");
});

test("a conversation in which nothing can be compacted is said to be read by no model", async () => {
  await using h = await engineHarness({ compactor: [summarise()], scenario: [reply("Hi.")] });
  await h.engine.submit({ prompt: "hi" });
  const context = { engine: h.engine } as unknown as CommandContext;
  const { progress, end } = await operate(await compactCommand.run("", context, NEVER));
  expect([progress, h.twin.requests.length]).toEqual([[], 1]);
  expect(end).toMatchObject({ kind: "text", lines: [expect.stringContaining("nothing to compact")] });
});

test("Esc ends it, and the conversation stays as it was", async () => {
  await using h = await talked([failing(fault.silence())]);
  const before = [...h.engine.state.messages];
  const abort = new AbortController();
  const running = operate(await h.type(""), abort.signal).catch((error: unknown) => error);
  await h.twin.request(TALK.length);
  abort.abort(new Error("Esc"));
  expect(await running).toBeInstanceOf(Error);
  expect([h.engine.state.messages, h.engine.state.busy]).toEqual([before, false]);
});

test("/compact undo brings the messages back, once", async () => {
  await using h = await talked([SUMMARY]);
  const before = [...h.engine.state.messages];
  await operate(await h.type(""));
  expect(h.engine.state.messages).not.toEqual(before);
  expect(await h.type("undo")).toMatchObject({ kind: "text", lines: [expect.stringContaining("undone")] });
  expect(h.engine.state.messages).toEqual(before);
  expect(h.type("undo")).rejects.toThrow("no compaction to undo");
});

test.each(["up-to", "from"])("/compact %s offers the user's messages, and compacts at the chosen one", async (side) => {
  await using h = await talked([SUMMARY]);
  const offered = await h.type(side);
  if (offered.kind !== "choose") throw new Error("no list");
  expect(offered.choices.map(({ label }) => label)).toEqual(["second wish"]);
  const [choice] = offered.choices;
  const { end } = await operate(await h.type((choice?.input ?? "").replace("/compact ", "")));
  // One answer is shorter than any summary of it.
  expect(end).toMatchObject({ lines: [expect.stringMatching(side === "from" ? /nothing to compact/ : /Freed/)] });
});

test("texts of Quoll and of hooks are not offered as the user's messages", async () => {
  await using h = await talked([reply("Three."), reply("Four.")]);
  await h.engine.submit({ prompt: "a long template", typed: "/init" });
  const content = [{ type: "text", text: "go on, says a hook" }] as const;
  h.engine.conversation.append({
    kind: "user",
    message: { role: "user", id: "hook-1", content },
    prompt: "go on, says a hook",
    by: "hook",
  });
  const offered = await h.type("from");
  expect(offered.kind === "choose" && offered.choices.map(({ label }) => label)).toEqual(["/init", "second wish"]);
});

test.each([
  ["undo it", "/compact undo"],
  ["undoo", "/compact undo"],
  ["Undo", "/compact undo"],
  ["upto", "/compact up-to"],
  ["up to 3", "/compact up-to"],
  ["up-to 3", "/compact up-to"],
  ["from zzz", "/compact from"],
  ["form on", "/compact from"],
  ["from now on name the tables", "/compact from"],
])("/compact %s asks no model and names the right form", async (argument, form) => {
  await using h = await talked([]);
  expect(await h.type(argument).catch((error: Error) => error.message)).toContain(form);
  expect(h.twin.requests).toHaveLength(TALK.length);
});

test.each(["for the tests", "under all circumstances", "keep the names"])("%s is a hint", async (hint) => {
  await using h = await talked([SUMMARY]);
  await operate(await h.type(hint));
  expect(JSON.stringify(h.twin.requests.at(-1)?.body)).toContain(hint);
});

test("/context names a summary as one, not by its last words", async () => {
  await using h = await talked([SUMMARY]);
  await operate(await h.type(""));
  const pieces = messagePieces(h.engine.state.messages, () => 1);
  expect(pieces.find(({ kind }) => kind !== "results")?.label).toContain("Summary");
});

test("where nothing can be taken out one line says why", async () => {
  await using h = await engineHarness({ compactor: [summarise()], scenario: [] });
  const context = { engine: h.engine } as unknown as CommandContext;
  const { end } = await operate(await compactCommand.run("", context, NEVER));
  expect(end).toMatchObject({ lines: [expect.stringMatching(/^There is nothing to compact: .*summary/)] });
});

test("while a turn runs one clear line says what to do", async () => {
  await using h = await talked([failing(fault.silence())]);
  const turn = h.engine.submit({ prompt: "third" });
  await h.twin.request(TALK.length);
  expect(operate(await h.type(""))).rejects.toThrow("press Esc, then compact");
  h.engine.interrupt();
  await turn;
});

test("a conversation that no summary can shorten is nothing to compact: no model is asked, and it is no failure", async () => {
  await using h = await engineHarness({ compactor: [summarise()], scenario: [reply("Hello."), reply("Bye.")] });
  await h.engine.submit({ prompt: "hi" });
  await h.engine.submit({ prompt: "bye" });
  const context = { engine: h.engine } as unknown as CommandContext;
  const { end } = await operate(await compactCommand.run("", context, NEVER));
  expect(end).toMatchObject({ lines: [expect.stringMatching(/^There is nothing to compact/)] });
  expect(h.twin.requests).toHaveLength(2);
});

test("a summary that fails is a failure of the command", async () => {
  await using h = await talked([failing(fault.badRequest("No.")), failing(fault.badRequest("No."))]);
  const notices: string[] = [];
  h.engine.subscribe(({ event }) => event.type === "notice" && notices.push(event.message));
  await expect(operate(await h.type(""))).rejects.toThrow(
    /^Nothing was compacted\. Making room \(summary\) failed: .*No\./,
  );
  expect(notices).toEqual([]);
});
