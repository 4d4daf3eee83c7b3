import { formatDuration } from "@quoll/terminal-text/format-amount";
import { oneLine } from "@quoll/terminal-text/one-line";
import type { Ui } from "./layers/ui-state.ts";

/** During a longer turn the person may have looked away. */
const LONG_TURN_MS = 20_000;
/** A person who answered a question less than this ago is still there for the next. */
const JUST_ANSWERED_MS = 2_000;
const MAX_COLUMNS = 120;
const BEL = "\u0007";
/** Saves and restores the window's title on the terminal's own stack (xterm's window operations 22 and 23). */
const KEEP_TITLE = "\u001b[22;0t";
const RESTORE_TITLE = "\u001b[23;0t";

export type AlertSettings = {
  /** Rings the bell, and shows a desktop notification if the terminal supports it (OSC 9). */
  readonly notifications: boolean;
  readonly title: boolean;
};

type Shown = { readonly ui: Pick<Ui, "asking" | "answeredAt">; readonly nowMs: number; readonly isBusy: boolean };
type Doing = "idle" | "working" | "asking";
const DOING_WORDS: Readonly<Record<Doing, string>> = { idle: "", working: " · working", asking: " · asks you" };

/** Tells a person who is looking elsewhere that they are needed: by bell, notification and window title. */
export class PersonAlert {
  readonly #stdout: Pick<NodeJS.WriteStream, "write">;
  readonly #settings: AlertSettings;
  readonly #folder: string;
  #title = "";
  #askedLast = "";

  constructor(stdout: Pick<NodeJS.WriteStream, "write">, folder: string, settings: AlertSettings) {
    this.#stdout = stdout;
    this.#folder = oneLine(folder, MAX_COLUMNS);
    this.#settings = settings;
  }

  /** Shows what goes on, and calls the person to a question that takes keys. */
  follow({ ui, nowMs, isBusy }: Shown): void {
    this.show(ui.asking ? "asking" : isBusy ? "working" : "idle");
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
    this.#stdout.write(`${keep}\u001b]0;${title}${BEL}`);
  }

  /** A question needs an answer. Each new question rings, except an expected one. */
  asked({
    id,
    title,
    isExpected,
  }: {
    readonly id: string;
    readonly title: string;
    readonly isExpected: boolean;
  }): void {
    if (id === this.#askedLast) return;
    this.#askedLast = id;
    if (!isExpected) this.#ring(`asks: ${title}`);
  }

  finished(durationMs: number): void {
    if (durationMs >= LONG_TURN_MS) this.#ring(`is done after ${formatDuration(durationMs)}`);
  }

  /** Restores the title. */
  end(): void {
    if (this.#title === "") return;
    this.#title = "";
    this.#stdout.write(RESTORE_TITLE);
  }

  #ring(words: string): void {
    if (this.#settings.notifications)
      this.#stdout.write(`\u001b]9;${oneLine(`quoll (${this.#folder}) ${words}`, MAX_COLUMNS)}${BEL}${BEL}`);
  }
}
