import { expect, test } from "bun:test";
import { NO_USAGE } from "../../../../src/contracts/message.ts";
import type { SessionCommand, SessionEvent } from "../../../../src/protocol/session-port.ts";
import { fakeClock } from "../../../support/fake-clock.ts";
import { screenStage } from "../../../support/screen-stage.ts";

/** A screen on a session at rest, with inputs that an interrupted turn left waiting. */
function stageWith(...waiting: readonly string[]) {
  const sent: SessionCommand[] = [];
  let tell: (event: SessionEvent) => void = () => undefined;
  const port = {
    send: (command: SessionCommand) => sent.push(command),
    subscribe: (listener: typeof tell) => {
      tell = listener;
      return () => undefined;
    },
  };
  const stage = screenStage(port, fakeClock());
  stage.controller.start();
  const numbers = { usage: NO_USAGE, costUsd: 0, usedTokens: 0, windowTokens: 0 };
  const about = { sessionId: "s", model: "m", providerName: "p", mode: "default" } as const;
  tell({ type: "state", state: { ...about, ...numbers, busy: false, queue: [], isEmpty: false } });
  const queue = waiting.map((prompt) => ({ id: prompt, prompt, when: "next" as const }));
  tell({ type: "engine", event: { type: "queue_changed", queue, total: queue.length } });
  const inputs = () => sent.filter(({ type }) => ["submit", "enqueue", "command"].includes(type));
  return { stage, tell: (event: SessionEvent) => tell(event), inputs, [Symbol.dispose]: () => stage[Symbol.dispose]() };
}

test("a new prompt goes behind the inputs that wait, and is submitted where none waits", () => {
  using waits = stageWith("one");
  waits.stage.type("two\r");
  expect(waits.inputs()).toEqual([{ type: "enqueue", prompt: "two", when: "steer" }]);
  using free = stageWith();
  free.stage.type("two\r");
  expect(free.inputs()).toEqual([{ type: "submit", input: { prompt: "two" } }]);
});

test("a slash behind a prompt that came back begins a command, and the prompt is back after it", () => {
  using waits = stageWith();
  const { stage } = waits;
  waits.tell({ type: "taken_back", input: { prompt: "hello" } });
  stage.type("/mo");
  stage.type("del\r");
  expect(waits.inputs()).toEqual([{ type: "command", text: "/model", name: "model", argument: "" }]);
  // The list takes the keys at once, although the prompt is back in the editor.
  const choices = [{ label: "sonnet", detail: "", input: "/model sonnet" }];
  waits.tell({ type: "choose", list: { title: "Model", choices } });
  stage.type("\r");
  expect(waits.inputs().at(-1)).toMatchObject({ type: "command", text: "/model sonnet" });
  stage.type("\r");
  expect(waits.inputs().at(-1)).toEqual({ type: "submit", input: { prompt: "hello" } });
});

test("a typed /redo behind the prompt of a rewind is the command", () => {
  using waits = stageWith();
  waits.tell({ type: "draft", text: "hello" });
  waits.stage.type("/redo");
  waits.stage.type("\r");
  expect(waits.inputs()).toEqual([{ type: "command", text: "/redo", name: "redo", argument: "" }]);
  waits.stage.type("\r");
  expect(waits.inputs().at(-1)).toEqual({ type: "submit", input: { prompt: "hello" } });
});

test("a second command behind the prompt of a rewind is a command too", () => {
  using waits = stageWith();
  waits.tell({ type: "draft", text: "hello" });
  for (const command of ["/redo", "/diff"]) waits.stage.type(`${command}\r`);
  expect(waits.inputs().map((input) => ("text" in input ? input.text : input.type))).toEqual(["/redo", "/diff"]);
});

test.each([
  ["next words", "hello\nnext words"],
  [", and more", "hello, and more"],
  [" and more", "hello and more"],
  ["\u001b[200~pasted\u001b[201~", "hello\npasted"],
])("behind a prompt that came back, %j is not glued to its last word", (keys, prompt) => {
  using waits = stageWith();
  waits.tell({ type: "taken_back", input: { prompt: "hello" } });
  for (const piece of keys.startsWith("\u001b") ? [keys] : keys) waits.stage.type(piece);
  waits.stage.type("\r");
  expect(waits.inputs()).toEqual([{ type: "submit", input: { prompt } }]);
});

test("a slash goes on with a prompt that came back before other words, or was changed", () => {
  using waits = stageWith();
  waits.stage.type("more");
  waits.tell({ type: "taken_back", input: { prompt: "hello" } });
  waits.stage.type("/\r");
  waits.tell({ type: "taken_back", input: { prompt: "hello" } });
  waits.stage.type(", s/\r");
  expect(waits.inputs()).toEqual([
    { type: "submit", input: { prompt: "hello\nmore/" } },
    { type: "submit", input: { prompt: "hello, s/" } },
  ]);
});

test("a prompt that came back goes before the inputs that wait, because it was typed before them", () => {
  using waits = stageWith("one");
  waits.tell({ type: "taken_back", input: { prompt: "zero" } });
  waits.stage.type("\r");
  waits.stage.type("two\r");
  expect(waits.inputs()).toEqual([
    { type: "submit", input: { prompt: "zero" } },
    { type: "enqueue", prompt: "two", when: "steer" },
  ]);
});
