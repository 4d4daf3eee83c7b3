import { NO_USAGE } from "../../contracts/message.ts";
import type { Question } from "../../contracts/question.ts";
import type { FramePacer } from "./frame-pacer.ts";
import { DEFAULT_KEYMAP, type Keymap } from "./keymap/keymap.ts";
import { openPicker } from "./layers/picker.ts";
import { type Completion, emptyUi, type Ui } from "./layers/ui-state.ts";
import type { ReplProps } from "./repl-props.ts";
import type { SessionEvent, SessionView } from "./session-protocol.ts";
import { foldedText } from "./transcript/folded-text.ts";
import { addRow } from "./transcript/reduce.ts";
import { emptyTranscript, type FaceRow, type Transcript } from "./transcript/transcript.ts";
import type { ShownOperation } from "./view/status-line.ts";
import type { Theme } from "./view/theme.ts";

/** Until the session has told of itself. */
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

type ShownType = "commands" | "row" | "choose" | "field" | "view" | "operation" | "operation_ended";
type Shown = Extract<SessionEvent, { readonly type: ShownType }>;

/** What the REPL knows: every frame is drawn from it. Shared by those that change a part of it each. */
export class ReplState {
  transcript: Transcript = emptyTranscript;
  ui: Ui = emptyUi;
  keymap: Keymap = DEFAULT_KEYMAP;
  /** Rows that are printed already keep the colours that they were printed with. */
  theme: Theme;
  /** As it was told last. */
  session: SessionView = NO_SESSION;
  /** The questions that wait, the one that is shown first. */
  questions: readonly Question[] = [];
  /** Commands that can be offered while their name is typed. */
  completions: readonly Completion[] = [];
  branch: string | undefined;
  /** What the model's tools still wait for. */
  starting: readonly string[] = [];
  hasLeft = false;
  #operation: ShownOperation | undefined;
  /** The running turn was told to stop. */
  isStopping = false;
  readonly #props: Pick<ReplProps, "info" | "clock">;
  readonly #pacer: FramePacer;
  #isBusy = false;

  constructor(props: Pick<ReplProps, "info" | "clock">, pacer: FramePacer, theme: Theme) {
    this.theme = theme;
    this.#props = props;
    this.#pacer = pacer;
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** What a command is busy with. */
  get operation(): ShownOperation | undefined {
    return this.#operation;
  }

  /** Monotonic milliseconds. */
  get nowMs(): number {
    return this.#props.clock.monotonicMs();
  }

  /** Draws once what is happening now is done. */
  drawNow(): void {
    this.#pacer.now();
  }

  add(row: FaceRow): void {
    this.transcript = addRow(this.transcript, row);
    this.drawNow();
  }

  tell(level: "info" | "warning" | "error", text: string): void {
    this.add({ kind: "notice", level, text });
  }

  /** Opens all of what the transcript shows only in part. */
  openFolded(): void {
    const folded = foldedText(this.transcript);
    if (folded) this.ui = { ...this.ui, view: { ...folded, scroll: 0 } };
  }

  /** What a command shows. */
  show(event: Shown): void {
    switch (event.type) {
      case "commands":
        this.completions = event.completions;
        break;
      case "row":
        this.add(event.row);
        break;
      case "choose":
        this.ui = { ...this.ui, picker: openPicker(event.list) };
        break;
      case "field":
        this.ui = { ...this.ui, hidden: { title: event.title, text: "", isShown: event.isShown } };
        break;
      case "view":
        this.ui = { ...this.ui, view: { title: event.title, lines: event.lines, scroll: 0 } };
        break;
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

  #showOperation(operation: ShownOperation | undefined): void {
    this.#operation = operation;
    if (operation) this.#pacer.startTicking();
    else if (!this.#isBusy) this.#pacer.stopTicking();
  }

  /** What the session says of itself, and what depends on whether it works. Turns begin and end by themselves too. */
  take(session: SessionView): void {
    this.session = session;
    if (session.isEmpty) this.transcript = { ...this.transcript, context: undefined };
    const { busy } = session;
    if (busy === this.#isBusy) return;
    this.#isBusy = busy;
    this.isStopping = false;
    if (busy) this.#pacer.startTicking();
    else {
      if (!this.#operation) this.#pacer.stopTicking();
      this.branch = this.#props.info.branch();
    }
    this.drawNow();
  }
}
