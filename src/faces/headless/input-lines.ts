/** One line of stdin can be no longer than this, in bytes. */
export const MAX_INPUT_LINE_BYTES = 10 * 1024 * 1024;

export type InputLine =
  | {
      readonly kind: "line";
      readonly text: string;
      /** True when bytes that are no UTF-8 were replaced. */
      readonly isReplaced: boolean;
    }
  /** It was longer than the limit, and is gone. */
  | { readonly kind: "too_long"; readonly bytes: number };

const LINE_END = 10;

/**
 * Splits bytes into lines, however they are cut. Blank lines are left out; what stands behind the last line end counts as a line.
 * A line beyond the limit is passed over without being kept.
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

/** The line that is being read. */
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
    const line = decode(Buffer.concat(parts));
    return line.text.trim() === "" ? undefined : line;
  }
}

function decode(bytes: Uint8Array): Extract<InputLine, { kind: "line" }> {
  try {
    return { kind: "line", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), isReplaced: false };
  } catch {
    return { kind: "line", text: new TextDecoder().decode(bytes), isReplaced: true };
  }
}
