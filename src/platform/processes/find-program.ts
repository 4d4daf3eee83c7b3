import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { absoluteEntries } from "./child-environment.ts";

/** Paths of bash on Linux, macOS (Homebrew's is newer than the system's) and NixOS. */
const BASH_PLACES = [
  "/opt/homebrew/bin/bash",
  "/usr/bin/bash",
  "/bin/bash",
  "/usr/local/bin/bash",
  "/run/current-system/sw/bin/bash",
];

/**
 * The file that a command name resolves to: the first executable of that name in the search path, links resolved.
 * @returns undefined if no file has the name.
 */
export function findProgram(name: string, path: string): string | undefined {
  for (const folder of absoluteEntries(path)) {
    const found = executable(join(folder, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The real path of an executable file, or undefined for another entry. */
export function executable(path: string): string | undefined {
  try {
    if (!statSync(path).isFile()) return undefined;
    accessSync(path, constants.X_OK);
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** The places that hold a bash, each with its real path. Looked up once, because each command asks for it. */
let systemBashes: readonly { readonly place: string; readonly found: string }[] | undefined;

/**
 * The bash that runs commands: one of the system's, or else the first trusted one in the search path.
 * @param isTrusted True if a real path lies outside every project.
 */
export function findBash(path: string, isTrusted: (file: string) => boolean): string | undefined {
  systemBashes ??= BASH_PLACES.flatMap((place) => {
    const found = executable(place);
    return found === undefined ? [] : [{ place, found }];
  });
  for (const { place, found } of systemBashes) if (isTrusted(found)) return place;
  for (const folder of absoluteEntries(path)) {
    const found = executable(join(folder, "bash"));
    if (found !== undefined && isTrusted(found)) return found;
  }
  return undefined;
}
