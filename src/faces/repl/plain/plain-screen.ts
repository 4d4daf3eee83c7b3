import { joinedLines } from "@quoll/terminal-text/one-line";
import type { Choice } from "../../../contracts/command-result.ts";
import { callOf } from "../../../contracts/question.ts";
import { parseCommand } from "../../../protocol/commands/slash-commands.ts";
import { type History, newerEntry, olderEntry } from "../editor/history.ts";
import type { KeyEvent } from "../input/decode-keys.ts";
import type { StackContext } from "../layers/layer-stack.ts";
import { isChoosing } from "../layers/open-question.ts";
import type { Handled, Ui } from "../layers/ui-state.ts";
import { keyLines } from "./key-lines.ts";
import { KeyMeanings, type Meaning } from "./key-meaning.ts";
import { LineEditor } from "./line-editor.ts";
import { type Dialog, dialogOf } from "./plain-dialog.ts";
import { PlainNews, type PlainState } from "./plain-news.ts";
import { transcriptLines } from "./plain-transcript.ts";
import { RowPrinter } from "./row-printer.ts";
import { ROLES } from "./spoken-text.ts";
import { type Completing, TabCompletion, type TabResult, tabbedLine } from "./tab-completion.ts";
import { takeLine } from "./take-line.ts";
import { printedLines } from "./whole-words.ts";

/** How long a line may take to show an effect before a new prompt is printed. */
const EFFECT_MS = 150;
/** A command may first ask servers, as for the list of models. The prompt follows its first line, if that comes sooner. */
const COMMAND_MS = 2_000;
const PROMPT = `${ROLES.user}: `;
const MORE_PROMPT = "Next line: ";

/** Lines wait for this time after each key of a draft. */
const TYPING_MS = 1_500;
const COLUMNS = 80;

type Deps = {
  readonly stdout: Pick<NodeJS.WriteStream, "write"> & { readonly columns?: number };
  /** True if the keys come here, and not only whole lines. */
  readonly editsLines?: boolean;
  readonly completing: Completing;
  readonly state: () => PlainState;
};

/** The effect of a key beyond the line. */
export type Pressed =
  | { readonly does: "line"; readonly text: string }
  | { readonly does: "history"; readonly history: History }
  | Extract<Meaning, { readonly does: "act" }>
  /** The person's editor opens with the text of the line, which is then empty. */
  | { readonly does: "editor"; readonly text: string }
  | { readonly does: "stop" | "leave" | "escape" | "suspend" | "nothing" };

/**
 * A screen of lines without redraws, for screen readers and for terminals that can't move their cursor. One line is one
 * event and begins with its role in words. The terminal itself echoes and edits what the person types, and sends whole
 * lines. The terminal wraps printed lines; `printedLines` fills their rows so that no word is broken.
 */
export class PlainScreen {
  readonly #deps: Deps;
  /** The printed question, list or field, and its prompt. */
  #dialogId: string | undefined;
  #dialogMark: string | undefined;
  /** The first told choice of the open list. */
  #from = 0;
  /** The choices of the open list as they were told. */
  #choices: readonly Choice[] = [];
  /** The lines of the list that was told last. */
  #listed: readonly string[] = [];
  /** The lines of the list without a search, as they were told last. */
  #whole: readonly string[] = [];
  readonly #line: LineEditor;
  readonly #meanings = new KeyMeanings();
  readonly #tab: TabCompletion;
  /** The draft that a question interrupted. */
  #stash = "";
  /** When the person last typed a key, in monotonic milliseconds. */
  #keyAt = Number.NEGATIVE_INFINITY;
  /** The line that the person typed, if nothing was printed since. */
  #typed: string | undefined;
  #draft = "";
  #readyAt = Number.NEGATIVE_INFINITY;
  readonly #news = new PlainNews();
  readonly #rows = new RowPrinter({
    print: (lines) => {
      if (lines.length > 0) this.#news.spoke(this.#deps.state().nowMs);
      this.#print(lines);
    },
    typed: () => this.#typed,
  });

  constructor(deps: Deps) {
    const { stdout } = deps;
    this.#deps = deps;
    this.#tab = new TabCompletion(deps.completing);
    this.#line = new LineEditor({ write: (text) => stdout.write(text), columns: () => stdout.columns || COLUMNS });
  }

  /** Leaves an input the time to show its effect, before a new prompt is printed. */
  awaitEffect(waitMs = EFFECT_MS): void {
    this.#readyAt = this.#deps.state().nowMs + waitMs;
  }

  /** The effect of a command has begun to show. */
  #showsEffect(): void {
    const { nowMs } = this.#deps.state();
    if (this.#readyAt <= nowMs + EFFECT_MS) return;
    this.awaitEffect();
    this.#deps.completing.wake(this.#readyAt);
  }

  /** When a prompt may follow the last typed line, in monotonic milliseconds. */
  get readyAt(): number {
    return this.#readyAt;
  }

  /** Prints what is new. Lines wait while the person types. @param isLast True to print whatever is typed. */
  update(isLast = false): void {
    const state = this.#deps.state();
    this.#completed(this.#tab.poll(state.nowMs));
    if (!isLast && this.#line.text !== "" && state.nowMs < this.heldUntil) return;
    this.#rows.print(state.transcript, state.isResumed);
    // The line that the person typed may have changed the mode, and its own row comes after this.
    const typed = this.#typed;
    this.#print(this.#news.ofSession(state));
    this.#typed = typed;
    this.#print(this.#news.of(state));
    const open = { id: this.#dialogId, choices: this.#choices };
    const dialog = dialogOf(state.ui, { nowMs: state.nowMs, count: state.mustAnswer.length, from: this.#from, open });
    if (dialog) this.#ask(dialog, state.ui);
    else {
      this.#dialogId = undefined;
      this.#dialogMark = undefined;
      this.#from = 0;
      this.#unstash();
      if (!isLast && !state.isBusy && !state.operation && state.nowMs >= this.#readyAt) this.#open(state.ui);
    }
  }

  /** Until when lines wait for the person who types, in monotonic milliseconds. */
  get heldUntil(): number {
    return this.#keyAt + TYPING_MS;
  }

  /** Handles a key, if the terminal does not edit the line itself. */
  press(event: KeyEvent): Pressed {
    const { isBusy, operation, nowMs, ui, keymap, transcript } = this.#deps.state();
    this.#keyAt = nowMs;
    this.#tab.cancel();
    const isEmpty = this.#line.text === "";
    const isAsked = this.#dialogId !== undefined;
    const draft = isEmpty ? "empty" : "typed";
    const meaning = this.#meanings.of(event, { keymap, isBusy, nowMs, draft, isAsked });
    switch (meaning.does) {
      case "escape":
      case "suspend":
        return { does: meaning.does };
      case "act":
        // With typed text, ctrl+b moves the cursor as in a shell.
        if (isEmpty || meaning.key !== "ctrl+b") return meaning;
        break;
      case "stop":
        return { does: isBusy || operation ? "stop" : "nothing" };
      case "interrupt":
        if (isEmpty && !isBusy && ui.editor.text.endsWith("\n")) return { does: "escape" };
        if (isBusy || operation || isEmpty) return { does: "stop" };
        break;
      case "leave":
      case "end":
        if (isEmpty) return { does: "leave" };
        break;
      case "keys":
        this.#print(keyLines(keymap));
        break;
      case "transcript":
        this.#print(transcriptLines("/transcript", transcript) ?? []);
        break;
      case "absent":
        this.#print([`${ROLES.notice}: ${meaning.key} does nothing on the plain screen.`]);
        break;
      case "editor": {
        if (isAsked) return { does: "nothing" };
        this.#line.leave();
        return { does: "editor", text: this.#line.take() };
      }
    }
    this.#open(ui);
    return this.#edit(meaning, ui);
  }

  /** A key that changes the line, sends it or replaces it. */
  #edit(meaning: Meaning, ui: Ui): Pressed {
    switch (meaning.does) {
      case "type":
        this.#line.insert(meaning.text);
        break;
      case "edit":
        this.#line.edit(meaning.action);
        break;
      case "act":
        this.#line.edit("text.left");
        break;
      case "enter":
        this.#line.leave();
        return { does: "line", text: this.#line.take() };
      case "interrupt":
      case "leave":
      case "clear":
        this.#line.replace("");
        break;
      case "end":
        this.#line.edit("text.deleteForward");
        break;
      case "break":
        this.#line.insert("\n");
        break;
      case "complete":
        this.#complete(ui);
        break;
      case "older":
      case "newer": {
        const found = meaning.does === "older" ? olderEntry(ui.history, this.#line.text) : newerEntry(ui.history);
        if (!found) break;
        this.#line.replace(found.text);
        return { does: "history", history: found.history };
      }
    }
    return { does: "nothing" };
  }

  /** Takes a line that the person typed, which is now on the screen. */
  take(line: string, context: StackContext): Handled {
    const { ui, transcript, keymap, nowMs } = this.#deps.state();
    this.awaitEffect();
    this.#rows.interrupted();
    if (this.#deps.editsLines) this.#line.leave();
    else this.#line.left();
    this.#typed = line.trim();
    const tabbed = this.#deps.editsLines || this.#dialogId !== undefined ? undefined : tabbedLine(line);
    if (tabbed) {
      this.#completed(this.#tab.start(ui, tabbed, { nowMs, isTold: true }));
      return { ui, effects: [] };
    }
    if (/^again$/i.test(line.trim()) && this.#canRepeat(ui)) {
      this.#dialogId = undefined;
      this.#forgetLists();
      return { ui, effects: [] };
    }
    // A list that a typed command opens is told whole, also if it was told before.
    if (this.#dialogId === undefined) this.#forgetLists();
    const own = ui.asking
      ? undefined
      : (transcriptLines(line, transcript) ?? (/^\s*\/keys\s*$/i.test(line) ? keyLines(keymap) : undefined));
    if (own) {
      this.#print(own);
      return { ui, effects: [] };
    }
    const { says, from = 0, ...handled } = takeLine(ui, line, { ...context, from: this.#from, told: this.#choices });
    this.#from = from;
    if (says !== undefined) this.#print([`${ROLES.notice}: ${says}`]);
    this.#draft = handled.ui.editor.text;
    const isCommand = handled.effects.some((effect) => effect.type === "submit" && parseCommand(effect.text));
    if (isCommand) this.awaitEffect(COMMAND_MS);
    return handled;
  }

  /** A field takes any words, also the one that repeats a question or list. */
  #canRepeat({ asking, hidden }: Ui): boolean {
    const isWriting = asking && isChoosing(asking) && asking.writing !== undefined;
    return this.#dialogId !== undefined && !hidden && !isWriting;
  }

  /** Leaves the cursor in an empty line. */
  end(): void {
    this.#line.leave();
  }

  /** Completes the word before the cursor, or tells how it can go on. */
  #complete(ui: Ui): void {
    if (this.#dialogId !== undefined) return;
    const { nowMs } = this.#deps.state();
    this.#completed(this.#tab.start(ui, this.#line.editor, { nowMs, isTold: false }));
  }

  #completed(result: TabResult | undefined): void {
    if (!result) return;
    if ("editor" in result) {
      this.#line.set(result.editor);
      return;
    }
    this.#print(result.lines);
    if (this.#deps.editsLines) this.#open(this.#deps.state().ui);
  }

  /** Writes the prompt and the draft, unless they are there. */
  #open(ui: Ui): void {
    this.#line.open(this.#dialogMark ?? this.#promptOf(ui));
  }

  #unstash(): void {
    if (this.#stash === "" || this.#line.text !== "") return;
    this.#line.leave();
    this.#line.replace(this.#stash);
    this.#stash = "";
  }

  #forgetLists(): void {
    this.#listed = [];
    this.#whole = [];
  }

  #ask({ id, lines, choices = [], mark, isSearch }: Dialog, { asking }: Ui): void {
    const isOpen = id === this.#dialogId;
    if (!isOpen || !isSameList(choices, this.#choices)) {
      this.#dialogId = id;
      this.#choices = choices;
      if (this.#line.text !== "") {
        this.#line.leave();
        this.#stash = this.#line.take();
      }
      const call = asking && callOf(asking.question);
      if (call) {
        this.#rows.asked(call.toolUseId);
      }
      this.#print(choices.length > 0 ? this.#newLines(lines, { isOpen, isSearch }) : lines);
    }
    this.#dialogMark = mark;
    this.#line.open(mark);
  }

  /**
   * A list that opens again, as after one of its settings was changed, or that changes, tells only what differs; so does
   * the whole list after a search.
   */
  #newLines(
    lines: readonly string[],
    { isOpen, isSearch = false }: { readonly isOpen: boolean; readonly isSearch: boolean | undefined },
  ): readonly string[] {
    const known = isSearch || isOpen ? this.#listed : this.#whole;
    this.#listed = lines;
    if (!isSearch) this.#whole = lines;
    const [title] = lines;
    if (!isOpen && title !== known[0]) return lines;
    const told = lines.filter((line, at) => at === 0 || at === lines.length - 1 || !known.includes(line));
    return told.length < lines.length ? [...told, 'The other choices are as before; "again" tells them.'] : told;
  }

  /** A draft that a command put into the prompt is told once. */
  #promptOf({ editor: { text } }: Ui): string {
    if (text.endsWith("\n")) return MORE_PROMPT;
    if (text !== "" && text !== this.#draft)
      this.#print([
        `${ROLES.notice}: in the prompt: ${joinedLines(text)}. Enter alone sends it, other words replace it.`,
      ]);
    this.#draft = text;
    return PROMPT;
  }

  #print(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#showsEffect();
    this.#line.leave();
    this.#deps.stdout.write(printedLines(lines, this.#deps));
    this.#typed = undefined;
    this.#rows.interrupted();
  }
}

function isSameList(a: readonly Choice[], b: readonly Choice[]): boolean {
  return a.length === b.length && a.every(({ input }, at) => input === b[at]?.input);
}
