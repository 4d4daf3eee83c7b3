import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolFailedError } from "../../../contracts/errors.ts";
import { makePrivateFolder, PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE } from "../../../platform/private-file.ts";
import { makeScratch, removeScratch } from "./mount-points.ts";

/** The sandbox's own files, in a private folder that confined programs can't reach. */
export class PrivateFolders {
  readonly root: string;
  /** Temporary folder of confined programs. */
  readonly temporary: string;
  /** Folder for the proxy's socket. */
  readonly network: string;
  /** An empty, read-only file. */
  readonly emptyFile: string;
  /** An empty file that only a privileged user can read. */
  readonly lockedFile: string;

  /** @param parent Created when missing. @throws {ToolFailedError} the folder is not writable. */
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
        `The sandbox could not create a private folder in ${parent} (${(error as Error).message}).`,
        { cause: error },
      );
    }
  }

  /** Creates a new folder for the proxy's socket of one program. */
  newNetwork(): string {
    const path = join(this.root, `net-${crypto.randomUUID().slice(0, 8)}`);
    mkdirSync(path, { mode: PRIVATE_FOLDER_MODE });
    return path;
  }

  /** Removes such a folder. */
  removeNetwork(path: string): void {
    rmSync(path, { recursive: true, force: true });
  }

  /** Creates a new file for a single use. */
  newFile(text: string): string {
    const path = join(this.root, crypto.randomUUID());
    writeFileSync(path, text, { mode: PRIVATE_FILE_MODE, flag: "wx" });
    return path;
  }

  remove(): void {
    removeScratch(this.root);
  }
}
