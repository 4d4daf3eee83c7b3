import { PROTECTED_NAMES } from "../../../contracts/protected-names.ts";
import { isInside } from "../../../platform/paths.ts";
import { isWithin } from "../rules/fold-path.ts";
import { foldedParts } from "./secrets.ts";

/** The names are protected in every folder, since a home folder may be anywhere. */
const NAMES = PROTECTED_NAMES.flatMap(({ what, names }) =>
  names.map((name) => ({ what, parts: name.replace(/\/$/, "").toLowerCase().split("/") })),
);

/**
 * The reason why a write to this path always needs consent, as a short phrase; undefined if it does not.
 * @param ownFolders Quoll's own folders (settings, sessions, state), protected as a whole; absolute.
 * @param workFolders Work trees, wherever they lie: the names above them don't count.
 */
export function protection(
  path: string,
  ownFolders: readonly string[],
  workFolders: readonly string[] = [],
): string | undefined {
  if (isOwn(path, ownFolders, workFolders)) return "Quoll's own files";
  const top = workFolders.findLast((folder) => isInside(folder, path));
  const parts = foldedParts(top === undefined ? path : path.slice(top.length));
  const found = NAMES.find(({ parts: wanted }) =>
    parts.some((_, start) => wanted.every((part, index) => parts[start + index] === part)),
  );
  return found?.what;
}

/**
 * True for a file of Quoll itself. A work tree inside a folder of Quoll is the person's; a folder of Quoll inside a work
 * tree stays Quoll's.
 */
export function isOwn(path: string, ownFolders: readonly string[], workFolders: readonly string[] = []): boolean {
  const isOfPerson = (own: string) =>
    workFolders.some((work) => work !== own && isWithin(work, [own], true) && isWithin(path, [work]));
  return ownFolders.some((own) => isWithin(path, [own], true) && !isOfPerson(own));
}
