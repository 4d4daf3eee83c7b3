import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { absoluteEntries } from "./child-environment.ts";

/** Where bash stands on Linux, macOS (Homebrew's is newer than the system's), NixOS. */
const BASH_PLACES = [
  "/opt/homebrew/bin/bash",
  "/usr/bin/bash",
  "/bin/bash",
  "/usr/local/bin/bash",
  "/run/current-system/sw/bin/bash",
];

/**
 * The file that a command word means: the first executable of that name in the search path, links resolved.
 * @returns undefined when there is none.
 */
export function findProgram(name: string, path: string): string | undefined {
  for (const folder of absoluteEntries(path)) {
    const found = executable(join(folder, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The real path of an executable file, or undefined when it is none. */
export function executable(path: string): string | undefined {
  try {
    if (!statSync(path).isFile()) return undefined;
    accessSync(path, constants.X_OK);
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/**
 * The bash that runs commands: one of the system's, else the first in the search path that no project could have put there.
 * @param isTrusted Says whether a real path may be trusted.
 */
export function findBash(path: string, isTrusted: (file: string) => boolean): string | undefined {
  for (const place of BASH_PLACES) {
    const found = executable(place);
    if (found !== undefined && isTrusted(found)) return place;
  }
  for (const folder of absoluteEntries(path)) {
    const found = executable(join(folder, "bash"));
    if (found !== undefined && isTrusted(found)) return found;
  }
  return undefined;
}
