/** Keeps the last bytes that were written. */
export class ByteRing {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    // A copy, because a view would keep the pipe's whole buffer alive.
    const kept = Buffer.from(chunk.subarray(Math.max(0, chunk.length - this.#maxBytes)));
    this.#parts.push(kept);
    this.#bytes += kept.length;
    while (this.#bytes - (this.#parts[0]?.length ?? 0) >= this.#maxBytes)
      this.#bytes -= this.#parts.shift()?.length ?? 0;
    // Joins many small writes from time to time, to limit their number.
    if (this.#parts.length > 256) this.#parts = [Buffer.concat(this.#parts)];
  }

  get text(): string {
    const all = Buffer.concat(this.#parts);
    return all.subarray(Math.max(0, all.length - this.#maxBytes)).toString("utf8");
  }
}
