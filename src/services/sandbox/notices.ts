/** The maximum number of lines shown individually; further lines are only counted. */
const MAX_LINES = 12;

/** Notices that the person sees at once and the model with the next result. */
export class Notices {
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

  /** Reports how many lines were left out and resets the count. */
  conclude(): void {
    const more = this.#told - MAX_LINES;
    if (more > 0) this.#tell(`${more} more such entries were moved aside: their names hold .set-aside-`);
    this.#told = 0;
  }

  /** Returns and removes the lines that no result has carried yet. */
  take(): readonly string[] {
    return this.#lines.splice(0);
  }

  #tell(line: string): void {
    this.#lines.push(line);
    this.#warn?.(line);
  }
}

/** A name chosen by a command, with control and format characters replaced. */
export function printableName(path: string): string {
  return path.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?");
}
