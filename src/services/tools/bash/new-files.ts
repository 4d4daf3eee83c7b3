import type { Files } from "../../../contracts/files.ts";
import type { NamedPath } from "../../../contracts/ports.ts";
import { realPathOrSelf } from "../../../platform/paths.ts";
import type { ReadTracker } from "../read-tracker.ts";

/** The maximum number of files of one command that are looked at. */
const MAX_FILES = 10;

/** The files that a command would write and that do not exist yet. */
export async function missingFiles(named: readonly NamedPath[], files: Files): Promise<readonly string[]> {
  const written = new Set(named.flatMap(({ action, path }) => (action === "write" ? [realPathOrSelf(path)] : [])));
  const found: string[] = [];
  for (const path of [...written].slice(0, MAX_FILES)) {
    const stamp = await files.stamp(path).catch(() => null);
    if (stamp === undefined) found.push(path);
  }
  return found;
}

/** Notes which of these files the command created. */
export async function noteCreated(
  missing: readonly string[],
  { files, tracker }: { readonly files: Files; readonly tracker: ReadTracker },
): Promise<void> {
  for (const path of missing) {
    const stamp = await files.stamp(path).catch(() => undefined);
    if (stamp?.kind === "file") tracker.created.add(path, stamp);
  }
}
