import { join } from "node:path";
import { isMissing, namesIn } from "../../platform/files/list-folder-sync.ts";
import { isRepository } from "./git-paths.ts";
import { isMovedWhenNew, SANDBOX_NAMES } from "./protected-names.ts";

const AT_TOP = SANDBOX_NAMES.filter(({ name }) => !name.includes("/")).map(({ name }) => name);
const AT_HOME_BELOW = SANDBOX_NAMES.filter(({ name, onlyAtHome }) => onlyAtHome && name.includes("/"));

/** Existing entries at the top of writable folders that would be moved aside if they were new: absolute paths. */
export function existingProtectedNames(tops: readonly string[], homes: readonly string[]): readonly string[] {
  return tops.flatMap((top) => {
    const isHome = homes.includes(top);
    const names = namesIn(top) ?? AT_TOP.filter((name) => !isMissing(join(top, name)));
    const below = isHome ? AT_HOME_BELOW.filter(({ name }) => !isMissing(join(top, name))) : [];
    // A folder with HEAD, objects and refs is a bare repository, and git obeys its settings.
    const isBare = names.includes("HEAD") && !names.includes(".git") && isRepository(top);
    const wanted = names.filter((name) => isMovedWhenNew(name, isHome));
    return [...wanted, ...below.map(({ name }) => name), ...(isBare ? ["HEAD"] : [])].map((name) => join(top, name));
  });
}
