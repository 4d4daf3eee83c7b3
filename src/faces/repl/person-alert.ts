import { formatDuration } from "@quoll/terminal-text/format-amount";
import { oneLine } from "@quoll/terminal-text/one-line";
import { type TaskInfo, taskName } from "../../contracts/task.ts";
import type { AlertSettings, NotificationForm } from "../../contracts/terminal-settings.ts";
import type { Ui } from "./layers/ui-state.ts";
import type { RowQuestions } from "./tasks/row-questions.ts";

/** A person who answered a question within this time is still present for the next question. */
const JUST_ANSWERED_MS = 2_000;
const MAX_COLUMNS = 120;
/** More questions than ever wait at once. */
const MAX_ASKED = 100;
const BEL = "\u0007";
/** Saves and restores the window's title on the terminal's own stack (xterm's window operations 22 and 23). */
const KEEP_TITLE = "\u001b[22;0t";
const RESTORE_TITLE = "\u001b[23;0t";

/** As in `ReplTerminal`. */
type Terminal = {
  readonly stdout: Pick<NodeJS.WriteStream, "write">;
  readonly notification?: NotificationForm;
  readonly passThrough?: "tmux" | "screen" | undefined;
  readonly isPlain?: boolean;
};
type Shown = {
  readonly ui: Pick<Ui, "asking" | "answeredAt" | "typedAt">;
  readonly nowMs: number;
  readonly isBusy: boolean;
  /** The questions that wait in the rows of agents. */
  readonly rowQuestions?: RowQuestions;
};
type Doing = "idle" | "working" | "asking" | "done";
const DOING_WORDS: Readonly<Record<Doing, string>> = {
  idle: "",
  working: " · working",
  asking: " · asks you",
  done: " · done",
};

/** Notifies a person who is looking elsewhere that Quoll needs them: by bell, notification and window title. */
export class PersonAlert {
  readonly #terminal: Terminal;
  readonly #settings: AlertSettings;
  readonly #folder: string;
  #title = "";
  /** The ids of the questions that the person was notified of, the latest last. */
  #asked: readonly string[] = [];
  #isFocused = false;
  #isBusy = false;
  /** When the last turn ended; the person has not typed since. */
  #doneAt: number | undefined;

  constructor(terminal: Terminal, folder: string, settings: AlertSettings) {
    this.#terminal = terminal;
    this.#folder = oneLine(folder, MAX_COLUMNS);
    // A plain screen only rings the bell, because the other alerts are control sequences.
    this.#settings = terminal.isPlain ? { ...settings, notifications: "off", title: false } : settings;
  }

  /**
   * Takes the terminal's report whether its window has the focus. Without such a report, the window counts as not
   * focused.
   */
  focused(isFocused: boolean): void {
    this.#isFocused = isFocused;
  }

  /** Shows the current activity in the title, and notifies the person of a question that takes keys. */
  follow({ ui, nowMs, isBusy, rowQuestions = new Map() }: Shown): void {
    this.#isBusy = isBusy;
    if (isBusy || (this.#doneAt !== undefined && ui.typedAt > this.#doneAt)) this.#doneAt = undefined;
    const rest = this.#doneAt === undefined ? "idle" : "done";
    this.show(ui.asking || rowQuestions.size > 0 ? "asking" : isBusy ? "working" : rest);
    for (const { id, title } of rowQuestions.values()) this.asked({ id, title, isExpected: false });
    if (!ui.asking || nowMs < ui.asking.guardedUntil) return;
    const { id, title } = ui.asking.question;
    this.asked({ id, title, isExpected: nowMs - ui.answeredAt < JUST_ANSWERED_MS });
  }

  /** Writes the title if it changed. */
  show(doing: Doing): void {
    if (!this.#settings.title) return;
    const title = `quoll · ${this.#folder}${DOING_WORDS[doing]}`;
    if (title === this.#title) return;
    const keep = this.#title === "" ? KEEP_TITLE : "";
    this.#title = title;
    this.#terminal.stdout.write(`${keep}\u001b]0;${title}${BEL}`);
  }

  /** Notifies the person of a question. Each new question rings the bell, except an expected question. */
  asked({
    id,
    title,
    isExpected,
  }: {
    readonly id: string;
    readonly title: string;
    readonly isExpected: boolean;
  }): void {
    if (this.#asked.includes(id)) return;
    this.#asked = [...this.#asked, id].slice(-MAX_ASKED);
    if (!isExpected) this.#ring(`asks: ${title}`);
  }

  /** A turn ended. */
  finished(durationMs: number, nowMs: number): void {
    this.#doneAt = nowMs;
    if (durationMs >= this.#settings.longTurnMs) this.#ring(`is done after ${formatDuration(durationMs)}`);
  }

  /**
   * Notifies the person of the end of a background agent. The bell rings unless a turn runs, whose own end rings the
   * bell.
   */
  taskEnded(task: TaskInfo): void {
    if (!task.can.includes("answer") || !task.isBackground || task.parentAgentId !== null || this.#isBusy) return;
    this.#ring(`agent ${taskName(task)}: ${task.state}`);
  }

  /** Restores the title. */
  end(): void {
    if (this.#title === "") return;
    this.#title = "";
    this.#terminal.stdout.write(RESTORE_TITLE);
  }

  #ring(words: string): void {
    if (this.#isFocused) return;
    const { notifications, bell } = this.#settings;
    const { notification = "off", passThrough, stdout } = this.#terminal;
    const form = notifications === "auto" ? notification : notifications;
    const message = { title: `quoll (${this.#folder})`, text: oneLine(words, MAX_COLUMNS) };
    const sequence = notificationSequence(form, message, passThrough) + (bell ? BEL : "");
    if (sequence !== "") stdout.write(sequence);
  }
}

const ESC = "\u001b";
const ST = `${ESC}\\`;

/**
 * The sequence for a desktop notification; empty for `off`. OSC 9 is the form of iTerm2, OSC 777 that of rxvt-unicode,
 * OSC 99 that of kitty ("Desktop notifications" in its documentation).
 * @param title One line that is safe to print, like `text`.
 * @param through The multiplexer around the program: tmux passes a sequence on if `allow-passthrough` is on, screen always.
 */
export function notificationSequence(
  form: NotificationForm,
  { title, text }: { readonly title: string; readonly text: string },
  through?: "tmux" | "screen",
): string {
  const sequence = plainSequence(form, title, text);
  if (sequence === "" || through === undefined) return sequence;
  if (through === "screen") return `${ESC}P${sequence}${ST}`;
  return `${ESC}Ptmux;${sequence.replaceAll(ESC, ESC + ESC)}${ST}`;
}

function plainSequence(form: NotificationForm, title: string, text: string): string {
  switch (form) {
    case "osc9":
      return `${ESC}]9;${title} ${text}${BEL}`;
    case "osc777":
      // A semicolon would end the title.
      return `${ESC}]777;notify;${title.replaceAll(";", ",")};${text.replaceAll(";", ",")}${BEL}`;
    case "osc99":
      return `${ESC}]99;i=quoll:d=0;${title}${BEL}${ESC}]99;i=quoll:d=1:p=body;${text}${BEL}`;
    case "off":
      return "";
  }
}
