import { plainText } from "@quoll/terminal-text/plain-text";
import type { DebugTopic } from "../../../contracts/debug.ts";
import type { Clock, Redactor } from "../../../contracts/ports.ts";
import { AppendFile } from "../../../platform/append-file.ts";

/** The largest size of one log, its last line included. */
export const MAX_LOG_BYTES = 20 * 1024 * 1024;
/** The longest part of an entry that is written; the entry names the length of the rest. */
const MAX_ENTRY_CHARS = 8_000;
const LAST_ENTRY = "log  The log has reached its largest size: nothing more is written.";
const TAG_COLUMNS = 11;
const TIME_COLUMNS = 25;

/**
 * `log`: the session itself. `fault`: an error that is Quoll's own, with its stack. Both kinds are written regardless
 * of the chosen topics.
 */
export type DebugTag = DebugTopic | "log" | "fault";

export type DebugFileDeps = {
  readonly path: string;
  readonly topics: readonly DebugTopic[];
  readonly redactor: Pick<Redactor, "redact">;
  readonly clock: Pick<Clock, "now">;
  readonly maxBytes?: number;
};

/**
 * One log: entries that begin with a time and a tag, credentials hidden. Only this user can read the log. No method
 * throws; only the constructor does.
 */
export class DebugFile {
  readonly path: string;
  readonly #deps: DebugFileDeps;
  readonly #file: AppendFile;
  readonly #maxBytes: number;
  #isOver = false;

  /**
   * A resumed session continues its log; a log that is more than half full is started again.
   * @throws {Error} a system error.
   */
  constructor(deps: DebugFileDeps) {
    this.path = deps.path;
    this.#deps = deps;
    this.#maxBytes = deps.maxBytes ?? MAX_LOG_BYTES;
    this.#file = new AppendFile(deps.path);
    if (this.#file.size > this.#maxBytes / 2) this.#file.truncate(0);
  }

  wants(tag: DebugTag): boolean {
    return tag === "log" || tag === "fault" || this.#deps.topics.includes(tag);
  }

  /**
   * @param text may have several lines. Credentials are hidden before the text is cut, so that no half of a
   * credential remains.
   */
  write(tag: DebugTag, text: string): void {
    if (this.#isOver || !this.wants(tag)) return;
    // Escape sequences are removed first, because the redactor does not recognise a credential that contains one.
    const hidden = this.#deps.redactor.redact(plainText(text));
    const rest = hidden.length - MAX_ENTRY_CHARS;
    const cut = rest > 0 ? `${hidden.slice(0, MAX_ENTRY_CHARS)}… (${rest} more characters)` : hidden;
    this.#append(`${tag.padEnd(TAG_COLUMNS)}  ${cut.replace(/\r?\n/g, `\n${" ".repeat(TIME_COLUMNS)}`)}`);
  }

  close(): void {
    this.#isOver = true;
    this.#file.close();
  }

  #append(entry: string): void {
    const time = new Date(this.#deps.clock.now()).toISOString();
    const room = this.#maxBytes - this.#file.size - Buffer.byteLength(`${time} ${LAST_ENTRY}\n`);
    const line = `${time} ${entry}\n`;
    this.#isOver = Buffer.byteLength(line) > room;
    try {
      this.#file.append(this.#isOver ? `${time} ${LAST_ENTRY}\n` : line);
    } catch {
      // The disk may be full: the session matters more than its log.
      this.#isOver = true;
    }
  }
}
