import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isInside, realPathOrSelf } from "../paths.ts";

/**
 * Restores the earlier content of a file in a scratch copy.
 * @param text Null when the file did not exist.
 * @throws {Error} the path is outside the copy, or the system refused.
 */
export function placeFile(root: string, name: string, text: string | null): void {
  const path = join(root, name);
  if (!isInside(root, realPathOrSelf(path)) || path === root) throw new Error(`${name} is outside the project`);
  rmSync(path, { recursive: true, force: true });
  if (text === null) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
