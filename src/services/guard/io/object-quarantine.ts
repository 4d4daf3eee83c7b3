import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../../contracts/errors.ts";
import { randomHex } from "../../../platform/digest.ts";

/** Git's own name prefix for such a folder: `git gc` removes a folder that a crash left (tmp-objdir.c). */
const PREFIX = "tmp_objdir-quoll-";

/** A temporary folder for new objects, which join the repository all at once or not at all. */
export type Quarantine = {
  readonly folder: string;
  /** Moves the new objects into the repository. */
  takeOver(): void;
  /** Removes the folder with its content. Never throws. */
  discard(): void;
};

/** @param objects The repository's object folder: absolute. */
export function makeQuarantine(objects: string): Quarantine {
  const folder = join(objects, `${PREFIX}${randomHex(8)}`);
  mkdirSync(folder, { mode: 0o700 });
  return {
    folder,
    takeOver: () => {
      for (const name of readdirSync(folder)) {
        const isPacks = name === "pack";
        if (!isPacks && !/^[0-9a-f]{2}$/.test(name)) continue;
        mkdirSync(join(objects, name), { recursive: true });
        // Git finds a pack through its index, so the index is moved last.
        const files = readdirSync(join(folder, name)).sort(
          (a, b) => Number(a.endsWith(".idx")) - Number(b.endsWith(".idx")),
        );
        for (const file of files) {
          if (isPacks && file.startsWith("tmp_")) continue;
          move(join(folder, name, file), join(objects, name, file));
        }
      }
    },
    discard: () => {
      try {
        rmSync(folder, { recursive: true, force: true });
      } catch {
        // `git gc` will.
      }
    },
  };
}

/** Objects are named by their content, so an existing object is identical. */
function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (errorCode(error) !== "EEXIST" && errorCode(error) !== "EPERM") throw error;
  }
}
