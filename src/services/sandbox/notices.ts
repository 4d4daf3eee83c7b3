/** The maximum number of lines shown individually; further lines are only counted. */
const MAX_LINES = 12;

/** Notices that the person sees at once and the model with the next result. */
export class Notices {
  readonly #onNotice: ((line: string) => void) | undefined;
  #lines: string[] = [];
  #count = 0;

  constructor(onNotice: ((line: string) => void) | undefined) {
    this.#onNotice = onNotice;
  }

  add(line: string): void {
    this.#count += 1;
    if (this.#count <= MAX_LINES) this.#notify(line);
  }

  /** Reports how many lines were left out and resets the count. */
  conclude(): void {
    const more = this.#count - MAX_LINES;
    if (more > 0) this.#notify(`${more} more such entries were moved aside: their names hold .set-aside-`);
    this.#count = 0;
  }

  /** Returns and removes the lines that no result has carried yet. */
  take(): readonly string[] {
    return this.#lines.splice(0);
  }

  #notify(line: string): void {
    this.#lines.push(line);
    this.#onNotice?.(line);
  }
}

/** A name chosen by a command, with control and format characters replaced. */
export function printableName(path: string): string {
  return path.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?");
}
