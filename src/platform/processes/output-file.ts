import { constants } from "node:fs";
import { appendFile, type FileHandle, mkdir, open, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** The growing output of a command. Stays readable when the command deletes the file. */
export class OutputFile {
  readonly path: string;
  readonly #handle: FileHandle;

  private constructor(path: string, handle: FileHandle) {
    this.path = path;
    this.#handle = handle;
  }

  /** Makes it, 0600 in a folder of 0700, for a command that is started next. @throws {Error} something is there already. */
  static async create(path: string): Promise<OutputFile> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return new OutputFile(path, await open(path, "ax+", 0o600));
  }

  /** @throws {Error} it can't be opened. */
  static async open(path: string): Promise<OutputFile> {
    return new OutputFile(path, await open(path, "r"));
  }

  /** Bytes written up to now. */
  async size(): Promise<number> {
    return (await this.#handle.stat()).size;
  }

  /** The bytes from `start` up to `end`; fewer when the file is shorter. */
  async read(start: number, end: number): Promise<Buffer> {
    const wanted = Math.max(0, end - start);
    const buffer = Buffer.allocUnsafe(wanted);
    let filled = 0;
    while (filled < wanted) {
      const { bytesRead } = await this.#handle.read(buffer, filled, wanted - filled, start + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

/** Writes a new file, in a folder that is made, both for us alone. @throws {Error} something is there already. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, text, { flag: "wx", mode: 0o600 });
}

/** Adds lines to the end of a log that is there; never rejects: the log may be gone. */
export async function appendLines(path: string, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  const text = lines.map((line) => `[${line}]\n`).join("");
  await appendFile(path, text, { flag: constants.O_WRONLY | constants.O_APPEND }).catch(() => undefined);
}

/** Removes files; those that are gone already don't matter. */
export async function removeFiles(paths: readonly string[]): Promise<void> {
  await Promise.all(paths.map((path) => rm(path, { force: true }).catch(() => undefined)));
}
