import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolFailedError } from "../../contracts/errors.ts";
import { makePrivateFolder, PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE } from "../private-file.ts";
import { makeScratch, removeScratch } from "./mount-points.ts";

/** The files that a sandbox itself needs, in a folder of this process that nothing confined can reach by itself. */
export class PrivateFolders {
  readonly root: string;
  /** What programs inside get for their temporary files. */
  readonly temporary: string;
  /** For the proxy's socket. */
  readonly network: string;
  /** Holds nothing and can't be changed. */
  readonly emptyFile: string;
  /** The same, and nobody without privileges can read it. */
  readonly lockedFile: string;

  /**
   * @param parent Made when it is missing.
   * @throws {ToolFailedError} nothing can be written there.
   */
  constructor(parent: string) {
    try {
      makePrivateFolder(parent);
      this.root = makeScratch(parent);
      this.temporary = join(this.root, "tmp");
      this.network = join(this.root, "net");
      this.emptyFile = join(this.root, "empty");
      for (const folder of [this.temporary, this.network]) mkdirSync(folder, { mode: PRIVATE_FOLDER_MODE });
      this.lockedFile = join(this.root, "locked");
      writeFileSync(this.emptyFile, "");
      chmodSync(this.emptyFile, 0o444);
      writeFileSync(this.lockedFile, "");
      chmodSync(this.lockedFile, 0o000);
    } catch (error) {
      throw new ToolFailedError(
        `The sandbox needs a private folder in ${parent}, which can't be made (${(error as Error).message}).`,
        { cause: error },
      );
    }
  }

  /** A new file, for one use. */
  newFile(text: string): string {
    const path = join(this.root, randomUUID());
    writeFileSync(path, text, { mode: PRIVATE_FILE_MODE, flag: "wx" });
    return path;
  }

  remove(): void {
    removeScratch(this.root);
  }
}
