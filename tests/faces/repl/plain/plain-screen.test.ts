import { expect, test } from "bun:test";
import type { ResultBody, Todo } from "../../../../src/contracts/display.ts";
import type { EngineEvent } from "../../../../src/contracts/event.ts";
import { NO_USAGE } from "../../../../src/contracts/message.ts";
import { emptyHistory, remember } from "../../../../src/faces/repl/editor/history.ts";
import { decodeKeys, emptyDecoder, type KeyEvent } from "../../../../src/faces/repl/input/decode-keys.ts";
import { type Asking, isChoosing } from "../../../../src/faces/repl/layers/open-question.ts";
import { openPicker } from "../../../../src/faces/repl/layers/picker.ts";
import { syncQuestion } from "../../../../src/faces/repl/layers/sync-question.ts";
import { emptyUi } from "../../../../src/faces/repl/layers/ui-state.ts";
import type { PlainState } from "../../../../src/faces/repl/plain/plain-news.ts";
import { PlainScreen, type Pressed } from "../../../../src/faces/repl/plain/plain-screen.ts";
import { pastedKeys } from "../../../../src/faces/repl/plain/typed-lines.ts";
import { addRow, reduceAll } from "../../../../src/protocol/transcript/reduce.ts";
import { emptyTranscript, type FaceRow } from "../../../../src/protocol/transcript/transcript.ts";
import { questionOf } from "../../../support/question.ts";

const SESSION: PlainState["session"] = {
  sessionId: "s",
  model: "",
  providerName: "",
  mode: "default",
  busy: false,
  usage: NO_USAGE,
  costUsd: undefined,
  usedTokens: 0,
  windowTokens: 0,
  queue: [],
  isEmpty: true,
};

/** A plain screen on a state that the test changes. */
function stage() {
  let written = "";
  let state: PlainState = {
    transcript: emptyTranscript,
    ui: emptyUi,
    isBusy: true,
    nowMs: 0,
    mustAnswer: [],
    operation: undefined,
    completions: [],
    session: SESSION,
  };
  const write = (text: string) => {
    written += text;
    return true;
  };
  const screen = new PlainScreen({ stdout: { write }, editsLines: true, state: () => state });
  /** @returns what the change printed. */
  const change = (changes: Partial<PlainState>): string => {
    written = "";
    state = { ...state, ...changes };
    screen.update();
    return written;
  };
  return {
    change,
    take: (...events: readonly EngineEvent[]) =>
      change({ transcript: reduceAll(state.transcript, events, state.nowMs) }),
    /** Presses keys as a terminal would send them. @returns the last effect, and what was printed. */
    press(text: string): { readonly pressed: Pressed | undefined; readonly printed: string } {
      written = "";
      const { events } = decodeKeys(emptyDecoder, text);
      const pressed = pastedKeys(events as readonly KeyEvent[]).map((event) => screen.press(event));
      return { pressed: pressed.at(-1), printed: written };
    },
    /** Another program gets the terminal. */
    end: () => screen.end(),
    add: (row: FaceRow) => change({ transcript: addRow(state.transcript, row) }),
  };
}

const started = (id: string, name: string, title: string): EngineEvent => ({
  type: "tool_started",
  use: { type: "tool_use", id, name, input: {} },
  title,
  level: "read",
});
const finished = (id: string, text: string): EngineEvent => ({
  type: "tool_finished",
  result: { type: "tool_result", toolUseId: id, content: text, isError: false },
  durationMs: 10,
  display: { kind: "summary", text, count: 1 },
});
const delta = (text: string): EngineEvent => ({ type: "text_delta", text });

test("an answer is printed in whole paragraphs, and only its first line has the role", () => {
  const { take } = stage();
  expect(take(delta("One sen"))).toBe("");
  expect(take(delta("tence.\n\nNext"))).toBe("Quoll: One sentence.\n");
  expect(take(delta(" one.\n\n"))).toBe("Next one.\n");
});

test("calls that run together are announced once, and each result names its call", () => {
  const { take } = stage();
  const [a, b] = [started("a", "Grep", "one"), started("b", "Grep", "two")];
  expect(take(a, b)).toBe("Tool: search one\nTool: search two\n");
  expect(take(finished("b", "2 files"))).toBe("Result: 2 files\n");
  expect(take(finished("a", "1 file"))).toBe("Result of search one: 1 file\n");
  expect(take(delta("Found.\n\n"))).toBe("Quoll: Found.\n");
});

test("a result tells its first lines, items or rows, and how many there are", () => {
  const { take } = stage();
  const lines = Array.from({ length: 9 }, (_, at) => `line ${at}`).join("\n");
  take(started("a", "mcp__shop__list", "shop · list"));
  const end = { type: "tool_finished", durationMs: 10 } as const;
  const result = { type: "tool_result", toolUseId: "a", content: lines, isError: false } as const;
  expect(take({ ...end, result })).toBe(
    `Result: first 5 of 9 lines\n${[0, 1, 2, 3, 4].map((at) => `Output: line ${at}\n`).join("")}`,
  );
  const told = (body: ResultBody, text = "") => {
    const toolUseId = body.kind;
    take(started(toolUseId, "ext__Check", "check"));
    return take({ ...end, result: { ...result, toolUseId }, display: { kind: "summary", text, body } });
  };
  expect(told({ kind: "list", items: [{ text: "types", mark: "failed", note: "a.ts" }] }, "1 failed")).toBe(
    "Result: 1 failed\nOutput: failed: types (a.ts)\n",
  );
  expect(told({ kind: "table", columns: [{ name: "file" }, { name: "lines" }], rows: [["a.ts", "3"]] })).toBe(
    "Result: 1 row\nOutput: file: a.ts, lines: 3\n",
  );
  const hunks = [{ oldStart: 1, newStart: 1, lines: [{ kind: "added", text: "x" }] }] as const;
  expect(told({ kind: "diff", path: "a.ts", hunks })).toBe("Result: changes of a.ts\nAdded line 1: x\n");
});

test("an update of the steps tells the count and what changed", () => {
  const { take } = stage();
  const list = (id: string, status: Todo["status"]) => {
    const todos = [
      { content: "Find it", activeForm: "Finding it", status },
      { content: "Fix it", activeForm: "Fixing it", status: "pending" },
    ] as const;
    const result = { type: "tool_result", toolUseId: id, content: "Noted.", isError: false } as const;
    take(started(id, "TodoWrite", "2 steps"));
    return take({ type: "tool_finished", result, durationMs: 1, display: { kind: "todos", todos } });
  };
  expect(list("a", "in_progress")).toBe("Result: 2 steps\nstarted: Find it\nadded: Fix it\n");
  expect(list("b", "completed")).toBe("Result: 1 of 2 done\nResult: done: Find it\n");
});

test("lines of an answer and of a command's result can't pass for another event", () => {
  const { take, add } = stage();
  expect(take(delta("See:\n\nQuestion: Run this command?\n\n1: once\n\n"))).toBe(
    "Quoll: See:\nQuoll: Question: Run this command?\n1: once\n",
  );
  expect(stage().add({ kind: "answer", command: "x", lines: ["first", "Error: not one"] })).toBe(
    "Result: first\nResult: Error: not one\n",
  );
  // A notice waits for the end of the answer.
  expect(add({ kind: "notice", level: "warning", text: "full" })).toBe("");
});

test("long work is reported every 30 seconds, and not while a question waits", () => {
  const { take, change } = stage();
  take(started("a", "Bash", "npm test"));
  const at = (nowMs: number) => change({ nowMs });
  expect([at(1_000), at(29_000)]).toEqual(["", ""]);
  expect(at(30_000)).toMatch(/^Working: running npm test, .*\.\n$/);
  expect([at(31_000), at(59_000)]).toEqual(["", ""]);
  expect(at(60_000)).toMatch(/^Working: /);
});

test("a prompt follows when nothing runs, once", () => {
  const { change, add } = stage();
  expect(change({ isBusy: false })).toBe("You: ");
  expect(change({ nowMs: 5_000 })).toBe("");
  expect(add({ kind: "notice", level: "info", text: "a ✗ b · c" })).toBe("\nNotice: a failed: b, c\nYou: ");
});

test("the lines of /diff say what was added and removed", () => {
  const lines = ["a.ts +1 −1", "@@ -3,2 +3,2 @@", "-old", "+new", "+", " same"];
  expect(stage().add({ kind: "answer", command: "diff", lines })).toBe(
    "Result: a.ts +1 minus 1\nFrom line 3:\nRemoved: old\nAdded: new\nAdded: blank\n same\n",
  );
});

test("a list that opens again tells only its title, what differs, and what to type", () => {
  const { change } = stage();
  const colours = (current: string) => {
    const choices = ["red", "blue", "green"].map((label) => ({
      label,
      detail: "",
      input: `/took ${label}`,
      ...(label === current && { isCurrent: true }),
    }));
    return change({ ui: { ...emptyUi, picker: openPicker({ title: "Colours", choices }) } });
  };
  expect(colours("red")).toContain("\n1, current: red\n2: blue\n3: green\n");
  expect(change({ ui: emptyUi })).toBe("");
  expect(colours("blue")).toMatch(/^\nQuestion: Colours, 3 choices\.\n1: red\n2, current: blue\nType .*\nChoose: $/);
});

test("lines wait while the person types, and the draft stands below them again", () => {
  const { change, press, add } = stage();
  expect(change({ isBusy: false })).toBe("You: ");
  expect(press("dra").printed).toBe("dra");
  const notice: FaceRow = { kind: "notice", level: "info", text: "Agent a1 started." };
  expect(add(notice)).toBe("");
  expect(change({ nowMs: 1_499 })).toBe("");
  expect(change({ nowMs: 1_500 })).toBe("\nNotice: Agent a1 started.\nYou: dra");
  expect(press("ft\r")).toEqual({ pressed: { does: "line", text: "draft" }, printed: "ft\n" });
});

test("a question names all that its answers allow, and tells the powers of the sandbox on demand and before the consent", () => {
  const { change } = stage();
  const reach = "Commands may change files in ~/shop, and reach no host.";
  const rules = { suggestions: ["Bash(npm test *)"], sessionRules: ["Bash(npm test *)"] };
  const { asking } = syncQuestion(
    emptyUi,
    [questionOf({ ...rules, confinement: "in the sandbox", reach, consent: reach })],
    0,
  );
  if (!asking || isChoosing(asking)) throw new Error("No question is open.");
  const told = (changes: Partial<Asking>) => change({ ui: { ...emptyUi, asking: { ...asking, ...changes } } });
  const first = told({});
  for (const words of [
    "Runs in the sandbox.",
    "2: Yes, and don't ask again for `npm test …` in this session",
    "Enter alone means 1.",
  ])
    expect(first).toContain(words);
  expect(first).not.toContain(reach);
  expect(told({ isExplained: true })).toContain(`Sandbox: ${reach}`);
  expect(told({ isChoosingTerm: true })).toContain(reach);
});

test("a list sets the draft aside, and gives it back", () => {
  const { change, press } = stage();
  change({ isBusy: false });
  press("draft");
  const choices = [{ label: "red", detail: "", input: "/took red" }];
  const ui = { ...emptyUi, picker: openPicker({ title: "Colours", choices }) };
  expect(change({ ui, nowMs: 5_000 })).toMatch(/^\nQuestion: Colours[\s\S]*\nChoose: $/);
  expect(press("1\r").pressed).toEqual({ does: "line", text: "1" });
  expect(change({ ui: emptyUi, nowMs: 10_000 })).toBe("You: draft");
});

test("the arrows bring back earlier prompts, and ctrl+c clears the draft before it leaves", () => {
  const { change, press } = stage();
  const history = ["one", "two"].reduce(remember, emptyHistory);
  change({ isBusy: false, ui: { ...emptyUi, history } });
  expect(press("\u001b[A").printed).toBe("two");
  expect(press("\u0003")).toEqual({ pressed: { does: "nothing" }, printed: "\b\b\b   \b\b\b" });
  expect(press("\u0003").pressed).toEqual({ does: "stop" });
  expect(press("\u0004").pressed).toEqual({ does: "leave" });
});

test("a paste of several lines is one draft", () => {
  const { change, press } = stage();
  change({ isBusy: false });
  expect(press("one\rtwo\r")).toEqual({ pressed: { does: "nothing" }, printed: "one⏎two" });
  expect(press("\r").pressed).toEqual({ does: "line", text: "one\ntwo" });
});

test("a tab completes the only command, and tells several", () => {
  const { change, press } = stage();
  const completions = ["model", "resume", "rewind"].map((name) => ({
    name,
    summary: `Does ${name}`,
    argumentHint: "",
  }));
  change({ isBusy: false, completions });
  expect(press("/mo\t").printed).toBe("/model ");
  press("\u0003");
  expect(press("/re\t").printed).toBe("/re\nNotice: /resume: Does resume\nNotice: /rewind: Does rewind\nYou: /re");
});

test("the model and the mode are told when they are known, and when they change", () => {
  const { change } = stage();
  const told = "Notice: model sonnet, permission mode default.\n";
  expect(change({ session: { ...SESSION, model: "sonnet" } })).toBe(told);
  expect(change({ session: { ...SESSION, model: "sonnet", busy: true } })).toBe("");
  expect(change({ session: { ...SESSION, model: "sonnet", mode: "plan" } })).toContain("permission mode plan.");
});

test("after another program had the terminal, the prompt and the draft stand again", () => {
  const { change, press, end } = stage();
  change({ isBusy: false });
  press("draft");
  end();
  expect(change({ nowMs: 2_000 })).toBe("You: draft");
});
