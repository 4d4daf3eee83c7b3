/** So many lines are told one by one; of the others the number. */
const MAX_LINES = 12;

/** Lines that the person is told at once, and the model with the next result. */
export class ToldLines {
  readonly #warn: ((line: string) => void) | undefined;
  #lines: string[] = [];
  #told = 0;

  constructor(warn: ((line: string) => void) | undefined) {
    this.#warn = warn;
  }

  say(line: string): void {
    this.#told += 1;
    if (this.#told <= MAX_LINES) this.#tell(line);
  }

  /** Tells how many lines were left out, and begins to count anew. */
  conclude(): void {
    const more = this.#told - MAX_LINES;
    if (more > 0) this.#tell(`${more} more such entries were moved aside: their names hold .set-aside-`);
    this.#told = 0;
  }

  /** What no result has told yet. */
  take(): readonly string[] {
    return this.#lines.splice(0);
  }

  #tell(line: string): void {
    this.#lines.push(line);
    this.#warn?.(line);
  }
}
