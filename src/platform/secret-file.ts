import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "../contracts/errors.ts";
import { makePrivateFolder, replacePrivateFile } from "./private-file.ts";

const OTHERS = 0o077;

/**
 * The text of a file that holds secrets; undefined when there is none.
 * @throws {Error} with a short phrase: the file is a link or not regular, others may read or change it, it belongs to
 * another user, it is larger than `maxBytes`, or the system refused.
 */
export function readSecretFile(path: string, maxBytes: number): string | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return undefined;
    if (errorCode(error) === "ELOOP")
      throw new Error("it is a symbolic link: replace it with the file itself", { cause: error });
    throw error;
  }
  try {
    const kind = fstatSync(fd);
    if (!kind.isFile()) throw new Error("it is not a regular file");
    const uid = process.getuid?.();
    if (uid !== undefined && kind.uid !== uid) throw new Error(`it belongs to another user (uid ${kind.uid})`);
    if (uid !== undefined && (kind.mode & OTHERS) !== 0) {
      const mode = (kind.mode & 0o777).toString(8);
      throw new Error(
        `other users may read or change it (mode ${mode}): run chmod 600 on it, and replace the keys if they may have leaked`,
      );
    }
    if (kind.size > maxBytes) throw new Error(`it has ${kind.size} bytes; the limit is ${maxBytes}`);
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}

/**
 * Writes a file with secrets atomically, accessible only by this user.
 * @throws {Error} the path is a link or folder, or the system refused; nothing is changed then.
 */
export function writeSecretFile(path: string, text: string): void {
  makePrivateFolder(dirname(path));
  const before = lstatSync(path, { throwIfNoEntry: false });
  if (before && !before.isFile()) throw new Error("the existing entry is not a regular file");
  replacePrivateFile(path, text);
}
