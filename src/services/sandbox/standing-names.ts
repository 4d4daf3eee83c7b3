import { join } from "node:path";
import { isMissing, namesIn } from "../../platform/sandbox/list-folder-sync.ts";
import { isRepository } from "./git-places.ts";
import { isMovedWhenNew, KNOWN_NAMES } from "./known-names.ts";

const AT_TOP = KNOWN_NAMES.filter(({ name }) => !name.includes("/")).map(({ name }) => name);
const AT_HOME_BELOW = KNOWN_NAMES.filter(({ name, onlyAtHome }) => onlyAtHome && name.includes("/"));

/** What stands at the top of writable folders and would be moved aside if it was new: absolute paths. */
export function standingNames(tops: readonly string[], homes: readonly string[]): readonly string[] {
  return tops.flatMap((top) => {
    const isHome = homes.includes(top);
    const names = namesIn(top) ?? AT_TOP.filter((name) => !isMissing(join(top, name)));
    const below = isHome ? AT_HOME_BELOW.filter(({ name }) => !isMissing(join(top, name))) : [];
    // Beside these a folder is a repository by itself, and git obeys the settings in it.
    const isBare = names.includes("HEAD") && !names.includes(".git") && isRepository(top);
    const wanted = names.filter((name) => isMovedWhenNew(name, isHome));
    return [...wanted, ...below.map(({ name }) => name), ...(isBare ? ["HEAD"] : [])].map((name) => join(top, name));
  });
}
