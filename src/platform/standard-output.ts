import { fstatSync, writeSync } from "node:fs";
import { isatty } from "node:tty";
import { UserFacingError } from "../contracts/errors.ts";

const STDOUT = 1;
/** Nobody reads any more: that is the reader's choice and no fault. */
export const READER_GONE = "EPIPE";

/**
 * Writes text to stdout. Only a file can fail here: the reader of a pipe or a terminal that is gone counts as done.
 * @throws {UserFacingError} (exit 1) stdout can't be written, for example because the disk is full.
 */
export function printOut(text: string): void {
  writeOut(text, (error) => {
    if (error && isFile()) throw new UserFacingError(outputFailure(error), 1, { cause: error });
  });
}

/** As `printOut`, with the end of the line. */
export function printLine(text: string): void {
  printOut(`${text}\n`);
}

/** The line for a person when stdout takes no more. */
export function outputFailure(error: Error): string {
  const reason = /^[A-Z]+: (.+), \w+$/.exec(error.message)?.[1] ?? error.message;
  return `stdout can't be written: ${reason}. The output is not complete.`;
}

/**
 * Writes text to stdout; `done` is told once, with the error if there was one. Files are written at once and whole: the
 * runtimes' own streams lose the rest of a short write (Node) or take more after an error for ever (Bun).
 */
export function writeOut(text: string, done: (error?: Error) => void): void {
  if (isFile()) {
    done(writeWhole(Buffer.from(text)));
    return;
  }
  // An error comes to the callback and to the listeners: one must be there, or it ends the process.
  if (!process.stdout.listeners("error").includes(ignore)) process.stdout.on("error", ignore);
  process.stdout.write(text, (error) => done(error ?? undefined));
}

/** Resolves when stdout has taken everything; a reader that has gone counts as done. */
export function flushOut(): Promise<void> {
  return new Promise((resolve) => {
    if (isFile() || process.stdout.destroyed || !process.stdout.writable) return resolve();
    process.stdout.once("error", () => resolve());
    // Bun calls back an empty write at once, whatever stands before it.
    process.stdout.end(() => resolve());
  });
}

function ignore(): void {}

/** A file, or a device that is no terminal, such as /dev/full. */
function isFile(): boolean {
  const stat = fstatSync(STDOUT);
  return stat.isFile() || (stat.isCharacterDevice() && !isatty(STDOUT));
}

function writeWhole(bytes: Buffer): Error | undefined {
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(STDOUT, bytes, at);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
