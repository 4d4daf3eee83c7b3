/** Keeps the last bytes that were written to it. */
export class ByteRing {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    // A copy: a part of a pipe's buffer would keep all of it alive.
    const kept = Buffer.from(chunk.subarray(Math.max(0, chunk.length - this.#maxBytes)));
    this.#parts.push(kept);
    this.#bytes += kept.length;
    while (this.#bytes - (this.#parts[0]?.length ?? 0) >= this.#maxBytes)
      this.#bytes -= this.#parts.shift()?.length ?? 0;
    // Many small writes are joined now and then, so that their number stays small too.
    if (this.#parts.length > 256) this.#parts = [Buffer.concat(this.#parts)];
  }

  get text(): string {
    const all = Buffer.concat(this.#parts);
    return all.subarray(Math.max(0, all.length - this.#maxBytes)).toString("utf8");
  }
}
