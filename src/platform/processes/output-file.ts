import { closeSync, constants, fstatSync, mkdirSync, openSync, readSync, unlinkSync, writeFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * The growing output of a command. Stays readable when the command deletes the file. Each call does its work at once
 * instead of on another thread: for these short local reads, switching threads costs more than the read.
 */
export class OutputFile implements AsyncDisposable {
  readonly path: string;
  #descriptor: number | undefined;

  private constructor(path: string, descriptor: number) {
    this.path = path;
    this.#descriptor = descriptor;
  }

  /** Creates the file (0600) in a folder (0700). @throws {Error} the path already exists. */
  static async create(path: string): Promise<OutputFile> {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return new OutputFile(path, openSync(path, "ax+", 0o600));
  }

  /** @throws {Error} the file can't be opened. */
  static async open(path: string): Promise<OutputFile> {
    return new OutputFile(path, openSync(path, "r"));
  }

  /** For a program that writes its output to this file, at its end. @throws {Error} the file was closed. */
  get descriptor(): number {
    return this.#opened;
  }

  /** Bytes written up to now. @throws {Error} the file was closed. */
  async size(): Promise<number> {
    return fstatSync(this.#opened).size;
  }

  /** The bytes from `start` up to `end`; fewer when the file is shorter. @throws {Error} the file was closed. */
  async read(start: number, end: number): Promise<Buffer> {
    const wanted = Math.max(0, end - start);
    const buffer = Buffer.allocUnsafe(wanted);
    let filled = 0;
    while (filled < wanted) {
      const bytes = readSync(this.#opened, buffer, filled, wanted - filled, start + filled);
      if (bytes === 0) break;
      filled += bytes;
    }
    return buffer.subarray(0, filled);
  }

  /** A second call does nothing. */
  async close(): Promise<void> {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  get #opened(): number {
    if (this.#descriptor === undefined) throw new Error(`${this.path} was closed.`);
    return this.#descriptor;
  }
}

/** A new name for the output file of a command. */
export function newOutputName(): string {
  return `bash-${crypto.randomUUID().slice(0, 8)}.log`;
}

/** Writes a new file in a new folder, both accessible only by this user. @throws {Error} the path already exists. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, text, { flag: "wx", mode: 0o600 });
}

/** Adds lines to the end of an existing log; never rejects, because the log may be gone. */
export async function appendLines(path: string, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  const text = lines.map((line) => `[${line}]\n`).join("");
  await appendFile(path, text, { flag: constants.O_WRONLY | constants.O_APPEND }).catch(() => undefined);
}

/** Removes files, and ignores files that are already gone or can't be removed. */
export async function removeFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    try {
      unlinkSync(path);
    } catch {
      // A remaining file costs a few bytes and is removed with the session.
    }
  }
}
