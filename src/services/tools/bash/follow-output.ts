import { setImmediate as giveWay } from "node:timers/promises";
import { withoutCutStart } from "@quoll/terminal-text/cut-word";
import type { OutputFile } from "../../../platform/processes/output-file.ts";
import { cutLine } from "./clip-output.ts";
import { cleanOutput, decodeOutput } from "./output-text.ts";

const CHUNK_BYTES = 256 * 1024;
/** The maximum number of bytes to read at once; a flood of output is counted with a short delay. */
const MAX_STEP_BYTES = 8 * 1024 * 1024;
const TAIL_BYTES = 8 * 1024;
const TAIL_LINES = 5;
const TAIL_LINE_CHARS = 400;
const NEWLINE = 0x0a;

/** Follows a growing output file: counts its lines and keeps its last ones for a screen. */
export class OutputFollower {
  readonly #file: OutputFile;
  #bytes = 0;
  #newlines = 0;
  #last: Buffer = Buffer.alloc(0);

  constructor(file: OutputFile) {
    this.#file = file;
  }

  /** Bytes counted so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes in the file; more than `bytes` in a flood. */
  size(): Promise<number> {
    return this.#file.size();
  }

  get totalLines(): number {
    const isOpen = this.#last.length > 0 && this.#last[this.#last.length - 1] !== NEWLINE;
    return this.#newlines + (isOpen ? 1 : 0);
  }

  /** The last lines in the form for a screen. */
  get tail(): readonly string[] {
    return this.lastLines(TAIL_LINES);
  }

  /** The last lines within the last 8 KiB. */
  lastLines(count: number): readonly string[] {
    const text = cleanOutput(decodeOutput(this.#last).text).replace(/\n+$/, "");
    if (text === "") return [];
    const [first = "", ...rest] = text.split("\n");
    const isCut = this.#bytes > this.#last.length;
    return [isCut ? withoutCutStart(first) : first, ...rest]
      .slice(-count)
      .map((line) => cutLine(line, TAIL_LINE_CHARS));
  }

  /** Reads new output, within limits. @returns true if there was any new output. */
  async step(maxBytes = MAX_STEP_BYTES): Promise<boolean> {
    const until = Math.min(await this.#file.size(), this.#bytes + maxBytes);
    if (until <= this.#bytes) return false;
    while (this.#bytes < until) {
      const chunk = await this.#file.read(this.#bytes, Math.min(this.#bytes + CHUNK_BYTES, until));
      if (chunk.length === 0) break;
      this.#bytes += chunk.length;
      this.#newlines += countNewlines(chunk);
      this.#last = Buffer.from(Buffer.concat([this.#last, chunk]).subarray(-TAIL_BYTES));
      // The reads above don't yield, so keys and streams are handled between two pieces of a flood.
      if (chunk.length === CHUNK_BYTES) await giveWay();
    }
    return true;
  }
}

function countNewlines(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === NEWLINE) count += 1;
  return count;
}
