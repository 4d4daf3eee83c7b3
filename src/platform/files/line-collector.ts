import { withoutCutEnd } from "@quoll/terminal-text/cut-word";
import type { Encoding, LineWindow, NumberedLine } from "../../contracts/files.ts";
import { decodeLine, encodedLength } from "./encoding.ts";

const LF = 0x0a;
const CR = 0x0d;
/** The maximum number of UTF-8 bytes of one UTF-16 unit; a line is kept up to its limit times this factor. */
const MAX_BYTES_A_CHAR = 3;

const NUMBER_CHARS = 8;

/** Receives a file in pieces and keeps the lines of a window; memory depends on the window, not the file. */
export class LineCollector {
  readonly lines: NumberedLine[] = [];
  hasStray = false;
  hasCrLf = false;
  /** Complete lines so far. */
  #lineCount = 0;
  #chars = 0;
  #full: "lines" | "chars" | undefined;
  /** The start of the incomplete line, up to the longest part that could be shown. */
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #lineBytes = 0;
  #lastByte: number | undefined;

  constructor(
    readonly window: LineWindow,
    readonly encoding: Encoding,
  ) {}

  /** Why no more lines are kept; undefined while the window is open. */
  get full(): "lines" | "chars" | undefined {
    return this.#full;
  }

  /** Total number of lines after the whole file; a last line without a line end counts. */
  get lineCount(): number {
    return this.#lineCount + (this.#lineBytes > 0 ? 1 : 0);
  }

  get endsWithNewline(): boolean {
    return this.#lastByte === LF;
  }

  feed(chunk: Buffer): void {
    if (chunk.length > 0) this.#lastByte = chunk[chunk.length - 1];
    for (let at = 0; at < chunk.length; ) {
      const end = chunk.indexOf(LF, at);
      this.#take(chunk, at, end);
      if (end === -1) return;
      this.#closeLine();
      at = end + 1;
    }
  }

  /** Ends the file. */
  end(): void {
    if (this.#lineBytes === 0) return;
    this.#show();
  }

  /** @param end of the line; -1 where the chunk ends before it. */
  #take(chunk: Buffer, from: number, end: number): void {
    const to = end === -1 ? chunk.length : end;
    this.#lineBytes += to - from;
    if (!this.#wanted) return;
    const room = (this.window.maxLineChars + 2) * MAX_BYTES_A_CHAR - this.#pendingBytes;
    if (room <= 0) return;
    const kept = chunk.subarray(from, Math.min(to, from + room));
    // The reader reuses the chunk, so an incomplete line is copied; a complete line is used before that.
    this.#pending.push(end === -1 ? Buffer.from(kept) : kept);
    this.#pendingBytes += kept.length;
  }

  get #wanted(): boolean {
    return this.#full === undefined && this.#lineCount + 1 >= this.window.firstLine;
  }

  #closeLine(): void {
    this.#show();
    this.#lineCount += 1;
    this.#lineBytes = 0;
  }

  #show(): void {
    if (!this.#wanted) return;
    const [first] = this.#pending;
    const bytes = this.#pending.length === 1 && first ? first : Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    if (this.lines.length >= this.window.maxLines) {
      this.#full = "lines";
      return;
    }
    const line = this.#decode(bytes);
    this.#chars += line.text.length + NUMBER_CHARS;
    if (this.#chars > this.window.maxChars && this.lines.length > 0) this.#full = "chars";
    else this.lines.push(line);
  }

  #decode(bytes: Buffer): NumberedLine {
    const isWhole = bytes.length === this.#lineBytes;
    const hasCr = isWhole && bytes[bytes.length - 1] === CR;
    if (hasCr) this.hasCrLf = true;
    const { text, stray } = decodeLine(
      hasCr ? bytes.subarray(0, -1) : isWhole ? bytes : wholeChars(bytes),
      this.encoding,
    );
    if (stray) this.hasStray = true;
    const clipped = clip(text, this.window.maxLineChars);
    const isCut = !isWhole || clipped.length < text.length;
    const shown = isCut ? withoutCutEnd(clipped) : clipped;
    const cutBytes = isCut ? Math.max(1, this.#lineBytes - encodedLength(shown, this.encoding)) : 0;
    return { number: this.#lineCount + 1, text: shown, cutBytes };
  }
}

/** Removes a UTF-8 sequence that the cut has split. */
function wholeChars(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && end > bytes.length - 4 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end -= 1;
  return (bytes[end - 1] ?? 0) >= 0xc0 ? bytes.subarray(0, end - 1) : bytes;
}

/** The start of a text, never ending in half a surrogate pair. */
export function clip(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const last = text.charCodeAt(maxChars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxChars - 1 : maxChars);
}
