import { join } from "node:path";
import type { StoredChange, StoredEntry } from "../../../contracts/checkpoint.ts";
import { isSameEntry } from "../checkpoint-record.ts";
import { modeOf } from "./file-modes.ts";
import type { RootState } from "./root-tree.ts";
import { EMPTY_TREE, FOLDER_MODE, type Pair, type Side, type Trees } from "./trees.ts";

const LINK_MODE = "120000";
const EXECUTABLE_MODE = "100755";

/**
 * The changes between two states of one root, folders included. Undefined as a state: the root did not exist.
 * @throws {ShadowGitError} a tree is missing.
 */
export async function rootChanges(
  trees: Trees,
  before: RootState | undefined,
  after: RootState | undefined,
  signal: AbortSignal,
): Promise<readonly StoredChange[]> {
  const top = (after ?? before)?.top;
  if (top === undefined) return [];
  const pairs = await trees.changes(before?.tree ?? EMPTY_TREE, after?.tree ?? EMPTY_TREE, signal);
  await addModeChanges(trees, pairs, { before, after }, signal);
  for (const state of [before, after])
    for (const folder of state?.folders.empty.keys() ?? [])
      if (!pairs.has(folder)) pairs.set(folder, { before: undefined, after: undefined });
  const own = before && after ? [] : [topChange(top, before, after)];
  const inside = [...pairs].flatMap(([path, pair]) => {
    const entries = { before: entryIn(before, path, pair.before), after: entryIn(after, path, pair.after) };
    return isSameEntry(entries.before, entries.after) ? [] : [{ path: join(top, path), ...entries }];
  });
  return [...own, ...inside];
}

/** The folder of a root that came or went. */
function topChange(top: string, before: RootState | undefined, after: RootState | undefined): StoredChange {
  const mode = (after ?? before)?.folders.modes.get("") ?? (after ?? before)?.folders.usualMode ?? 0o755;
  const folder: StoredEntry = { kind: "folder", mode };
  return { path: top, before: before ? folder : null, after: after ? folder : null };
}

/** Adds files whose permissions changed in a way that git's modes don't tell. */
async function addModeChanges(
  trees: Trees,
  pairs: Map<string, Pair>,
  { before, after }: { readonly before: RootState | undefined; readonly after: RootState | undefined },
  signal: AbortSignal,
): Promise<void> {
  if (!before || !after || before.modes === after.modes) return;
  const [old, next] = [before.modes.others, after.modes.others];
  const paths = new Set([...old.keys(), ...next.keys()]);
  const changed = [...paths].filter((path) => !pairs.has(path) && old.get(path) !== next.get(path));
  if (changed.length === 0) return;
  for (const [path, side] of await trees.entriesAt(after.tree, changed, signal))
    if (side.mode !== FOLDER_MODE) pairs.set(path, { before: side, after: side });
}

function entryIn(state: RootState | undefined, path: string, found: Side): StoredEntry | null {
  const empty = state?.folders.empty.get(path);
  if (!state || (found === undefined && empty === undefined)) return null;
  if (found === undefined || found.mode === FOLDER_MODE)
    return { kind: "folder", mode: empty ?? state.folders.modes.get(path) ?? state.folders.usualMode };
  if (found.mode === LINK_MODE) return { kind: "link", oid: found.oid, mode: 0 };
  return { kind: "file", oid: found.oid, mode: modeOf(state.modes, path, found.mode === EXECUTABLE_MODE) };
}
