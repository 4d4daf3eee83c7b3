const LINE_FEED = 0x0a;

/** Splits bytes into lines in linear time, for any chunk size. Decodes each complete line once. */
export class LineSplitter {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * @returns the complete lines, without line ends.
   * @throws {RangeError} a line is longer than `maxBytes`.
   */
  push(chunk: Buffer): readonly string[] {
    const lines: string[] = [];
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
      lines.push(this.#take(chunk.subarray(from, at)));
      from = at + 1;
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
    return lines;
  }

  #take(end: Buffer): string {
    this.#keep(end);
    const line = Buffer.concat(this.#parts, this.#bytes).toString("utf8");
    this.#parts = [];
    this.#bytes = 0;
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#maxBytes) throw new RangeError(`a line is longer than ${this.#maxBytes} bytes`);
    this.#parts.push(part);
  }
}
