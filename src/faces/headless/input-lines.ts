import { isUtf8 } from "node:buffer";

/** The maximum number of bytes in a line of stdin. */
export const MAX_INPUT_LINE_BYTES = 10 * 1024 * 1024;

export type InputLine =
  | {
      readonly kind: "line";
      readonly text: string;
      /** True if invalid UTF-8 was replaced. */
      readonly isReplaced: boolean;
    }
  /** The line was longer than the limit and was dropped. */
  | { readonly kind: "too_long"; readonly bytes: number };

const LINE_END = 10;

/**
 * Splits bytes into lines. Blank lines are skipped; text after the last line end counts as a line. A line beyond the
 * limit is skipped without being stored.
 */
export async function* inputLines(
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number = MAX_INPUT_LINE_BYTES,
): AsyncGenerator<InputLine, void> {
  const open = new OpenLine(maxBytes);
  for await (const chunk of bytes) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, from)) {
      open.add(chunk.subarray(from, end));
      from = end + 1;
      const line = open.take();
      if (line) yield line;
    }
    open.add(chunk.subarray(from));
  }
  const last = open.take();
  if (last) yield last;
}

/** The unfinished line. */
class OpenLine {
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#bytes += part.length;
    if (this.#bytes > this.#maxBytes) this.#parts = [];
    else this.#parts.push(part);
  }

  /** @returns undefined for a blank line. */
  take(): InputLine | undefined {
    const bytes = this.#bytes;
    const parts = this.#parts;
    this.#bytes = 0;
    this.#parts = [];
    if (bytes > this.#maxBytes) return { kind: "too_long", bytes };
    const line = Buffer.concat(parts);
    const text = new TextDecoder().decode(line);
    return text.trim() === "" ? undefined : { kind: "line", text, isReplaced: !isUtf8(line) };
  }
}
