import { expect, test } from "bun:test";
import type { ResultBody, Todo } from "../../../../src/contracts/display.ts";
import type { EngineEvent } from "../../../../src/contracts/event.ts";
import { NO_USAGE } from "../../../../src/contracts/message.ts";
import { editorWith } from "../../../../src/faces/repl/editor/editor-state.ts";
import { emptyHistory, remember } from "../../../../src/faces/repl/editor/history.ts";
import { decodeKeys, emptyDecoder, type KeyEvent } from "../../../../src/faces/repl/input/decode-keys.ts";
import { DEFAULT_KEYMAP } from "../../../../src/faces/repl/keymap/keymap.ts";
import { readKeybindings } from "../../../../src/faces/repl/keymap/read-keybindings.ts";
import { type Asking, isChoosing } from "../../../../src/faces/repl/layers/open-question.ts";
import { openPicker } from "../../../../src/faces/repl/layers/picker.ts";
import { syncQuestion } from "../../../../src/faces/repl/layers/sync-question.ts";
import { emptyUi, NO_PREVIEW, type UiContext } from "../../../../src/faces/repl/layers/ui-state.ts";
import { keyLines } from "../../../../src/faces/repl/plain/key-lines.ts";
import type { PlainState } from "../../../../src/faces/repl/plain/plain-news.ts";
import { PlainScreen, type Pressed } from "../../../../src/faces/repl/plain/plain-screen.ts";
import { spokenLine } from "../../../../src/faces/repl/plain/spoken-text.ts";
import { unusedAnswerLine } from "../../../../src/faces/repl/plain/start-question.ts";
import type { Completing } from "../../../../src/faces/repl/plain/tab-completion.ts";
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

const CONTEXT: UiContext = {
  isBusy: false,
  isStopping: false,
  nowMs: 0,
  columns: 80,
  commands: [],
  mode: "default",
  modes: ["default", "plan"],
  preview: NO_PREVIEW,
  canEdit: false,
  questionCount: 0,
  keymap: DEFAULT_KEYMAP,
};

/** A plain screen on a state that the test changes. */
function stage({ columns, editsLines = true }: { readonly columns?: number; readonly editsLines?: boolean } = {}) {
  let written = "";
  let offered: Partial<UiContext> = {};
  /** The paths for which files were searched. */
  const searched: (string | undefined)[] = [];
  let state: PlainState = {
    transcript: emptyTranscript,
    ui: emptyUi,
    isBusy: true,
    nowMs: 0,
    mustAnswer: [],
    operation: undefined,
    session: SESSION,
    keymap: DEFAULT_KEYMAP,
    isResumed: false,
  };
  const write = (text: string) => {
    written += text;
    return true;
  };
  const completing: Completing = {
    look: () => undefined,
    findFiles: (typed) => void searched.push(typed),
    context: () => ({ ...CONTEXT, ...offered }),
    wake: () => undefined,
  };
  const stdout = { write, ...(columns !== undefined && { columns }) };
  const screen = new PlainScreen({ stdout, editsLines, completing, state: () => state });
  /** @returns what the change printed. */
  const change = (changes: Partial<PlainState>): string => {
    written = "";
    state = { ...state, ...changes };
    screen.update();
    return written;
  };
  return {
    change,
    searched,
    /** @returns what the offer of the session printed. */
    offer(more: Partial<UiContext>): string {
      offered = { ...offered, ...more };
      return change({});
    },
    take: (...events: readonly EngineEvent[]) =>
      change({ transcript: reduceAll(state.transcript, events, state.nowMs) }),
    /** Presses keys as a terminal would send them. @returns the last effect, and what was printed. */
    press(text: string): { readonly pressed: Pressed | undefined; readonly printed: string } {
      written = "";
      const { events } = decodeKeys(emptyDecoder, text);
      const pressed = pastedKeys(events as readonly KeyEvent[]).map((event) => screen.press(event));
      return { pressed: pressed.at(-1), printed: written };
    },
    /** Takes a whole line. @returns what was printed. */
    line(text: string): string {
      written = "";
      const { ui } = screen.take(text, { ...CONTEXT, nowMs: state.nowMs });
      state = { ...state, ui };
      return written;
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

test("a part of an answer that comes after another line names its speaker again", () => {
  const { take, change } = stage();
  take(delta("One.\n\n"));
  expect(take(delta("Two.\n\n"))).toBe("Two.\n");
  expect(change({ nowMs: 10_000 })).toMatch(/^Working: /);
  expect(take(delta("Three.\n\n"))).toBe("Quoll: Three.\n");
  expect(take(delta("Four.\n\n"))).toBe("Four.\n");
});

test("a line fills its rows with whole words, but not on a dumb terminal", () => {
  const answer = [delta("An answer that is longer than a row of the window.\n\n")];
  expect(stage({ columns: 40 }).take(...answer)).toBe("Quoll: An answer that is longer than a  row of the window.\n");
  const dumb = stage({ columns: 40, editsLines: false });
  expect(dumb.take(...answer)).toBe("Quoll: An answer that is longer than a row of the window.\n");
});

test("the result of a long call names it by its first words", () => {
  const { take, change } = stage();
  take(started("a", "Bash", `cd src/faces && ${"npm test && ".repeat(9)}npm run build`));
  change({ nowMs: 10_000 });
  expect(take(finished("a", "done"))).toBe(
    "Result of run cd src/faces && npm test && npm test && npm test && …: done\n",
  );
});

test("the result of a call whose only word is long names it by the beginning of the word", () => {
  const { take, change } = stage();
  take(started("a", "Bash", `packages/frontend/scripts/components/settings/${"check".repeat(5)}.sh`));
  change({ nowMs: 10_000 });
  expect(take(finished("a", "done"))).toBe(
    "Result of run packages/frontend/scripts/components/settings/checkchec…: done\n",
  );
});

test("work that tells something is not reported beside it", () => {
  const { take, change } = stage();
  take(delta("One.\n\n"));
  change({ nowMs: 8_000 });
  take(delta("Two.\n\n"));
  expect(change({ nowMs: 17_000 })).toBe("");
  expect(change({ nowMs: 18_000 })).toMatch(/^Working: /);
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
  expect(list("a", "in_progress")).toBe("Result: 2 steps\nResult: started: Find it\nResult: added: Fix it\n");
  expect(list("b", "completed")).toBe("Result: 1 of 2 done\nResult: done: Find it\n");
});

test("each line of an error begins with its role", () => {
  const { take } = stage();
  take(started("a", "Glob", "src"));
  const content = "No such folder: lib\nFolders here: src, docs";
  const result = { type: "tool_result", toolUseId: "a", content, isError: true } as const;
  expect(take({ type: "tool_finished", result, durationMs: 1 })).toBe(
    "Error: No such folder: lib\nError: Folders here: src, docs\n",
  );
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

test("long work is reported after ten seconds and then every 30, and not while a question waits", () => {
  const { take, change } = stage();
  take(started("a", "Bash", "npm test"));
  const at = (nowMs: number) => change({ nowMs });
  expect([at(1_000), at(9_000)]).toEqual(["", ""]);
  expect(at(10_000)).toMatch(/^Working: running npm test, .*\.\n$/);
  expect([at(11_000), at(39_000)]).toEqual(["", ""]);
  expect(at(40_000)).toMatch(/^Working: /);
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
    "Result: a.ts, 1 added, 1 removed\nFrom line 3:\nRemoved: old\nAdded: new\nAdded: blank\n same\n",
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
  expect(colours("blue")).toMatch(
    /^\nQuestion: Colours, 3 choices\.\n1: red\n2, current: blue\nType .*\nThe other choices .*\nChoose: $/,
  );
});

test("an open list that gets more choices keeps its numbers, and tells only what is new", () => {
  const { change } = stage();
  const colours = (...labels: readonly string[]) => {
    const choices = labels.map((label) => ({ label, detail: "", input: `/took ${label}` }));
    return change({ ui: { ...emptyUi, picker: openPicker({ title: "Colours", choices }) } });
  };
  expect(colours("red", "blue")).toContain("Question: Colours, 2 choices.\n1: red\n2: blue\n");
  expect(colours("green", "red", "blue")).toMatch(
    /^\nQuestion: Colours, 3 choices\.\n3: green\nType .*\nThe other choices .*\nChoose: $/,
  );
  expect(colours("red", "blue")).not.toContain("1: red");
});

test("the whole list after a search tells only that its choices are as before", () => {
  const { change, line } = stage();
  const choices = ["red", "blue", "dark blue"].map((label) => ({ label, detail: "", input: `/took ${label}` }));
  change({ isBusy: false });
  change({ ui: { ...emptyUi, picker: openPicker({ title: "Colours", choices }) } });
  line("ue");
  expect(change({})).toContain("1: blue\n2: dark blue\n");
  line("");
  expect(change({})).toMatch(/^Question: Colours, 3 choices\.\nType .*\nThe other choices .*\nChoose: $/);
});

test("the prompt after a command waits for its first line, and then a moment", () => {
  const { change, line, add } = stage();
  change({ isBusy: false });
  line("/models");
  expect(change({ nowMs: 1_000 })).toBe("");
  expect(add({ kind: "answer", command: "models", lines: ["Three models."] })).toBe("Result: Three models.\n");
  expect(change({ nowMs: 1_200 })).toBe("You: ");
  line("/nothing");
  expect(change({ nowMs: 3_300 })).toBe("You: ");
});

test("a line that waits in the queue is not repeated, until nothing runs", () => {
  const { change } = stage();
  const waits = { id: "1", shown: "also this", pastes: new Map(), when: "steer" } as const;
  expect(change({ ui: { ...emptyUi, queue: [waits] } })).toBe(
    "Notice: queued, 1 waiting. Quoll reads it at its next step.\n",
  );
  expect(change({ isBusy: false })).toContain("Notice: queued, 1 waiting: also this. Enter alone sends it.\n");
});

test("a list with equal choices is told once, and each has a number", () => {
  const { change } = stage();
  // A rule of two files that can't be changed.
  const choices = ["red", "red", "blue"].map((label) => ({ label, detail: "", input: "/rules" }));
  const list = () => change({ ui: { ...emptyUi, picker: openPicker({ title: "Rules", choices }) } });
  expect(list()).toContain("Question: Rules, 3 choices.\n1: red\n2: red\n3: blue\n");
  expect(list()).toBe("");
});

test("the next page of a list continues the numbers of the first, also if the list got more choices", () => {
  const { change, line } = stage();
  const list = (from: number) => {
    const choices = Array.from({ length: 25 - from }, (_, at) => ({
      label: `n${from + at}`,
      detail: "",
      input: `/${from + at}`,
    }));
    return change({ ui: { ...emptyUi, picker: openPicker({ title: "Numbers", choices }) } });
  };
  expect(list(1)).toContain("\n20: n20\n");
  expect(list(0)).not.toContain("n0");
  line("more");
  expect(change({})).toMatch(/choices\.\n21: n21\n22: n22\n23: n23\n24: n24\n25: n0\nType /);
});

test("the word again tells a list once more, and so does the command that opens it", () => {
  const { change, line } = stage();
  const choices = ["red", "blue"].map((label) => ({ label, detail: "", input: `/took ${label}` }));
  const list = () => change({ ui: { ...emptyUi, picker: openPicker({ title: "Colours", choices }) } });
  change({ isBusy: false });
  expect(list()).toContain("\n1: red\n2: blue\n");
  line("again");
  expect(change({})).toContain("Question: Colours, 2 choices.\n1: red\n2: blue\n");
  expect(line("")).toContain("Notice: Closed.\n");
  change({ ui: emptyUi });
  line("/colours");
  expect(list()).toContain("\n1: red\n2: blue\n");
});

test("a list that numbers its choices itself is told with one number, and counts of lines in words", () => {
  const { change } = stage();
  const choices = ["1", "2"].map((label) => ({
    label,
    detail: `prompt ${label}`,
    second: "1 file +3 −1",
    input: label,
  }));
  const told = change({ ui: { ...emptyUi, picker: openPicker({ title: "Prompts", choices }) } });
  expect(told).toContain("\n1: prompt 1, 1 file, 3 added, 1 removed\n2: prompt 2, ");
});

test("of a resumed conversation, the last three prompts are told", () => {
  const prompts = (count: number) => {
    const { change } = stage();
    const rows = Array.from({ length: count }, (_, at): FaceRow => ({ kind: "user", text: `prompt ${at + 1}` }));
    return change({ isBusy: false, isResumed: true, transcript: rows.reduce(addRow, emptyTranscript) });
  };
  expect(prompts(2)).toBe("Notice: resumed after 2 prompts.\nYou: prompt 1\nYou: prompt 2\nYou: ");
  expect(prompts(5)).toBe(
    "Notice: resumed after 5 prompts, 2 earlier left out: /transcript all tells the whole conversation.\nYou: prompt 3\nYou: prompt 4\nYou: prompt 5\nYou: ",
  );
});

test("a line that is no answer to the question about trust says what answers", () => {
  const options = ["1", "2", "3", "esc"].map((key) => ({ key, label: key, answer: key, isYes: true }));
  expect(unusedAnswerLine(options)).toBe("Notice: Type 1, 2 or 3, then enter.");
  expect(unusedAnswerLine(options, "kept")).toContain("waits for the prompt. Type 1");
  expect(unusedAnswerLine(options, "dropped")).toContain("is no answer. Type 1");
});

test("the line that changes the mode is not told again", () => {
  const { change, line, add } = stage();
  change({ isBusy: false, session: { ...SESSION, model: "sonnet" } });
  line("/plan");
  change({ session: { ...SESSION, model: "sonnet", mode: "plan" } });
  expect(add({ kind: "user", text: "/plan" })).not.toContain("/plan");
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

test("a burst of pasted lines is text without carriage returns", () => {
  const { change, press } = stage();
  change({ isBusy: false });
  expect(press("one\rtwo\rthree\r").printed).toBe("one⏎two⏎three");
  expect(press("\r").pressed).toEqual({ does: "line", text: "one\ntwo\nthree" });
});

test.each([
  ["○ Write the test", "open: Write the test"],
  ["~ a.ts +3 −1", "a.ts, 3 added, 1 removed"],
  ["2 files −4", "2 files, 4 removed"],
  ["9 s · ↓ 5 tok", "9 s, received 5 tok"],
  ["−5 °C", "minus 5 °C"],
])("%j is read as %j", (line, spoken) => {
  expect(spokenLine(line)).toBe(spoken);
});

test("a shortcut is named by its whole label or its key, that of a whole list without a number", () => {
  const { change } = stage();
  const choices = [{ label: "red", detail: "", input: "/took red" }];
  const shortcuts = [
    { letter: "s", label: "as default" },
    { letter: "delete", label: "deletes" },
    { letter: "e", label: "effort: high", input: "/effort" },
  ];
  const told = change({ ui: { ...emptyUi, picker: openPicker({ title: "Colours", choices, shortcuts }) } });
  expect(told).toContain('Also: "as default 1", "delete 1", "effort".');
});

test("a tab completes the only command, inserts what several share, and tells them when nothing can be inserted", () => {
  const { change, press, offer } = stage();
  const commands = ["model", "resume", "reset", "rewind"].map((name) => ({
    name,
    summary: `Does ${name}`,
    argumentHint: "",
  }));
  change({ isBusy: false });
  offer({ commands });
  expect(press("/mo\t").printed).toBe("/model ");
  press("\u0003");
  expect(press("/res\t").printed).toBe(
    "/res\nNotice: 2 choices for /res\n/resume: Does resume\n/reset: Does reset\nYou: /res",
  );
  press("\u0003");
  expect(press("/xyz\t").printed).toBe("/xyz\nNotice: nothing begins with /xyz.\nYou: /xyz");
});

const filesOf = (typed: string, ...paths: readonly string[]) => ({
  files: { typed, found: paths.map((path) => ({ path, marks: [] })) },
});

test("a tab completes the path after @ by the entries of its folder, as in a shell", () => {
  const { change, press, offer, searched } = stage();
  change({ isBusy: false });
  expect(press("see @sr\t").printed).toBe("see @sr");
  expect(searched).toEqual(["./sr"]);
  // The search also finds entries that do not begin so.
  expect(offer(filesOf("./sr", "./src/", "./users/"))).toBe("c/");
  expect(press("f\t").printed).toBe("f");
  expect(offer(filesOf("./src/f", "./src/faces/", "./src/fake.ts"))).toBe("a");
  expect(press("\t").printed).toBe("");
  expect(offer(filesOf("./src/fa", "./src/faces/", "./src/fake.ts"))).toBe(
    "\nNotice: 2 choices for @src/fa\n@src/faces/\n@src/fake.ts\nYou: see @src/fa",
  );
  expect(press("k\t").printed).toBe("k");
  expect(offer(filesOf("./src/fak", "./src/fake.ts"))).toBe("e.ts ");
});

test("a tab after a name that no entry of the folder begins with finds the file in other folders", () => {
  const { change, press, offer, searched } = stage();
  change({ isBusy: false });
  press("@cart\t");
  expect(offer(filesOf("./cart", "./discarted/"))).toBe("");
  expect(searched).toEqual(["./cart", "cart"]);
  // The list of a project's files comes in parts.
  expect(offer(filesOf("cart"))).toBe("");
  expect(offer(filesOf("cart", "src/cart.ts"))).toBe("");
  expect(change({ nowMs: 240 })).toBe("");
  expect(change({ nowMs: 250 })).toBe("\b\b\b\bsrc/cart.ts ");
});

test("a path with a blank is quoted, a whole path gets its blank, and a key ends the wait for a search", () => {
  const { change, press, offer } = stage();
  change({ isBusy: false });
  press("@a\t");
  expect(offer(filesOf("./a", "./a b.ts"))).toBe('\b"a b.ts" ');
  press("\u0003");
  press("@a.ts\t");
  expect(offer(filesOf("./a.ts", "./a.ts"))).toBe(" ");
  press("\u0003");
  press("@q\t!");
  expect(offer(filesOf("./q", "./quick.ts"))).toBe("");
});

test("of many choices, twenty are told", () => {
  const { change, press, offer } = stage();
  change({ isBusy: false });
  press("@\t");
  const printed = offer(filesOf("", ...Array.from({ length: 24 }, (_, at) => `${at}.ts`)));
  expect(printed).toContain("Notice: 24 choices for @\n@0.ts\n");
  expect(printed).toContain("\n@19.ts\n4 more. Type more letters, then tab.\nYou: @");
});

test("the person's own keys edit the line, change the mode and stop; a removed key does nothing", () => {
  const { change, press } = stage();
  const { keymap } = readKeybindings(
    JSON.stringify({
      bindings: [
        { context: "text", bindings: { "ctrl+q": "text.cutLineStart", "ctrl+u": null } },
        { context: "prompt", bindings: { f2: "prompt.nextMode", "ctrl+x ctrl+j": "prompt.submit" } },
        { context: "app", bindings: { f3: "turn.interrupt", f4: "app.leave" } },
        { context: "completion", bindings: { "ctrl+n": "menu.complete" } },
      ],
    }),
    "keybindings.json",
  );
  change({ isBusy: false, keymap });
  expect(press("one\u0015").printed).toBe("one");
  expect(press("\u0011").printed).toBe("\b\b\b   \b\b\b");
  expect(press("\u001bOQ").pressed).toEqual({ does: "act", action: "prompt.nextMode", key: "f2" });
  expect(press("two\u0018\u000a").pressed).toEqual({ does: "line", text: "two" });
  expect(press("\u001bOR").pressed).toEqual({ does: "nothing" });
  change({ isBusy: true });
  expect(press("\u001bOR").pressed).toEqual({ does: "stop" });
  change({ isBusy: false });
  expect(press("\u001bOS").pressed).toEqual({ does: "leave" });
  expect(press("a\u000e").printed).toContain("Notice: tab completes");
  const { printed } = press("\u0012");
  expect(printed).toBe("\nNotice: ctrl+r does nothing on the plain screen.\nYou: a");
});

test("/keys tells the person's own keys that count on a plain screen", () => {
  const { keymap } = readKeybindings(
    JSON.stringify({
      bindings: [{ context: "prompt", bindings: { f2: "prompt.nextMode", f5: "prompt.stash", "alt+p": null } }],
    }),
    "keybindings.json",
  );
  const lines = keyLines(keymap);
  expect(lines).toContain("f2, your own: next mode: default, acceptEdits, plan, auto");
  expect(lines).toContain("alt+p, removed by you: opens the list of models");
  expect(lines.join("\n")).not.toContain("f5");
});

test("the draft opens in the editor, and is then told as the prompt's text", () => {
  const { change, press } = stage();
  change({ isBusy: false });
  expect(press("draft\u0007")).toEqual({ pressed: { does: "editor", text: "draft" }, printed: "draft\n" });
  expect(change({ ui: { ...emptyUi, editor: editorWith("longer") } })).toBe(
    "Notice: in the prompt: longer. Enter alone sends it, other words replace it.\nYou: ",
  );
});

test("the model and the mode are told when they are known, and when they change", () => {
  const { change } = stage();
  const told = "Notice: model sonnet, permission mode default.\n";
  expect(change({ session: { ...SESSION, model: "sonnet" } })).toBe(told);
  expect(change({ session: { ...SESSION, model: "sonnet", busy: true } })).toBe("");
  expect(change({ session: { ...SESSION, model: "sonnet", mode: "plan" } })).toBe(
    "Notice: permission mode plan: nothing is changed before you agree to a plan.\n",
  );
});

test("after another program had the terminal, the prompt and the draft stand again", () => {
  const { change, press, end } = stage();
  change({ isBusy: false });
  press("draft");
  end();
  expect(change({ nowMs: 2_000 })).toBe("You: draft");
});
