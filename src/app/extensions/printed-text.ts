import { plainText } from "@quoll/terminal-text/plain-text";
import { printError } from "../../platform/host.ts";

/** Kept until the debug log is open; later text of the start is dropped. */
const MAX_EARLY = 100;
const MAX_CHARS = 10_000;

/** The text that extensions write with `console`: stderr gets it, or with a screen only the debug log. */
export class PrintedText {
  readonly #hasScreen: boolean;
  #early: string[] = [];
  #log: ((text: string) => void) | undefined;

  constructor(hasScreen: boolean) {
    this.#hasScreen = hasScreen;
  }

  add(text: string): void {
    const line = plainText(text.slice(0, MAX_CHARS).trimEnd());
    if (!this.#hasScreen) printError(line);
    if (this.#log) this.#log(line);
    else if (this.#early.length < MAX_EARLY) this.#early.push(line);
  }

  logBy(log: (text: string) => void): void {
    for (const line of this.#early) log(line);
    this.#early = [];
    this.#log = log;
  }
}
