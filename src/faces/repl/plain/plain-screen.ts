import { joinedLines } from "@quoll/terminal-text/one-line";
import type { Choice } from "../../../contracts/command-result.ts";
import { callOf } from "../../../contracts/question.ts";
import type { FinishedTool, Row, Transcript } from "../../../protocol/transcript/transcript.ts";
import { type History, newerEntry, olderEntry } from "../editor/history.ts";
import type { KeyEvent } from "../input/decode-keys.ts";
import type { StackContext } from "../layers/layer-stack.ts";
import type { Handled, Ui } from "../layers/ui-state.ts";
import { activityText } from "../view/status-line.ts";
import { meaningOf } from "./key-meaning.ts";
import { LineEditor } from "./line-editor.ts";
import { callLine, resultLines } from "./plain-calls.ts";
import { commandsFor, completionLines } from "./plain-completions.ts";
import { type Dialog, dialogOf } from "./plain-dialog.ts";
import { newsOf, type PlainState } from "./plain-news.ts";
import { callsOf, endBefore, type SpokenRow, spokenRow } from "./plain-rows.ts";
import { transcriptLines } from "./plain-transcript.ts";
import { ROLES, spokenLine } from "./spoken-text.ts";
import { takeLine } from "./take-line.ts";

/** How long a line may take to show an effect before a new prompt is printed. */
const EFFECT_MS = 150;
/** The time between two lines about continuing work. */
const PROGRESS_MS = 30_000;
const PROMPT = `${ROLES.user}: `;
const MORE_PROMPT = "Next line: ";
/** The maximum number of remembered calls. */
const MAX_CALLS = 1_000;

/** Lines wait for this time after each key of a draft. */
const TYPING_MS = 1_500;
const COLUMNS = 80;

type Deps = {
  readonly stdout: Pick<NodeJS.WriteStream, "write"> & { readonly columns?: number };
  /** True if the keys come here, and not only whole lines. */
  readonly editsLines?: boolean;
  readonly state: () => PlainState;
};

/** The effect of a key beyond the line. */
export type Pressed =
  | { readonly does: "line"; readonly text: string }
  | { readonly does: "history"; readonly history: History }
  | { readonly does: "stop" | "leave" | "escape" | "suspend" | "mode" | "background" | "nothing" };

/**
 * A screen of lines without redraws, for screen readers and for terminals that can't move their cursor. One line is one
 * event and begins with its role in words. The terminal itself echoes and edits what the person types, and sends whole
 * lines. Lines are not wrapped, so that their text does not depend on the width of the window.
 */
export class PlainScreen {
  readonly #deps: Deps;
  /** The number of printed rows. */
  #printed = 0;
  #lastRow: Row | undefined;
  /** The calls whose line is printed, by id. */
  readonly #called = new Set<string>();
  /** The calls whose result is printed, by id. */
  readonly #ended = new Set<string>();
  /** The call whose line was printed last, if nothing was printed since. */
  #lastCall: string | undefined;
  /** The calls whose change a question showed in full. */
  readonly #shownCalls = new Set<string>();
  /** The printed question, list or field. */
  #dialogId: string | undefined;
  /** The first told choice of the open list. */
  #from = 0;
  /** The choices of the open list as they were told. */
  #choices: readonly Choice[] = [];
  /** The lines of the list that was told last. */
  #listed: readonly string[] = [];
  readonly #line: LineEditor;
  /** The draft that a question interrupted. */
  #stash = "";
  /** When the person last typed a key, in monotonic milliseconds. */
  #keyAt = Number.NEGATIVE_INFINITY;
  /** The line that the person typed, if nothing was printed since. */
  #typed: string | undefined;
  #draft = "";
  #readyAt = Number.NEGATIVE_INFINITY;
  #told: readonly string[] = [];
  #session = "";
  /** When the work began, or was last reported. */
  #quietSince: number | undefined;

  constructor(deps: Deps) {
    const { stdout } = deps;
    this.#deps = deps;
    this.#line = new LineEditor({ write: (text) => stdout.write(text), columns: () => stdout.columns || COLUMNS });
  }

  /** Leaves an input the time to show its effect, before a new prompt is printed. */
  awaitEffect(): void {
    this.#readyAt = this.#deps.state().nowMs + EFFECT_MS;
  }

  /** When a prompt may follow the last typed line, in monotonic milliseconds. */
  get readyAt(): number {
    return this.#readyAt;
  }

  /** Prints what is new. Lines wait while the person types. @param isLast True to print whatever is typed. */
  update(isLast = false): void {
    const state = this.#deps.state();
    if (!isLast && this.#line.text !== "" && state.nowMs < this.heldUntil) return;
    this.#printRows(state.transcript);
    this.#tell(state);
    const dialog = dialogOf(state.ui, { nowMs: state.nowMs, count: state.mustAnswer.length, from: this.#from });
    if (dialog) this.#ask(dialog, state.ui);
    else {
      this.#dialogId = undefined;
      this.#from = 0;
      this.#unstash();
      if (!isLast && !state.isBusy && !state.operation && state.nowMs >= this.#readyAt)
        this.#mark(this.#promptOf(state.ui));
    }
  }

  /** Until when lines wait for the person who types, in monotonic milliseconds. */
  get heldUntil(): number {
    return this.#keyAt + TYPING_MS;
  }

  /** Handles a key, if the terminal does not edit the line itself. */
  press(event: KeyEvent): Pressed {
    const { isBusy, operation, nowMs, ui } = this.#deps.state();
    this.#keyAt = nowMs;
    const meaning = meaningOf(event);
    if (meaning === "interrupt" && (isBusy || operation)) return { does: "stop" };
    if (meaning === "interrupt" && this.#line.text === "") return { does: "stop" };
    if (meaning === "end" && this.#line.text === "") return { does: "leave" };
    if (meaning === "escape" || meaning === "suspend" || meaning === "mode") return { does: meaning };
    if (meaning === "background" && isBusy && this.#line.text === "") return { does: meaning };
    this.#line.open(this.#promptOf(ui));
    switch (meaning) {
      case "enter": {
        this.#line.leave();
        return { does: "line", text: this.#line.take() };
      }
      case "interrupt":
        this.#line.replace("");
        break;
      case "break":
        this.#line.insert("\n");
        break;
      case "complete":
        this.#complete();
        break;
      case "older":
      case "newer": {
        const found = meaning === "older" ? olderEntry(ui.history, this.#line.text) : newerEntry(ui.history);
        if (!found) break;
        this.#line.replace(found.text);
        return { does: "history", history: found.history };
      }
      default:
        if (event.type === "key") this.#line.press(event);
        else this.#line.insert(event.text);
    }
    return { does: "nothing" };
  }

  /** Takes a line that the person typed, which is now on the screen. */
  take(line: string, context: StackContext): Handled {
    const { ui, completions, transcript } = this.#deps.state();
    this.awaitEffect();
    if (this.#deps.editsLines) this.#line.leave();
    else this.#line.left();
    this.#typed = line.trim();
    const own = completionLines(line, completions) ?? (ui.asking ? undefined : transcriptLines(line, transcript));
    if (own) {
      this.#print(own);
      return { ui, effects: [] };
    }
    const { says, from = 0, ...handled } = takeLine(ui, line, { ...context, from: this.#from, told: this.#choices });
    if (from > 0) this.#dialogId = undefined;
    this.#from = from;
    if (says !== undefined) this.#print([`${ROLES.notice}: ${says}`]);
    this.#draft = handled.ui.editor.text;
    return handled;
  }

  /** Leaves the cursor in an empty line. */
  end(): void {
    this.#line.leave();
  }

  /** A tab completes the only command that fits, or tells those that do. */
  #complete(): void {
    const { completions } = this.#deps.state();
    const names = commandsFor(this.#line.text, completions).map(({ name }) => name);
    if (names.length === 1) this.#line.replace(`/${names[0]} `);
    else this.#print(completionLines(`${this.#line.text}\t`, completions) ?? []);
    this.#line.open(PROMPT);
  }

  #unstash(): void {
    if (this.#stash === "" || this.#line.text !== "") return;
    this.#line.leave();
    this.#line.replace(this.#stash);
    this.#stash = "";
  }

  #printRows({ settled, running, explorations }: Transcript): void {
    for (const row of settled.slice(this.#printed)) {
      this.#print(endBefore(row, this.#lastRow));
      const calls = callsOf(row);
      if (calls) for (const call of calls) this.#printCall(call);
      else this.#printRow(row as SpokenRow);
      this.#lastRow = row;
    }
    this.#printed = settled.length;
    // A call ends for the person when it has ended, even if its row waits for others.
    for (const call of explorations) this.#printCall(call);
    for (const call of running) {
      if (call.finished) this.#printCall(call.finished);
      else this.#announce(call);
    }
  }

  #printRow(row: SpokenRow): void {
    const isEcho = row.kind === "user" && this.#typed === row.text.trim();
    if (!isEcho) this.#print(spokenRow(row, this.#lastRow));
  }

  #announce(call: Pick<FinishedTool, "use" | "title">): void {
    const { id } = call.use;
    if (this.#called.has(id)) return;
    remember(this.#called, id);
    this.#print([callLine(call)]);
    this.#lastCall = id;
  }

  #printCall(call: FinishedTool): void {
    const { id } = call.use;
    if (this.#ended.has(id)) return;
    this.#announce(call);
    remember(this.#ended, id);
    this.#print(resultLines(call, { isNext: this.#lastCall === id, wasShown: this.#shownCalls.delete(id) }));
  }

  #ask({ id, lines, choices = [], mark }: Dialog, { asking }: Ui): void {
    if (id !== this.#dialogId || !isSameList(choices, this.#choices)) {
      this.#dialogId = id;
      this.#choices = choices;
      if (this.#line.text !== "") {
        this.#line.leave();
        this.#stash = this.#line.take();
      }
      const call = asking && callOf(asking.question);
      if (call) {
        remember(this.#shownCalls, call.toolUseId);
        // A question may come before the start of its call, which it names.
        remember(this.#called, call.toolUseId);
      }
      this.#print(choices.length > 0 ? this.#newLines(lines) : lines);
    }
    this.#mark(mark);
  }

  /** A list that opens again, as after one of its settings was changed, tells only what differs. */
  #newLines(lines: readonly string[]): readonly string[] {
    const known = this.#listed;
    this.#listed = lines;
    const [title] = lines;
    if (title !== known[0]) return lines;
    return lines.filter((line, at) => at === 0 || at === lines.length - 1 || !known.includes(line));
  }

  /** The model and the mode, which a plain screen shows nowhere else, are told when they change. */
  #tellSession({ session: { model, mode } }: PlainState): void {
    const about = `model ${joinedLines(model)}, permission mode ${mode}`;
    if (model === "" || about === this.#session) return;
    this.#session = about;
    this.#print([`${ROLES.notice}: ${about}.`]);
  }

  /** Reports news at once, and continuing work at intervals. */
  #tell(state: PlainState): void {
    this.#tellSession(state);
    const told = this.#told;
    this.#told = newsOf(state);
    this.#print(this.#told.filter((line) => !told.includes(line)));
    const { isBusy, operation, nowMs, ui, transcript } = state;
    if (!(isBusy || operation) || ui.asking) this.#quietSince = undefined;
    else if (this.#quietSince === undefined) this.#quietSince = nowMs;
    else if (nowMs - this.#quietSince >= PROGRESS_MS) {
      this.#quietSince = nowMs;
      const doing = isBusy ? activityText({ transcript, isAsked: false, nowMs }) : (operation?.title ?? "");
      this.#print([`${ROLES.working}: ${spokenLine(doing)}.`]);
    }
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
    this.#line.leave();
    this.#deps.stdout.write(`${lines.join("\n")}\n`);
    this.#typed = undefined;
    this.#lastCall = undefined;
  }

  #mark(prompt: string): void {
    this.#line.open(prompt);
  }
}

/** Adds an id; the oldest one is forgotten. */
function remember(ids: Set<string>, id: string): void {
  ids.add(id);
  const [oldest] = ids.size > MAX_CALLS ? ids : [];
  if (oldest !== undefined) ids.delete(oldest);
}

function isSameList(a: readonly Choice[], b: readonly Choice[]): boolean {
  return a.length === b.length && a.every(({ input }, at) => input === b[at]?.input);
}
