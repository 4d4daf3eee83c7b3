import { formatDuration } from "@quoll/terminal-text/format-amount";
import { oneLine } from "@quoll/terminal-text/one-line";

/** A turn that took so long may have lost its reader. */
const LONG_TURN_MS = 20_000;
const MAX_COLUMNS = 120;
const BEL = "\u0007";
/** Keeps the window's title on the terminal's own stack, and takes it back (xterm's window operations 22 and 23). */
const KEEP_TITLE = "\u001b[22;0t";
const RESTORE_TITLE = "\u001b[23;0t";

export type AlertSettings = {
  /** Bell, and a notification of the desktop where the terminal can give one (OSC 9). */
  readonly notifications: boolean;
  readonly title: boolean;
};

type Doing = "idle" | "working" | "asking";
const DOING_WORDS: Readonly<Record<Doing, string>> = { idle: "", working: " · working", asking: " · asks you" };

/** Tells a person who looks elsewhere that they are needed: by bell, notification and the window's title. */
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

  /** Writes the title when it changed. */
  show(doing: Doing): void {
    if (!this.#settings.title) return;
    const title = `quoll · ${this.#folder}${DOING_WORDS[doing]}`;
    if (title === this.#title) return;
    const keep = this.#title === "" ? KEEP_TITLE : "";
    this.#title = title;
    this.#stdout.write(`${keep}\u001b]0;${title}${BEL}`);
  }

  /** A question takes the keys. Each rings once, but one that is expected does not. */
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

  /** Puts the title back. */
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
