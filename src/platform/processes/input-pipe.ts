import { execFile } from "node:child_process";
import { closeSync, constants, openSync, writeSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import { promisify } from "node:util";
import { errorCode } from "../../contracts/errors.ts";
import { STDIN_FOLDER_PREFIX, stdinFolders } from "./child-stdin.ts";

const PROGRAM_PLACES = "/usr/bin:/bin:/usr/local/bin:/run/current-system/sw/bin";
/** A reader that is busy empties a full pipe within this time. */
const FIRST_WAIT_MS = 1;
const MAX_WAIT_MS = 50;

/** The standard input of a program that gets its input while it runs. */
export type InputPipe = {
  /** The program's end; the caller closes it after the start. */
  readonly reader: number;
  readonly writer: Writable;
};

/**
 * A pipe, for the reason that `inputFile` gives. It is made as a named pipe that loses its name at once, because
 * neither runtime makes another pipe.
 * @throws {Error} no temporary folder can be written, or the program mkfifo is missing.
 */
export async function inputPipe(): Promise<InputPipe> {
  let failure: unknown;
  for (const parent of stdinFolders()) {
    try {
      return await inputPipeIn(parent);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function inputPipeIn(parent: string): Promise<InputPipe> {
  const folder = await mkdtemp(join(parent, STDIN_FOLDER_PREFIX));
  try {
    const path = join(folder, "input");
    await promisify(execFile)("mkfifo", ["-m", "600", path], { cwd: "/", env: { PATH: PROGRAM_PLACES } });
    // A pipe with both ends open lets each end be opened alone without a wait.
    const both = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    try {
      const reader = openSync(path, constants.O_RDONLY);
      const writer = new PipeWriter(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
      return { reader, writer };
    } finally {
      closeSync(both);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes into a pipe without occupying a thread while the pipe is full. */
class PipeWriter extends Writable {
  readonly #file: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Ends the write that waits for room. */
  #fail: ((error: Error) => void) | undefined;

  constructor(file: number) {
    super();
    this.#file = file;
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#writeRest(chunk, FIRST_WAIT_MS, done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#timer);
    this.#fail?.(error ?? new Error("The pipe was closed."));
    closeSync(this.#file);
    done(error);
  }

  #writeRest(bytes: Buffer, waitMs: number, done: (error?: Error | null) => void): void {
    const { written, error } = writeSome(this.#file, bytes);
    const rest = bytes.subarray(written);
    this.#fail = undefined;
    if (error || rest.length === 0) {
      done(error);
      return;
    }
    const nextMs = written > 0 ? FIRST_WAIT_MS : Math.min(waitMs * 2, MAX_WAIT_MS);
    this.#fail = done;
    this.#timer = setTimeout(() => this.#writeRest(rest, nextMs, done), waitMs);
  }
}

function writeSome(file: number, bytes: Buffer): { readonly written: number; readonly error?: Error } {
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(file, bytes, written);
    return { written };
  } catch (error) {
    if (errorCode(error) === "EAGAIN") return { written };
    return { written, error: error instanceof Error ? error : new Error(String(error)) };
  }
}
