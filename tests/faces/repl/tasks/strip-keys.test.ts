import { expect, test } from "bun:test";
import { NO_USAGE } from "../../../../src/contracts/message.ts";
import type { Entry } from "../../../../src/contracts/session.ts";
import { KEPT_MS } from "../../../../src/faces/repl/tasks/shown-tasks.ts";
import type { SessionView, TaskOutput } from "../../../../src/protocol/session-port.ts";
import { watchedEvents } from "../../../../src/protocol/transcript/log-events.ts";
import { agentTask, shellTask, taskEvent, taskStage } from "../../../support/shown-tasks.ts";

const ESC = "\u001b";
const UP = `${ESC}[A`;
const DOWN = `${ESC}[B`;
const DELETE = `${ESC}[3~`;
const TAB = "\t";
const CTRL_B = "\u0002";

async function twoTasks() {
  const here = await taskStage();
  here.play(taskEvent("task_started", agentTask("a1", "Explore", "look")));
  here.play(taskEvent("task_started", agentTask("a2", "Plan", "plan")));
  await here.clock.advance(1_000);
  const marked = () => here.lines.find((line) => line.startsWith("❯"))?.trim();
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) {
      here.stage.type(key);
      await here.clock.advance(0);
    }
  };
  return { here, marked, press };
}

test("the down key enters the rows from an empty prompt, arrows move, and esc and up lead back", async () => {
  const { here, marked, press } = await twoTasks();
  await press(DOWN);
  expect(marked()).toContain("a1");
  expect(here.lines.at(-2)).toContain("enter watch");
  await press(DOWN, DOWN);
  expect(marked()).toContain("a2");
  await press(UP, UP);
  expect(marked()).toBeUndefined();
  await press(DOWN, ESC);
  expect(marked()).toBeUndefined();
  expect(here.sent).toEqual([]);
});

test("with a draft the down key stays in the prompt, and typing leaves the rows", async () => {
  const { here, marked, press } = await twoTasks();
  await press("words", DOWN);
  expect(marked()).toBeUndefined();
  await press("\u0015", DOWN);
  expect(marked()).toContain("a1");
  // No letter acts on the row.
  await press(..."xmh");
  expect(marked()).toBeUndefined();
  expect(here.lines.join("\n")).toContain("› xmh");
  expect(here.sent).toEqual([]);
});

test("delete stops the marked task once it is marked, and an ended one no more", async () => {
  const { here, press } = await twoTasks();
  await press(DELETE, DOWN, DOWN, DELETE);
  expect(here.sent).toEqual([{ type: "task", does: "stop", id: "a2" }]);
  const stopped = { status: "cancelled", state: "was stopped by the user" } as const;
  here.play(taskEvent("task_ended", agentTask("a2", "Plan", "plan", stopped)));
  await here.clock.advance(300);
  expect(here.lines.find((line) => line.includes("a2"))).toMatch(/^❯ ■ a2 .*was stopped by the user/);
  expect(here.lines.at(-2)).toContain("tab message · esc back");
  await press(DELETE);
  expect(here.sent).toHaveLength(1);
});

test("the keys below the rows are those that act on the marked task: no message for a shell", async () => {
  const { here, press } = await twoTasks();
  here.play(taskEvent("task_started", shellTask("b1", "npm run watch")));
  await press(DOWN);
  expect(here.lines.at(-2)).toContain("enter watch · tab message · delete stop · esc back");
  await press(DOWN, DOWN);
  expect(here.lines.at(-2)).toContain("enter watch · delete stop · esc back");
  await press("\r");
  expect(here.lines.at(-2)).toMatch(/^ {2}delete stop/);
});

test("a row that is marked stays after its end until the person leaves", async () => {
  const { here, marked, press } = await twoTasks();
  await press(DOWN);
  const ended = { status: "completed", state: "completed · 1 request", phrase: "completed" } as const;
  for (const id of ["a1", "a2"]) here.play(taskEvent("task_ended", agentTask(id, "Explore", "look", ended)));
  await here.clock.advance(2 * KEPT_MS);
  expect(marked()).toContain("a1");
  await press(ESC);
  expect(here.lines.join("\n")).not.toContain("a1");
});

test("enter shows the output, which is followed at its end and nowhere else; esc goes back to the row", async () => {
  const { here, marked, press } = await twoTasks();
  await press(DOWN, "\r");
  expect(here.sent).toEqual([{ type: "task", does: "watch", id: "a1" }]);
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}.`);
  const grow = async (count: number) => {
    here.tell({ type: "task_output", id: "a1", part: { kind: "lines", lines: lines(count) } });
    await here.clock.advance(1_000);
  };
  await grow(50);
  const text = () => here.lines.join("\n");
  expect(text()).toContain("line 49.");
  expect(text()).toMatch(/a1 is running · \d+s · 18k tok · Explore: look/);
  await grow(60);
  expect(text()).toContain("line 59.");
  await press(UP);
  await grow(70);
  expect(text()).not.toContain("line 69.");
  await press(`${ESC}[F`);
  await grow(80);
  expect(text()).toContain("line 79.");
  here.tell({ type: "task_output", id: "a2", part: { kind: "lines", lines: ["other"] } });
  await here.clock.advance(1_000);
  expect(text()).not.toContain("other");
  await press("x", ESC);
  expect(here.sent.slice(1)).toEqual([
    { type: "task", does: "stop", id: "a1" },
    { type: "task", does: "unwatch", id: "a1" },
  ]);
  expect(marked()).toContain("a1");
});

test("tab writes to the marked agent, from its row and from its output; esc sends nothing, and a shell takes none", async () => {
  const { here, marked, press } = await twoTasks();
  const shell = shellTask("b1", "npm run dev");
  here.play(taskEvent("task_started", shell));
  const text = () => here.lines.join("\n");
  await press(DOWN, TAB);
  expect(text()).toContain("Message to a1\n");
  await press("look at b too", "\r");
  expect(here.sent).toEqual([{ type: "task", does: "message", id: "a1", text: "look at b too" }]);
  expect(marked()).toContain("a1");
  await press(TAB, "no", ESC, "\r", "m", "yes", "\r");
  expect(here.sent.slice(1)).toEqual([
    { type: "task", does: "watch", id: "a1" },
    { type: "task", does: "message", id: "a1", text: "yes" },
  ]);
  await press(ESC, DOWN, DOWN, TAB);
  expect(marked()).toContain("b1");
  expect(text()).not.toContain("Message to");
});

test("ctrl+b sends what the turn waits for to the background, and moves back in a draft otherwise", async () => {
  const { here, press } = await twoTasks();
  here.tell({ type: "state", state: BUSY });
  await press("ab", CTRL_B, "c");
  expect(here.lines.join("\n")).toContain("› acb");
  here.play(taskEvent("task_started", agentTask("a3", "Explore", "look", { isBackground: false, toolUseId: "t" })));
  here.play(taskEvent("task_started", agentTask("a4", "Explore", "look", { isBackground: false, toolUseId: "t" })));
  await press(CTRL_B);
  expect(here.sent).toEqual([
    { type: "task", does: "background", id: "a3" },
    { type: "task", does: "background", id: "a4" },
  ]);
  const use = { type: "tool_use", id: "call", name: "Bash", input: {} } as const;
  here.play({ type: "tool_started", use, title: "sleep 9", level: "execute" });
  await press(CTRL_B);
  expect(here.sent.at(-1)).toEqual({ type: "task", does: "release", id: "call" });
});

const BUSY: SessionView = {
  ...{ sessionId: "s", model: "m", providerName: "p", mode: "default", usage: NO_USAGE, costUsd: 0 },
  ...{ usedTokens: 0, windowTokens: 1, queue: [], isEmpty: true, busy: true },
};

/** The log of an agent that has read one file and edits another one. */
const LOGGED = (["Read", "Edit"] as const).flatMap((name, at): Entry[] => {
  const about = { v: 2, time: "", agentId: "agent-1", parentAgentId: "main" } as const;
  const use = { type: "tool_use", id: name, name, input: { file_path: `${name.toLowerCase()}.txt` } } as const;
  const message = { role: "assistant", id: `m${at}`, content: [use], model: "m", stopReason: "tool_use" } as const;
  const result = { type: "tool_result", toolUseId: name, content: "one", isError: false } as const;
  return [
    { ...about, id: `e${at}`, parentId: null, kind: "assistant", message: { ...message, usage: NO_USAGE } },
    ...(name === "Read" ? [{ ...about, id: "r", parentId: null, kind: "tool_finished", result } as const] : []),
  ];
});

test("a watched agent's conversation looks like the main conversation, and grows with its events", async () => {
  const { here, press } = await twoTasks();
  await press(DOWN, "\r");
  const text = () => here.lines.join("\n");
  const tell = async (part: TaskOutput) => {
    here.tell({ type: "task_output", id: "a1", part });
    await here.clock.advance(1_000);
  };
  await tell({ kind: "conversation", events: watchedEvents(LOGGED, true) });
  expect(text()).toMatch(/read +read\.txt/);
  const rows = () => here.lines.filter((line) => /edit +edit\.txt/.test(line));
  expect(rows()).toHaveLength(1);
  const use = { type: "tool_use", id: "Edit", name: "Edit", input: {} } as const;
  await tell({ kind: "event", event: { type: "tool_started", use, title: "edit.txt", level: "none" } });
  expect(rows()).toHaveLength(1);
  const result = { type: "tool_result", toolUseId: "Edit", content: "done", isError: false } as const;
  const hunks = [{ oldStart: 1, newStart: 1, lines: [{ kind: "added", text: "a new line" }] }] as const;
  const display = { kind: "diff", path: "edit.txt", isNew: false, added: 1, removed: 0, hunks } as const;
  await tell({ kind: "event", event: { type: "tool_finished", result, durationMs: 1, display } });
  expect(text()).toContain("a new line");
  expect(rows()[0]).toContain("+1");
  await tell({ kind: "event", event: { type: "request_started", step: 2, model: "m" } });
  await tell({ kind: "event", event: { type: "text_delta", text: "It is **done**" } });
  expect(text()).toMatch(/It is .*done/);
});

test("a watched agent's view moves while a request streams that began before the view was opened", async () => {
  const { here, press } = await twoTasks();
  await press(DOWN, "\r");
  const tell = async (part: TaskOutput) => {
    here.tell({ type: "task_output", id: "a1", part });
    await here.clock.advance(1_000);
  };
  const done = LOGGED.slice(0, 2);
  await tell({ kind: "conversation", events: watchedEvents(done, true) });
  expect(here.lines.join("\n")).toContain("waiting for the model");
  await tell({ kind: "event", event: { type: "thinking_delta", text: "x".repeat(4_000) } });
  expect(here.lines.join("\n")).toContain("thinking · ↓1.0k tok");
  const json = "x".repeat(4_000);
  await tell({ kind: "event", event: { type: "tool_input_delta", toolUseId: "w", toolName: "Write", json } });
  expect(here.lines.join("\n")).toContain("writing a file · ↓2.0k tok");
});
