import { InvalidInputError } from "../../../contracts/errors.ts";
import { matchPieces } from "../../../platform/globs/match-pieces.ts";
import type { OutputFile } from "../../../platform/processes/output-file.ts";
import { cutLine } from "./clip-output.ts";
import { cleanOutput, decodeOutput } from "./output-text.ts";

/** Of new output at one look; what a flood printed before is skipped. */
const MAX_LOOK_BYTES = 1024 * 1024;
/** An open line that grows beyond this is judged in parts. */
const MAX_OPEN_BYTES = 64 * 1024;
const MAX_LINE_CHARS = 400;
const NEWLINE = 0x0a;
/** Signs of a regular expression, which would match nothing as a plain text. */
const REGEX_SIGN = /[\\^$[\]()+]|\.\*/;

/**
 * Finds the lines of a growing log that hold a text. `|` separates several texts, `*` in a text stands for any
 * characters, case does not count. Plain texts, because a regular expression that backtracks would block the program.
 */
export class WatchedLines {
  readonly #texts: readonly (readonly string[])[];
  #seenBytes = 0;

  /** @throws {InvalidInputError} the pattern is a regular expression, or empty. */
  constructor(pattern: string) {
    if (REGEX_SIGN.test(pattern))
      throw new InvalidInputError(
        "`notify_on` takes plain texts, no regular expression: `ready|error`; `*` stands for any characters.",
      );
    const texts = pattern.toLowerCase().split("|");
    const isText = (text: string) => /[^*]/.test(text);
    this.#texts = texts.filter(isText).map((text) => ["", ...text.split("*"), ""]);
    if (this.#texts.length === 0) throw new InvalidInputError("`notify_on` has no text to look for.");
  }

  /**
   * The matching lines from the last look to `size`, in bytes. An open line waits for its end until `isOver`.
   * @throws {Error} a system error.
   */
  async look(log: OutputFile, size: number, isOver: boolean): Promise<readonly string[]> {
    const start = Math.max(this.#seenBytes, size - MAX_LOOK_BYTES);
    if (start >= size) return [];
    const bytes = await log.read(start, size);
    const closed = bytes.lastIndexOf(NEWLINE) + 1;
    const used = isOver || bytes.length - closed > MAX_OPEN_BYTES ? bytes.length : closed;
    this.#seenBytes = start + used;
    const lines = cleanOutput(decodeOutput(bytes.subarray(0, used)).text).split("\n");
    return lines.filter((line) => this.#matches(line.toLowerCase())).map((line) => cutLine(line, MAX_LINE_CHARS));
  }

  #matches(line: string): boolean {
    return this.#texts.some((pieces) => matchPieces(pieces, line));
  }
}
