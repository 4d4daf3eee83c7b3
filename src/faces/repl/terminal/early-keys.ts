import { textWidth } from "@quoll/terminal-text/text-width";

const CTRL_C = "\u0003";
const BACKSPACE = "\u007f";
/** Only letters that every terminal draws in one row. */
const PRINTABLE = /^[\p{L}\p{N}\p{P}\p{S}\p{Zs}]+$/u;

type Parts = {
  readonly stdin: NodeJS.ReadStream;
  /** Draws what was typed; nothing if the text is not one line that fits. */
  readonly echo: (text: string) => void;
  /** Columns for the typed text. */
  readonly columns: number;
  /** The person pressed Ctrl+C. */
  readonly interrupt: () => void;
};

/** Takes the keys that are typed while the session is opened: shows letters at once, and keeps all keys for the REPL. */
export class EarlyKeys {
  readonly #parts: Parts;
  readonly #onData = (chunk: string | Buffer) => this.#take(String(chunk));
  #kept = "";
  #shown: string | undefined = "";
  #isListening = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.listen();
  }

  listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    const { stdin } = this.#parts;
    stdin.setEncoding("utf8");
    stdin.on("data", this.#onData);
    stdin.resume();
  }

  /** Leaves the keys to another reader. */
  pause(): void {
    if (!this.#isListening) return;
    this.#isListening = false;
    const { stdin } = this.#parts;
    stdin.off("data", this.#onData);
    stdin.pause();
  }

  /** The text that is drawn after the prompt's mark. */
  get shown(): string {
    return this.#shown ?? "";
  }

  /** Ends the reading. @returns all keys so far, for the REPL. */
  end(): string {
    this.pause();
    const kept = this.#kept;
    this.#kept = "";
    return kept;
  }

  #take(text: string): void {
    if (text.includes(CTRL_C)) {
      this.#parts.interrupt();
      return;
    }
    // Enter was pressed before the terminal was in raw mode.
    this.#kept += text.replaceAll("\n", "\r");
    this.#show(text);
  }

  /** Other keys than letters have a meaning that only the REPL knows: from then on, nothing is shown. */
  #show(text: string): void {
    const { columns, echo } = this.#parts;
    if (this.#shown === undefined) return;
    const typed = text === BACKSPACE ? this.#shown.slice(0, -1) : this.#shown + text;
    const isShown = typed === "" || (PRINTABLE.test(typed) && textWidth(typed) < columns);
    this.#shown = isShown ? typed : undefined;
    echo(isShown ? typed : "");
  }
}
