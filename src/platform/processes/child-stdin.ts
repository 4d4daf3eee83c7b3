import { mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PRIVATE_FILE_MODE } from "../private-file.ts";

export const STDIN_FOLDER_PREFIX = "quoll-stdin-";

/**
 * The standard input of a program that gets its whole input at its start. The runtime's own `pipe` is a socket: no
 * program can open it as `/dev/stdin`, and bash takes itself for a remote shell and reads `~/.bashrc`, which may read
 * the input. This input is a file of mode 0600 without a name, so that a program may also leave it unread.
 * @returns a descriptor, which the caller closes after the start.
 * @throws {Error} no temporary folder can be written.
 */
export function inputFile(input: string | Uint8Array): number {
  if (input.length === 0) return openSync("/dev/null", "r");
  return inFreshFolder((folder) => {
    const path = join(folder, "input");
    writeFileSync(path, input, { flag: "wx", mode: PRIVATE_FILE_MODE });
    return openSync(path, "r");
  });
}

/** The folders for the files of inputs: the first one is in memory, so that an input never reaches a disk. macOS does not have it. */
export function stdinFolders(): readonly string[] {
  return ["/dev/shm", tmpdir(), "/tmp"];
}

function inFreshFolder<Made>(make: (folder: string) => Made): Made {
  let failure: unknown;
  for (const parent of stdinFolders()) {
    try {
      const folder = mkdtempSync(join(parent, STDIN_FOLDER_PREFIX));
      try {
        return make(folder);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    } catch (error) {
      // The parent is missing, read-only or full.
      failure = error;
    }
  }
  throw failure;
}
