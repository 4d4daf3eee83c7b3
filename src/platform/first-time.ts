import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makePrivateFolder, PRIVATE_FILE_MODE } from "./private-file.ts";

/**
 * True at the first call with this key on this machine, and whenever that can't be recorded.
 * @param folder Private; created when missing.
 * @param key The name of a file in it.
 */
export function isFirstTime(folder: string, key: string): boolean {
  try {
    makePrivateFolder(folder);
    writeFileSync(join(folder, key), "", { flag: "wx", mode: PRIVATE_FILE_MODE });
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "EEXIST";
  }
}
