import type { Choice } from "../../../contracts/command-result.ts";
import { parseCommand } from "../../../protocol/commands/slash-commands.ts";
import { emptyEditor, insertText, setText } from "../editor/editor-state.ts";
import { type KeyEvent, type KeyName, key } from "../input/decode-keys.ts";
import { DEFAULT_KEYMAP } from "../keymap/keymap.ts";
import { REVIEW_ROWS, rowsOf, shownQuestion } from "../layers/choice.ts";
import { isExitWord, leaveByWord } from "../layers/exit-word.ts";
import { handleKey, type StackContext } from "../layers/layer-stack.ts";
import { type Asking, type Choosing, isChoosing } from "../layers/open-question.ts";
import { shownChoices } from "../layers/picker.ts";
import { changeDraft, sendText } from "../layers/prompt-layer.ts";
import { beginsWords, COMMANDS_WAIT, changedQuestion, isGuarded, isHeld, namesCommand } from "../layers/question.ts";
import { meansNo, meansYes, questionOptions, typedYes } from "../layers/question-options.ts";
import { type FieldInput, type Handled, type Marking, type Picker, stay, type Ui } from "../layers/ui-state.ts";
import { revealLine } from "../view/reveal.ts";
import { isMarkable, isSameChoice, PAGE_CHOICES, shortcutWords } from "./plain-lists.ts";
import { spokenLine } from "./spoken-text.ts";
import { ESCAPE } from "./typed-lines.ts";

type Context = StackContext & {
  /** The first told choice of the open list. */
  readonly from: number;
  /** The choices of the open list as they were told: a number means one of them, even if the list changed since. */
  readonly told: readonly Choice[];
};

/** Takes a whole line that the person typed, or the lines of a paste: the answer to what was asked, or an input. Pure, like `handleKey`. */
export function takeLine(ui: Ui, line: string, given: Context): TakenLine {
  // The person's own bindings are for single keys.
  const context: Context = { ...given, keymap: DEFAULT_KEYMAP };
  const { asking, hidden, picker, marking } = ui;
  const isOpen = context.nowMs >= ui.heldUntil;
  if (line === ESCAPE) return goBack(ui, context);
  if (hidden && isOpen) return takeField(ui, hidden, line, context);
  if (asking && !isHeld(ui, context.nowMs)) {
    if (isGuarded(ui, context) && asking.openedBy === undefined)
      return { ...stay(ui), says: "That line came before the question, so it is no answer." };
    return isChoosing(asking) ? takeChoice(ui, asking, line, context) : answer(ui, asking, line.trim(), context);
  }
  if (picker && isOpen) return choose(ui, picker, line.trim(), context);
  if (marking && isOpen) return mark(ui, marking, line.trim(), context);
  return sendPrompt(ui, line, context);
}

/** Escape goes back from what is open, or stops the turn. */
function goBack(ui: Ui, context: Context): TakenLine {
  if (ui.asking || isListed(ui)) return closed(ui, pressed(ui, context, key("escape")));
  if (ui.editor.text.endsWith("\n"))
    return { ...stay({ ...ui, editor: emptyEditor }), says: "The lines so far are cleared." };
  return context.isBusy || context.isOperating ? { ui, effects: [{ type: "interrupt" }] } : stay(ui);
}

function isListed({ hidden, picker, marking }: Ui): boolean {
  return hidden !== undefined || picker !== undefined || marking !== undefined;
}

/** Says that a list or a field is closed, if nothing else tells it. */
function closed(before: Ui, handled: Handled): TakenLine {
  const isSilent = handled.effects.every((effect) => effect.type === "hidden" && effect.text === undefined);
  return isSilent && isListed(before) && !isListed(handled.ui) ? { ...handled, says: "Closed." } : handled;
}

function answer(ui: Ui, asking: Asking, line: string, context: Context): TakenLine {
  if (asking.why) return reason(ui, asking, line, context);
  const options = questionOptions(asking);
  const number = (of: string) => told(pressed(ui, context, text(of)), options, of);
  const word = line.toLowerCase();
  const hint = `Type a number from 1 to ${options.length}, then enter.`;
  // A label may begin with the same word.
  if (meansYes(line)) {
    const yes = typedYes(asking, context.preview.isSeen);
    return yes ? number(yes.key) : { ...stay(ui), says: `A yes must be chosen here by its number. ${hint}` };
  }
  const option = options.find(({ key: number, label }) => number === line || label.toLowerCase() === word);
  if (option) return number(option.key);
  if (line === "") return told(pressed(ui, context, key("enter")), options, asking.choice);
  if (meansNo(line) && asking.question.body.kind !== "form") return number("0");
  if (word === "explain" && asking.question.body.kind === "permission")
    return pressed(ui, context, key("char", { char: "e", ctrl: true }));
  const numbered = /^(\d), but\s+(\S.*)$/i.exec(line);
  const named = options.find(({ key, isYes }) => key === numbered?.[1] && isYes);
  if (named && numbered) return wordsWith(ui, asking, { key: named.key, words: numbered[2] ?? "" }, context);
  const parts = asking.marks && takenParts(word, asking.marks.count);
  if (parts && asking.marks) {
    const left = new Set(Array.from({ length: asking.marks.count }, (_, at) => at).filter((at) => !parts.includes(at)));
    return pressed(changedQuestion(ui, { marks: { ...asking.marks, left } }), context, text("1"));
  }
  const takesWords = options.some(({ reply }) => reply === "say why");
  // A question takes only letters as words: after other signs, such as `?` or `2.`, Enter would accept the first answer.
  if (!takesWords || !beginsWords(line)) return { ...stay(ui), says: hint };
  if (parseCommand(line)) return { ...stay(ui), says: `${COMMANDS_WAIT} ${hint}` };
  return pressed(ui, context, text(line), key("enter"));
}

/** Repeats a yes in words, because its effect may take long, and a wrong number is noticed at once. */
function told(handled: Handled, options: ReturnType<typeof questionOptions>, chosen: string): TakenLine {
  const option = options.find(({ key: number, isYes }) => number === chosen && isYes);
  const isAnswer = handled.effects.some(({ type }) => type === "answer");
  return option && isAnswer ? { ...handled, says: `You said: ${revealLine(option.label)}.` } : handled;
}

/** The parts of a change in `take 1 3`, from 0. */
function takenParts(word: string, count: number): readonly number[] | undefined {
  const numbers = /^take((?:[ ,]+\d+)+)$/
    .exec(word)?.[1]
    ?.match(/\d+/g)
    ?.map((part) => Number(part) - 1);
  return numbers?.every((at) => at >= 0 && at < count) ? numbers : undefined;
}

/** Gives an answer with words for the model. */
function wordsWith(
  ui: Ui,
  { choice }: Asking,
  { key: chosen, words }: { readonly key: string; readonly words: string },
  context: Context,
): TakenLine {
  const why = setText(emptyEditor, words);
  const typing = changedQuestion(ui, { choice: chosen, choiceBefore: choice, isMoved: true, why });
  return pressed(typing, context, key("enter"));
}

function reason(ui: Ui, asking: Asking, line: string, context: Context): TakenLine {
  const isCommand = asking.question.body.kind !== "form" && namesCommand(line, context);
  if (isCommand) return { ...stay(ui), says: COMMANDS_WAIT };
  return pressed(changedQuestion(ui, { why: setText(emptyEditor, line) }), context, key("enter"));
}

function choose(ui: Ui, picker: Picker, line: string, context: Context): TakenLine {
  const found = shownChoices(picker);
  const accept = (index: number) =>
    chosen(ui, found[index], pressed({ ...ui, picker: { ...picker, index } }, context, key("enter")));
  if (line === "") return closed(ui, pressed(ui, context, key("escape")));
  const number = /^\d+$/.test(line) ? Number(line) : undefined;
  const numbered = (of: number) => {
    const told = context.told[of - 1];
    return told ? found.findIndex((one) => isSameChoice(one, told)) : -1;
  };
  const at = number === undefined ? -1 : numbered(number);
  if (at >= 0) return accept(at);
  const named = found.findIndex(({ label }) => label.trim().toLowerCase() === line.toLowerCase());
  if (named >= 0) return accept(named);
  const shortcut = shortcutOf(picker, line, numbered);
  if (shortcut) return pressed({ ...ui, picker: { ...picker, index: shortcut.index } }, context, shortcut.key);
  const next = context.from + PAGE_CHOICES;
  if (line.toLowerCase() === "more") return next < found.length ? { ...stay(ui), from: next } : noMore(ui);
  if (parseCommand(line)) return sendPrompt({ ...ui, picker: undefined, marking: undefined }, line, context);
  if (number !== undefined || picker.isYesNo || picker.isScale)
    return { ...stay(ui), says: `Type a number from 1 to ${found.length}, then enter.` };
  const narrowed = { ...picker, filter: line, index: 0 };
  if (shownChoices(narrowed).length === 0) return { ...stay(ui), says: `No choice matches ${line}.` };
  return stay({ ...ui, picker: narrowed });
}

/** Names a choice that only closes its list. */
function chosen(before: Ui, choice: Choice | undefined, handled: Handled): TakenLine {
  const isSilent = choice && handled.effects.length === 0 && !isListed(handled.ui);
  const isDraft = handled.ui.editor.text !== before.editor.text;
  return isSilent && !isDraft ? { ...handled, says: `You chose: ${spokenLine(choice.label)}.` } : handled;
}

function noMore(ui: Ui): TakenLine {
  return { ...stay(ui), says: "There are no more choices." };
}

/** The words of a shortcut with the number of a choice: `rename 2`. */
function shortcutOf({ shortcuts = [] }: Picker, line: string, numbered: (of: number) => number) {
  const [, words = "", number = "1"] = /^(.+?)(?: +(\d+))?$/.exec(line.toLowerCase()) ?? [];
  const found = shortcuts.find((shortcut) => shortcutWords(shortcut).toLowerCase() === words);
  const index = numbered(Number(number));
  if (!found || index < 0) return undefined;
  const { letter } = found;
  return { index, key: letter.length === 1 ? key("char", { char: letter, ctrl: true }) : key(letter as KeyName) };
}

/** `drop 1 3`: marks these rows; Enter alone sends the marks. */
function mark(ui: Ui, marking: Marking, line: string, context: Context): TakenLine {
  if (line === "") return closed(ui, pressed(ui, context, key(hasMarks(marking) ? "enter" : "escape")));
  if (parseCommand(line)) return sendPrompt({ ...ui, marking: undefined }, line, context);
  const [verb = "", ...numbers] = line.toLowerCase().split(/[ ,]+/);
  const rows = marking.rows.filter(isMarkable);
  const chosen = numbers.map((number) => rows[Number(number) - 1]);
  const isUsable = chosen.length > 0 && chosen.every((row) => row && Object.values(row.keys).includes(verb));
  if (!isUsable) return { ...stay(ui), says: "Type a word of the list and numbers, then enter." };
  const marks = { ...marking.marks, ...Object.fromEntries(chosen.map((row) => [row?.id ?? "", verb])) };
  return {
    ...stay({ ...ui, marking: { ...marking, marks } }),
    says: 'Marked. Enter alone sends the marks, "cancel" closes.',
  };
}

function hasMarks({ marks, needsNoMark }: Marking): boolean {
  return needsNoMark === true || Object.keys(marks).length > 0;
}

function takeField(ui: Ui, hidden: FieldInput, line: string, context: Context): TakenLine {
  if (line.trim().toLowerCase() === "cancel") return closed(ui, pressed(ui, context, key("escape")));
  const { mark: _, ...field } = hidden;
  if (line === "" && hidden.text === "" && !hidden.canBeEmpty)
    return { ...stay(ui), says: 'Nothing was typed. Type a value, or "cancel", then enter.' };
  const filled = line === "" ? field : { ...field, text: line.replaceAll("\n", " ") };
  return pressed({ ...ui, hidden: filled }, context, key("enter"));
}

/** A line that ends with `\` continues in the next line. Enter alone sends a draft that a command made. */
function sendPrompt(ui: Ui, line: string, context: Context): TakenLine {
  const { editor } = ui;
  const isContinued = editor.text.endsWith("\n");
  const whole = isContinued || line === "" ? editor.text + line : line;
  if (line.endsWith("\\")) {
    const draft = insertText(emptyEditor, `${whole.slice(0, -1)}\n`);
    return stay(changeDraft(ui, draft, context.nowMs));
  }
  if (whole.trim() === "") {
    const sends = !context.isBusy && ui.queue.length > 0;
    return { ui, effects: sends ? [{ type: "take_queued" }] : [] };
  }
  if (isExitWord(whole)) return leaveByWord({ ...ui, editor: setText(editor, whole) }, context);
  return sendText({ ...ui, editor: setText(editor, whole) }, whole, context, "steer");
}

/**
 * Takes a line at the model's questions: numbers, the words of an option, or an own answer. A number without an option
 * and an empty line choose nothing, because the person hears no mark that they could accept.
 */
function takeChoice(ui: Ui, choosing: Choosing, typed: string, context: StackContext): TakenLine {
  const line = typed.trim();
  if (choosing.writing && namesCommand(line, context)) return { ...stay(ui), says: COMMANDS_WAIT };
  if (choosing.writing) return pressed(ui, context, text(line), key("enter"));
  const asked = shownQuestion(choosing)?.asked;
  const count = asked ? rowsOf(asked).length : REVIEW_ROWS;
  const isMultiple = asked?.isMultiple === true;
  const hint = `Type ${isMultiple ? "numbers" : "a number"} from 1 to ${count}, then enter.`;
  if (line === "") return { ...stay(ui), says: `Nothing is chosen. ${hint}` };
  if (parseCommand(line)) return { ...stay(ui), says: `${COMMANDS_WAIT} ${hint}` };
  if (!asked && meansYes(line)) return pressed(ui, context, text("1"));
  const named = asked?.options.findIndex(({ label }) => label.trim().toLowerCase() === line.toLowerCase()) ?? -1;
  const numbers = named >= 0 ? [named + 1] : numbersIn(line);
  if (!numbers) return pressed(ui, context, text(line), key("enter"));
  const areKnown = numbers.every((number) => number >= 1 && number <= count);
  if (!areKnown || (numbers.length > 1 && !isMultiple)) return { ...stay(ui), says: hint };
  const [only = 0] = numbers;
  // The last rows open the line for own words.
  const isMarked = isMultiple && numbers.every((number) => number <= count - REVIEW_ROWS);
  if (isMarked)
    return pressed(ui, context, ...[...new Set(numbers)].map((number) => text(String(number))), key("enter"));
  return numbers.length > 1 ? { ...stay(ui), says: hint } : pressed(ui, context, text(String(only)));
}

/** The numbers of a line that has nothing else: `1`, `1 3`, `1, 3`. */
function numbersIn(line: string): readonly number[] | undefined {
  return /^\d+(?:[ ,]+\d+)*$/.test(line) ? line.split(/[ ,]+/).map(Number) : undefined;
}

/** The effect of a typed line. */
export type TakenLine = Handled & {
  /** The line for the person if their line could not be used. */
  readonly says?: string;
  /** The first choice to tell of the open list, from 0; absent to tell the list from its beginning. */
  readonly from?: number;
};

/** Presses keys one after the other, as the normal screen would. */
function pressed(ui: Ui, context: StackContext, ...events: readonly KeyEvent[]): Handled {
  return events.reduce<Handled>((before, event) => {
    const { ui: next, effects } = handleKey(before.ui, event, context);
    return { ui: next, effects: [...before.effects, ...effects] };
  }, stay(ui));
}

function text(line: string): KeyEvent {
  return { type: "text", text: line };
}
