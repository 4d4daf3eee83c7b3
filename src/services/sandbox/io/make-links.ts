import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";

/** Creates a folder with a symbolic link to each existing file. @throws {Error} a system error. */
export function makeLinks(targets: readonly string[], folder: string): void {
  const present = targets.filter((path) => existsSync(path));
  if (present.length === 0) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const target of present) symlinkSync(target, join(folder, basename(target)));
}
