import { oneLine } from "@quoll/terminal-text/one-line";

const MAX_COLUMNS = 30;

/** A part of the status line that an extension fills. */
export class StatusText {
  #text = "";
  #changed: () => void = () => undefined;

  /** Safe to print; empty for nothing. */
  get text(): string {
    return this.#text;
  }

  set(value: unknown): void {
    const text = typeof value === "string" ? oneLine(value, MAX_COLUMNS) : "";
    if (text === this.#text) return;
    this.#text = text;
    this.#changed();
  }

  /** @param changed Called when the text changes. */
  onChanged(changed: () => void): void {
    this.#changed = changed;
  }
}
