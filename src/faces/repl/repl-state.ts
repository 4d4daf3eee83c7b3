import type { EngineEvent } from "../../contracts/event.ts";
import { NO_USAGE } from "../../contracts/message.ts";
import type { Question } from "../../contracts/question.ts";
import { isOpenTask, type TaskInfo } from "../../contracts/task.ts";
import type { SessionEvent, SessionStatus, SessionView, TaskOutput } from "../../protocol/session-port.ts";
import { noticeText } from "../../protocol/transcript/notice-text.ts";
import { addRow, reduce } from "../../protocol/transcript/reduce.ts";
import { emptyTranscript, type FaceRow, isWriting, type Transcript } from "../../protocol/transcript/transcript.ts";
import { DEFAULT_KEYMAP, type Keymap } from "./keymap/keymap.ts";
import { holdEnd } from "./layers/command-layer.ts";
import { withSuggestions } from "./layers/field-suggestions.ts";
import { firstMarkable } from "./layers/mark-layer.ts";
import { openPicker, shownChoices, withChoices } from "./layers/picker.ts";
import { type Completion, emptyUi, type TextView, type Ui } from "./layers/ui-state.ts";
import { openViewer } from "./layers/viewer-layer.ts";
import { markdownTranscript } from "./markdown/markdown-transcript.ts";
import { WaitingTips } from "./prompt/waiting-tips.ts";
import type { ReplProps, ReplTerminal } from "./repl-props.ts";
import type { ReplScreen } from "./repl-screen-state.ts";
import { type RowQuestions, rowQuestions } from "./tasks/row-questions.ts";
import { keptMsOf, keptTasks, type ShownTask, takeTask } from "./tasks/shown-tasks.ts";
import { withReport } from "./tasks/watched-task.ts";
import type { FramePacer } from "./terminal/frame-pacer.ts";
import type { ScreenTheme } from "./terminal/screen-theme.ts";
import type { helpLines } from "./view/help-lines.ts";
import type { ShownOperation } from "./view/status-line.ts";
import { SPINNER_MS, type Theme } from "./view/theme.ts";
import { shownChanges } from "./viewer/changes-transcript.ts";

/** The frame interval while only clocks or the answer's text change. */
const CLOCK_MS = 1_000;
/** Clocks of a screen with reduced motion. */
const STILL_CLOCK_MS = 10_000;
/** How long the status line shows what it says once. */
const SAID_MS = 2_000;

/** Undefined until the session has reported its state. */
const NO_SESSION: SessionView = {
  sessionId: "",
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

type ShownType =
  | "commands"
  | "row"
  | "choose"
  | "choices"
  | "mark"
  | "field"
  | "suggestions"
  | "view"
  | "changes"
  | "operation"
  | "operation_ended";
type Shown = Extract<SessionEvent, { readonly type: ShownType }>;

/** How long a mode that the person has just chosen must be seen. */
const MODE_NEW_MS = 5_000;

type Props = Pick<ReplProps, "info" | "clock" | "prompt"> & {
  readonly terminal?: Pick<ReplTerminal, "isPlain" | "isFull">;
};

/** The state of the REPL, from which every frame is drawn. Several classes change a part of it each. */
export class ReplState {
  transcript: Transcript = emptyTranscript;
  ui: Ui = emptyUi;
  #keymap: Keymap = DEFAULT_KEYMAP;
  /** Printed rows keep the colours in which they were printed. */
  readonly colors: ScreenTheme;
  /** The last reported value. */
  session: SessionView = NO_SESSION;
  /** The waiting questions, those in the rows of agents included. */
  questions: readonly Question[] = [];
  /** The commands for completion. */
  completions: readonly Completion[] = [];
  /** True if a saved conversation has messages that were not shown yet. */
  hasEarlier = false;
  /** True if the conversation was resumed, and no turn has run since. */
  isResumed = false;
  branch: string | undefined;
  status: SessionStatus;
  /** The names of the servers for which the model's tools wait. */
  starting: readonly string[] = [];
  hasLeft = false;
  #operation: ShownOperation | undefined;
  /** True after the running turn was told to stop. */
  isStopping = false;
  readonly #props: Props;
  readonly #pacer: FramePacer;
  #isBusy = false;
  #modeNewUntil = Number.NEGATIVE_INFINITY;
  #tasks: readonly ShownTask[] = [];
  readonly #tips: WaitingTips | undefined;
  #helpLines: typeof helpLines | undefined;

  constructor(props: Props, pacer: FramePacer, colors: ScreenTheme) {
    if (props.prompt?.tips !== false) this.#tips = new WaitingTips(() => pacer.soon());
    this.colors = colors;
    this.#props = props;
    this.status = { cwd: "", shownCwd: props.info.cwd, texts: [], ownLines: [] };
    this.#pacer = pacer;
  }

  /** While a list of themes is open, the selected theme is shown. */
  get theme(): Theme {
    const { picker } = this.ui;
    const offered = picker && shownChoices(picker)[picker.index]?.theme;
    return offered ? this.colors.of(offered) : this.colors.current;
  }

  /** The current key bindings, which hints also name. */
  get keymap(): Keymap {
    return this.#keymap;
  }

  set keymap(keymap: Keymap) {
    this.#keymap = keymap;
    this.colors.nameKeys(keymap);
    this.drawNow();
  }

  /** True if the permission mode must be seen: it is not the usual one, or has just changed. */
  get keepsMode(): boolean {
    return this.session.mode !== "default" || this.nowMs < this.#modeNewUntil;
  }

  /** The questions that wait in the rows of agents. A plain screen has no rows, and asks each question at once. */
  get rowQuestions(): RowQuestions {
    return rowQuestions(this.#props.terminal?.isPlain ? [] : this.questions, this.#tasks);
  }

  /** The questions that the person must answer: the open question, and those that wait in no row. */
  get mustAnswer(): readonly Question[] {
    const inRows = [...this.rowQuestions.values()];
    const openId = this.ui.asking?.question.id;
    return this.questions.filter((question) => question.id === openId || !inRows.includes(question));
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Draws the list of keys; its code is loaded when the list is first shown. */
  get helpLines(): typeof helpLines | undefined {
    if (this.ui.showsKeys && this.#helpLines === undefined)
      import("./view/help-lines.ts").then(
        (code) => {
          this.#helpLines = code.helpLines;
          this.#pacer.now();
        },
        () => undefined,
      );
    return this.#helpLines;
  }

  /** The tip of a long turn. */
  get tip(): string | undefined {
    const { isBusy, nowMs, keymap, session } = this;
    return this.#tips?.tipOf({ isBusy, nowMs, keymap, sessionId: session.sessionId });
  }

  /** The activity of a running command. */
  get operation(): ShownOperation | undefined {
    return this.#operation;
  }

  /**
   * True while the keys that stop a turn stop a command's operation: without a turn, and beside a turn that is not
   * being stopped. A compaction is busy without a turn, and stops like a turn.
   */
  get isOperating(): boolean {
    if (!this.#operation || this.isStopping) return false;
    return !this.#isBusy || this.transcript.turn !== undefined;
  }

  /** The agents and background shells of the strip. */
  get tasks(): readonly ShownTask[] {
    // The task that the person is looking at stays in the list.
    const isInside = this.ui.strip !== undefined || this.ui.view?.taskId !== undefined;
    if (!isInside) this.#tasks = keptTasks(this.#tasks, this.nowMs);
    return this.#tasks;
  }

  /** Handles a report about a task. */
  takeTask(info: TaskInfo): void {
    this.#tasks = takeTask(this.#tasks, info, { nowMs: this.nowMs, wallMs: this.#props.clock.now() });
    this.#pace();
    if (!isOpenTask(info)) this.#pacer.at(this.nowMs + keptMsOf(info));
  }

  /** Monotonic milliseconds. */
  get nowMs(): number {
    return this.#props.clock.monotonicMs();
  }

  /** Forgets the first key of a chord or of a double press after its time. */
  forgetKeys(): void {
    const { armed, chord } = this.ui;
    if (armed && this.nowMs > armed.until) this.ui = { ...this.ui, armed: undefined };
    if (chord && this.nowMs > chord.until) this.ui = { ...this.ui, chord: undefined };
  }

  /** Draws at the end of the current tick. */
  drawNow(): void {
    this.#pacer.now();
  }

  /** Handles an event of the session. */
  takeEvent(event: EngineEvent): void {
    const wasWriting = isWriting(this.transcript);
    this.transcript = reduce(this.transcript, event, this.nowMs);
    if (isWriting(this.transcript) === wasWriting) return;
    this.#pace();
    // The first words of an answer are shown at once.
    if (!wasWriting) this.drawNow();
  }

  add(row: FaceRow): void {
    this.transcript = addRow(this.transcript, row);
    this.drawNow();
  }

  /** Adds the first rows, for which the session must be known. */
  welcome(): void {
    const { version, cwd, first, notices, isLater } = this.#props.info;
    const { model, mode } = this.session;
    // A full screen shows nothing of the session before.
    const isRepeated = isLater === true && !this.#props.terminal?.isFull;
    const row = { version, cwd, model, mode, ...(isRepeated && { isLater }), ...(first && { first }) };
    this.add({ kind: "welcome", ...row });
    for (const text of notices) this.notify("warning", text);
  }

  notify(level: "info" | "warning" | "error", text: string): void {
    this.add({ kind: "notice", level, text: noticeText(text) });
  }

  /** Prints in full the last row of which the screen shows only a part. */
  async unfoldLast(screen: ReplScreen): Promise<void> {
    const { lastFolded } = await import("./viewer/last-folded.ts");
    const { theme, transcript } = this;
    const lines = await lastFolded(transcript, { theme, columns: screen.size.columns, markdown: screen.markdown });
    if (lines) this.add({ kind: "whole", lines });
    else this.#say("Nothing is folded");
  }

  /** Says something in the status line for a short time. */
  #say(text: string): void {
    const until = this.nowMs + SAID_MS;
    this.ui = { ...this.ui, armed: { by: "", does: "nothing", says: text, until } };
    this.#pacer.at(until + 1);
    this.drawNow();
  }

  /** Shows the output of the watched task. */
  showOutput(id: string, part: TaskOutput): void {
    const { view } = this.ui;
    if (view?.taskId !== id) return;
    this.ui = { ...this.ui, view: withReport(view, part, this.nowMs) };
    this.#pacer.soon();
  }

  /** Shows a command's view. */
  show(event: Shown): void {
    switch (event.type) {
      case "commands":
        this.completions = event.completions;
        break;
      case "row":
        // The command answered the sent marks without a question.
        if (this.ui.marking?.isSent && !this.ui.picker) this.ui = { ...this.ui, marking: undefined };
        this.add(event.row);
        break;
      case "choose":
        this.#open({ picker: openPicker(event.list, this.ui.pickerPlaces) });
        break;
      case "choices": {
        const { picker } = this.ui;
        const { of, title, choices } = event;
        if (picker?.title === of) this.ui = { ...this.ui, picker: { ...withChoices(picker, choices), title } };
        break;
      }
      case "mark": {
        const index = firstMarkable(event.list.rows);
        this.#open({ marking: { ...event.list, index, isMoved: false, marks: {}, isSent: false } });
        break;
      }
      case "field": {
        const { value = "", type: _, ...field } = event;
        this.#open({ hidden: { ...field, text: value } });
        break;
      }
      case "suggestions": {
        const { hidden } = this.ui;
        const { text, values } = event;
        if (hidden?.canSuggest) this.ui = { ...this.ui, hidden: withSuggestions(hidden, { text, values }) };
        break;
      }
      case "view":
        this.#open({ view: viewOf(event) });
        break;
      case "changes": {
        const { groups, notes, type: _, ...about } = event;
        this.ui = openViewer(this.ui, { ...about, ...shownChanges(groups, notes) });
        break;
      }
      case "operation": {
        const { title, progress } = event;
        const startedAt = this.#operation?.startedAt ?? this.nowMs;
        this.#showOperation({ title, startedAt, ...(progress && { progress }) });
        break;
      }
      case "operation_ended":
        this.#showOperation(undefined);
        break;
    }
    this.drawNow();
  }

  /** Opens a layer of a command. The layer waits for a pause if the person is typing. */
  #open(opened: Pick<Partial<Ui>, "picker" | "marking" | "hidden" | "view">): void {
    const heldUntil = holdEnd(this.ui, this.nowMs);
    this.ui = { ...this.ui, ...opened, heldUntil };
    if (heldUntil > 0) this.#pacer.at(heldUntil);
  }

  #showOperation(operation: ShownOperation | undefined): void {
    this.#operation = operation;
    this.#pace();
  }

  #pace(): void {
    const isRunning = this.#isBusy || this.#operation !== undefined;
    const { isStill = false } = this.theme;
    const isSpinning = isRunning && !isStill && !isWriting(this.transcript);
    const clockMs = isStill ? STILL_CLOCK_MS : CLOCK_MS;
    const hasOpen = this.#tasks.some(({ endedAt }) => endedAt === undefined);
    this.#pacer.tickEvery(isSpinning ? SPINNER_MS : isRunning || hasOpen ? clockMs : undefined);
  }

  /** Takes the facts of the status line. */
  takeStatus(status: SessionStatus): void {
    const { cwd } = this.status;
    this.status = status;
    if (status.cwd !== cwd) this.#readBranch();
    this.#pacer.soon();
  }

  #readBranch(): void {
    this.branch = this.#props.info.branch(this.status.cwd);
  }

  /**
   * Takes the session's reported state, and updates what depends on whether it is busy. Turns also start and end
   * without a key press.
   */
  take(session: SessionView): void {
    const { mode, sessionId } = this.session;
    if (session.mode !== mode && session.sessionId === sessionId) this.#modeNewUntil = this.nowMs + MODE_NEW_MS;
    this.session = session;
    if (session.isEmpty) this.transcript = { ...this.transcript, context: undefined };
    const { busy } = session;
    if (busy === this.#isBusy) return;
    this.#isBusy = busy;
    this.isResumed = false;
    this.isStopping = false;
    this.#pace();
    if (!busy) this.#readBranch();
    this.drawNow();
  }
}

function viewOf({ title, lines, isMarkdown }: Extract<Shown, { readonly type: "view" }>): TextView {
  return { title, lines, scroll: 0, ...(isMarkdown && { transcript: markdownTranscript(lines.join("\n")) }) };
}
