import { fstatSync, type Stats, writeSync } from "node:fs";
import { plainText } from "@quoll/terminal-text/plain-text";
import { UserFacingError } from "../contracts/errors.ts";

const STDOUT = 1;
/** The error code when the reader has closed the pipe, which is not a failure. */
export const READER_GONE = "EPIPE";

/**
 * Writes text to stdout. Only writes to a file can fail: a closed pipe or terminal counts as success.
 * @throws {UserFacingError} (exit 1) stdout can't be written, for example because the disk is full.
 */
export function printOut(text: string): void {
  writeOut(text, (error) => {
    if (error && isFile()) throw new UserFacingError(outputFailure(error), 1, { cause: error });
  });
}

/** Like `printOut`, for text of files, models and sessions: on a terminal without control sequences, elsewhere exact. */
export function printText(text: string): void {
  printOut(textForTerminal(text));
}

/** Like `printText`, with a line feed. */
export function printLine(text: string): void {
  printText(`${text}\n`);
}

/** The text as stdout may get it: a terminal must not obey sequences in it. */
export function textForTerminal(text: string): string {
  return isTerminal(fstatSync(STDOUT)) ? plainText(text) : text;
}

/** The error message when stdout can't be written. */
export function outputFailure(error: Error): string {
  const reason = /^[A-Z]+: (.+), \w+$/.exec(error.message)?.[1] ?? error.message;
  return `stdout can't be written: ${reason}. The output is not complete.`;
}

/**
 * Writes text to stdout; `done` is called once, with the error if any. Files are written synchronously and completely:
 * the runtimes' own streams lose the rest of a short write (Node) or accept data for ever after an error (Bun).
 */
export function writeOut(text: string, done: (error?: Error) => void): void {
  if (isFile()) {
    done(writeWhole(Buffer.from(text)));
    return;
  }
  // An error also goes to the listeners; without a listener it would end the process.
  if (!process.stdout.listeners("error").includes(ignore)) process.stdout.on("error", ignore);
  process.stdout.write(text, (error) => done(error ?? undefined));
}

/** Resolves when stdout has been flushed; a closed pipe counts as flushed. */
export function flushOut(): Promise<void> {
  return new Promise((resolve) => {
    if (isFile() || process.stdout.destroyed || !process.stdout.writable) return resolve();
    process.stdout.once("error", () => resolve());
    // Bun calls back an empty write at once, even with earlier writes pending.
    process.stdout.end(() => resolve());
  });
}

function ignore(): void {}

/** A file, or a device other than a terminal, such as /dev/full. */
function isFile(): boolean {
  const stat = fstatSync(STDOUT);
  return stat.isFile() || (stat.isCharacterDevice() && !isTerminal(stat));
}

/** Asked only for a device, because the first use of `process.stdout` loads the runtime's streams. */
function isTerminal(stat: Stats): boolean {
  return stat.isCharacterDevice() && process.stdout.isTTY === true;
}

function writeWhole(bytes: Buffer): Error | undefined {
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(STDOUT, bytes, at);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
