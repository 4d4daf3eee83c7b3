import { expect, test } from "bun:test";
import type { Choice } from "../../../../src/contracts/command-result.ts";
import type { Question } from "../../../../src/contracts/question.ts";
import { setText } from "../../../../src/faces/repl/editor/editor-state.ts";
import { DEFAULT_KEYMAP } from "../../../../src/faces/repl/keymap/keymap.ts";
import { askedLayer } from "../../../../src/faces/repl/layers/asked-layer.ts";
import { openPicker } from "../../../../src/faces/repl/layers/picker.ts";
import { COMMANDS_WAIT } from "../../../../src/faces/repl/layers/question.ts";
import { syncQuestion } from "../../../../src/faces/repl/layers/sync-question.ts";
import { type Effect, emptyUi, NO_PREVIEW, type Ui } from "../../../../src/faces/repl/layers/ui-state.ts";
import { type TakenLine, takeLine } from "../../../../src/faces/repl/plain/take-line.ts";
import { ESCAPE } from "../../../../src/faces/repl/plain/typed-lines.ts";

const CHOICES: readonly Choice[] = ["red", "blue", "light blue"].map((label) => ({
  label,
  detail: "",
  input: `/took ${label}`,
}));
const CONTEXT = {
  isBusy: false,
  isStopping: false,
  nowMs: 10_000,
  columns: 40,
  commands: [],
  mode: "default" as const,
  modes: ["default" as const],
  preview: NO_PREVIEW,
  canEdit: false,
  questionCount: 1,
  keymap: DEFAULT_KEYMAP,
  from: 0,
  told: CHOICES,
  askedLayer,
};
const HEAD = { id: "q", agentId: "main", parentAgentId: null, title: "Run this command?" };
const RUN: Question = {
  ...HEAD,
  body: {
    kind: "permission",
    call: { toolUseId: "t", toolName: "Bash" },
    preview: { kind: "command", command: "ls", description: "", unclear: [] },
    reason: "No rule allows it.",
    suggestions: [],
    sessionRules: [],
  },
};
const hunk = (line: number) => ({
  oldStart: line,
  newStart: line,
  lines: [{ kind: "added" as const, text: `line ${line}` }],
});
const CHANGE: Question = {
  ...HEAD,
  body: {
    ...(RUN.body as Extract<Question["body"], { kind: "permission" }>),
    preview: { kind: "diff", path: "a.ts", isNew: false, hunks: [hunk(1), hunk(20), hunk(40)] },
  },
};
const DANGEROUS: Question = {
  ...RUN,
  body: { ...(RUN.body as Extract<Question["body"], { kind: "permission" }>), hazards: ["deletes files"] },
};

const PLAN: Question = {
  ...HEAD,
  body: {
    kind: "plan",
    call: { toolUseId: "t", toolName: "ExitPlanMode" },
    preview: { kind: "text", text: "1. Look" },
    reason: "",
    rules: [],
  },
};
const PORT: Question = {
  ...HEAD,
  body: { kind: "port", preview: { kind: "text", text: "8080" }, reason: "A server listens." },
};

const asking = (question: Question) => syncQuestion(emptyUi, [question], 0);
const reply = (decision: object): readonly Effect[] => [{ type: "answer", id: "q", reply: decision } as Effect];

test.each<[string, Question, string, readonly Effect[]]>([
  ["a number chooses its answer", RUN, "1", reply({ decision: "once" })],
  ["a label chooses its answer", PLAN, "yes, and accept edits", reply({ decision: "session" })],
  ["yes says yes", RUN, "yes", reply({ decision: "once" })],
  ["n says no", RUN, "n", reply({ decision: "reject" })],
  ["enter alone takes the first choice", RUN, "", reply({ decision: "once" })],
  ["enter alone takes the first choice of a question without words", PORT, "", reply({ decision: "once" })],
  ["words do not answer a question without words", PORT, "why?", []],
  ["enter alone does not allow a dangerous command", DANGEROUS, "", []],
  [
    "a number with words says yes with the words",
    RUN,
    "1, but then lint",
    reply({ decision: "once", message: "then lint" }),
  ],
  [
    "words after the number of a no are a reason",
    RUN,
    "2, but why",
    reply({ decision: "reject", message: "2, but why" }),
  ],
  ["a number without a comma is a reason", RUN, "1 but lint", reply({ decision: "reject", message: "1 but lint" })],
  [
    "yes with words is a reason, since it may mean another command",
    RUN,
    "yes, but use bun",
    reply({ decision: "reject", message: "yes, but use bun" }),
  ],
  ["explain answers nothing", RUN, "explain", []],
  ["yes does not allow a dangerous command", DANGEROUS, "yes", []],
  ["words say no with the reason", RUN, "use bun", reply({ decision: "reject", message: "use bun" })],
  ["a number without an answer does nothing", RUN, "7", []],
  ["a question mark does not answer", RUN, "?", []],
  ["a number with a sign does not answer", RUN, "2.", []],
  ["a command does not answer", RUN, "/cost", []],
  ["escape says no", RUN, ESCAPE, reply({ decision: "reject" })],
  ["parts of a change are taken by number", CHANGE, "take 1 3", reply({ decision: "once", hunks: [0, 2] })],
  ["a part that does not exist is no part", CHANGE, "take 4", reply({ decision: "reject", message: "take 4" })],
])("at a question, %s", (_, question, line, effects) => {
  expect(takeLine(asking(question), line, CONTEXT).effects).toEqual([...effects]);
});

test("a line that cannot answer says what can", () => {
  for (const line of ["7", "?", "2)", "1 2", "/cost"])
    expect(takeLine(asking(RUN), line, CONTEXT).says).toContain("from 1 to 2");
  expect(takeLine(asking(DANGEROUS), "yes", CONTEXT).says).toContain("by its number");
});

test("a command is no reason of a no either", () => {
  const commands = [{ name: "cost", summary: "", argumentHint: "" }];
  const typing = takeLine(asking(RUN), "2", CONTEXT).ui;
  expect(takeLine(typing, "/cost", { ...CONTEXT, commands })).toMatchObject({ effects: [], says: COMMANDS_WAIT });
  expect(takeLine(typing, "/tmp", { ...CONTEXT, commands }).effects).toEqual(
    reply({ decision: "reject", message: "/tmp" }),
  );
});

test("a line from before the question is readable does not answer it", () => {
  const ui: Ui = { ...asking(RUN), asking: { ...asking(RUN).asking, guardedUntil: 11_000 } as Ui["asking"] };
  expect(takeLine(ui, "1", CONTEXT)).toMatchObject({ effects: [], says: expect.stringContaining("no answer") });
});

const list = (): Ui => ({ ...emptyUi, picker: openPicker({ title: "Colours", choices: CHOICES }) });
const submits = (text: string) => [expect.objectContaining({ type: "submit", text })];

test.each<[string, string, unknown]>([
  ["a number chooses", "2", submits("/took blue")],
  ["a whole label chooses, before others that contain it", "blue", submits("/took blue")],
  ["a command closes the list and runs", "/cost", submits("/cost")],
  ["enter alone closes the list", "", []],
])("in a list, %s", (_, line, effects) => {
  const taken = takeLine(list(), line, CONTEXT);
  expect(taken.effects as unknown).toEqual(effects);
  expect(taken.ui.picker).toBeUndefined();
});

test("in a list, words narrow the choices, and words without a match leave them", () => {
  expect(takeLine(list(), "blu", CONTEXT).ui.picker?.filter).toBe("blu");
  expect(takeLine(list(), "green", CONTEXT)).toMatchObject({
    ui: { picker: { filter: "" } },
    says: "No choice matches green.",
  });
});

test.each(["delete 2", "as default 2", "DELETE 2"])(
  "the words of a shortcut act on the numbered choice: %s",
  (line) => {
    const shortcuts = [
      { letter: "s", label: "as default" },
      { letter: "delete", label: "deletes" },
    ];
    const also = { s: "/took as default", delete: "/took deleted" };
    const choices = CHOICES.map((choice) => ({ ...choice, also }));
    const ui = { ...emptyUi, picker: openPicker({ title: "Colours", choices, shortcuts }) };
    const text = line.startsWith("as") ? also.s : also.delete;
    expect(takeLine(ui, line, { ...CONTEXT, told: choices }).effects).toMatchObject([{ type: "submit", text }]);
  },
);

test("a number means the choice that was told, although the list has grown since", () => {
  const grown = [{ label: "green", detail: "", input: "/took green" }, ...CHOICES];
  const ui = { ...emptyUi, picker: openPicker({ title: "Colours", choices: grown }) };
  expect(takeLine(ui, "1", CONTEXT).effects as unknown).toEqual(submits("/took red"));
});

test("more tells the next page, and at the end that there is none", () => {
  const many = Array.from({ length: 30 }, (_, at) => ({ label: `c${at}`, detail: "", input: `/c ${at}` }));
  const ui = { ...emptyUi, picker: openPicker({ title: "Many", choices: many }) };
  expect(takeLine(ui, "more", CONTEXT).from).toBe(20);
  expect(takeLine(ui, "more", { ...CONTEXT, from: 20 }).says).toContain("no more");
});

test("a field takes the line, keeps its value at enter alone, and is left by a word", () => {
  const ui: Ui = { ...emptyUi, hidden: { title: "Name", text: "old", isShown: true } };
  const value = (line: string) => takeLine(ui, line, CONTEXT).effects;
  expect(value("new")).toEqual([{ type: "hidden", text: "new" }]);
  expect(value("")).toEqual([{ type: "hidden", text: "old" }]);
  expect(value("cancel")).toEqual([{ type: "hidden", text: undefined }]);
});

test("items are marked by number, and enter alone sends the marks", () => {
  const rows = ["a", "b"].map((id) => ({ id, line: `    ${id}`, keys: { d: "drop" } }));
  const heading = { id: "h", line: "Messages", keys: {} };
  const marking = { title: "Context", lines: [], rows: [heading, ...rows], input: "/context", accepts: "tells" };
  const ui: Ui = { ...emptyUi, marking: { ...marking, index: 1, isMoved: false, marks: {}, isSent: false } };
  const marked = takeLine(ui, "drop 2", CONTEXT).ui;
  expect(takeLine(marked, "", CONTEXT).effects as unknown).toEqual(submits("/context drop b"));
  expect(takeLine(ui, "keep 1", CONTEXT).says).toContain("a word of the list");
});

test("a prompt continues after a backslash, and a draft of a command is sent by enter alone", () => {
  const first = takeLine(emptyUi, "one\\", CONTEXT).ui;
  expect(takeLine(first, "two", CONTEXT).effects as unknown).toEqual(submits("one\ntwo"));
  const ui: Ui = { ...emptyUi, editor: setText(emptyUi.editor, "/review ") };
  expect(takeLine(ui, "", CONTEXT).effects as unknown).toEqual(submits("/review "));
  expect(takeLine(ui, "else", CONTEXT).effects as unknown).toEqual(submits("else"));
});

test("escape stops a running turn, and at rest does nothing", () => {
  expect(takeLine(emptyUi, ESCAPE, { ...CONTEXT, isBusy: true }).effects).toEqual([{ type: "interrupt" }]);
  expect(takeLine(emptyUi, ESCAPE, CONTEXT).effects).toEqual([]);
});

const option = (label: string) => ({ label, description: "" });
const asked = (header: string, isMultiple: boolean) => ({
  question: `${header}?`,
  header,
  isMultiple,
  options: [option("one"), option("two")],
});
const CHOICE: Question = {
  ...HEAD,
  body: { kind: "choice", call: { toolUseId: "t", toolName: "AskUserQuestion" }, questions: [asked("Single", false)] },
};
const CHOICE_OF_MANY: Question = {
  ...HEAD,
  body: { kind: "choice", call: { toolUseId: "t", toolName: "AskUserQuestion" }, questions: [asked("Many", true)] },
};
const taken = (question: Question, ...lines: readonly string[]) =>
  lines.reduce<TakenLine>((before, line) => takeLine(before.ui, line, CONTEXT), { ui: asking(question), effects: [] });

test("at the model's questions, a number that no option has and an empty line choose nothing, and say so", () => {
  for (const line of ["9", "0", "", "1 2"]) {
    const { effects, says } = taken(CHOICE, line);
    expect({ line, effects, says }).toEqual({ line, effects: [], says: expect.stringContaining("from 1 to 4") });
  }
});

test("at the model's questions, numbers, labels and own words answer", () => {
  const answerOf = (question: Question, ...lines: readonly string[]) =>
    JSON.stringify(taken(question, ...lines).effects);
  expect(answerOf(CHOICE, "2")).toContain('"two"');
  expect(answerOf(CHOICE, "Two")).toContain('"two"');
  expect(answerOf(CHOICE, "neither")).toContain('"neither"');
  const commands = [{ name: "cost", summary: "", argumentHint: "" }];
  const waits = takeLine(taken(CHOICE, "3").ui, "/cost", { ...CONTEXT, commands });
  expect(waits).toMatchObject({ effects: [], says: COMMANDS_WAIT });
  expect(answerOf(CHOICE, "3", "neither")).toContain('"neither"');
  expect(answerOf(CHOICE_OF_MANY, "1, 2")).toMatch(/"one".*"two"/);
});

test("a yes is repeated in words, a closed list and a cancelled field are told", () => {
  expect(takeLine(asking(RUN), "1", CONTEXT).says).toBe("You said: Yes.");
  expect(takeLine(asking(RUN), "", CONTEXT).says).toBe("You said: Yes.");
  expect(takeLine(asking(RUN), "not now", CONTEXT).says).toBeUndefined();
  const picker = openPicker({ title: "Colours", choices: CHOICES });
  expect(takeLine({ ...emptyUi, picker }, ESCAPE, CONTEXT).says).toBe("Closed.");
  const nothing = openPicker({ title: "b1 is open", choices: [{ label: "Let it continue", detail: "", input: "" }] });
  const told = { ...CONTEXT, told: nothing.choices };
  expect(takeLine({ ...emptyUi, picker: nothing }, "1", told).says).toBe("You chose: Let it continue.");
  const hidden = { title: "Name", text: "", isShown: true };
  expect(takeLine({ ...emptyUi, hidden }, "cancel", CONTEXT).says).toBe("Closed.");
  expect(takeLine({ ...emptyUi, hidden }, "", CONTEXT)).toMatchObject({
    effects: [],
    says: expect.stringContaining("Nothing was typed"),
  });
});

test("escape clears the lines of a prompt that continues", () => {
  const { ui, says } = takeLine(takeLine(emptyUi, "one \\", CONTEXT).ui, ESCAPE, CONTEXT);
  expect(ui.editor.text).toBe("");
  expect(says).toContain("cleared");
});
