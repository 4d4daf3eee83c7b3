import { join } from "node:path";
import type { StoredChange, StoredEntry } from "../../../contracts/checkpoint.ts";
import { isSameEntry } from "../checkpoint-record.ts";
import { modeOf } from "./file-modes.ts";
import { EMPTY_TREE, type RootState } from "./root-tree.ts";
import type { ShadowGit } from "./shadow-git.ts";

const FOLDER_MODE = "040000";
const LINK_MODE = "120000";
const EXECUTABLE_MODE = "100755";

/** One path on one side of a comparison; undefined: not in the tree. `oid`: 40 hexadecimal digits. */
type Side = { readonly mode: string; readonly oid: string } | undefined;
type Pair = { before: Side; after: Side };

const META = /^:(\d{6}) (\d{6}) ([0-9a-f]{40}) ([0-9a-f]{40}) [A-Z]/;

/**
 * The changes between two states of one root, folders included. Undefined as a state: the root did not exist.
 * @throws {ShadowGitError} git failed.
 */
export async function rootChanges(
  git: ShadowGit,
  before: RootState | undefined,
  after: RootState | undefined,
  signal: AbortSignal,
): Promise<readonly StoredChange[]> {
  const top = (after ?? before)?.top;
  if (top === undefined) return [];
  const pairs = await treePairs(git, before?.tree ?? EMPTY_TREE, after?.tree ?? EMPTY_TREE, signal);
  await addModeChanges(git, pairs, { before, after }, signal);
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

async function treePairs(
  git: ShadowGit,
  before: string,
  after: string,
  signal: AbortSignal,
): Promise<Map<string, Pair>> {
  const pairs = new Map<string, Pair>();
  if (before === after) return pairs;
  const args = ["diff-tree", "-r", "-t", "-z", "--raw", "--no-renames", "--no-abbrev", before, after];
  const parts = (await git({ args, signal })).toString("utf8").split("\0");
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, modeBefore = "", modeAfter = "", oidBefore = "", oidAfter = ""] = META.exec(parts[at] ?? "") ?? [];
    const path = parts[at + 1] ?? "";
    // A file that becomes a folder has two lines.
    const pair = pairs.get(path) ?? { before: undefined, after: undefined };
    pair.before = side(modeBefore, oidBefore) ?? pair.before;
    pair.after = side(modeAfter, oidAfter) ?? pair.after;
    pairs.set(path, pair);
  }
  return pairs;
}

function side(mode: string, oid: string): Side {
  return mode === "000000" || mode === "" ? undefined : { mode, oid };
}

/** Adds files whose permissions changed in a way that git's modes don't tell. */
async function addModeChanges(
  git: ShadowGit,
  pairs: Map<string, Pair>,
  { before, after }: { readonly before: RootState | undefined; readonly after: RootState | undefined },
  signal: AbortSignal,
): Promise<void> {
  if (!before || !after || before.modes === after.modes) return;
  const [old, next] = [before.modes.others, after.modes.others];
  const paths = new Set([...old.keys(), ...next.keys()]);
  const changed = [...paths].filter((path) => !pairs.has(path) && old.get(path) !== next.get(path));
  if (changed.length === 0) return;
  const args = ["ls-tree", "-z", "--full-tree", after.tree, "--", ...changed];
  for (const line of (await git({ args, signal })).toString("utf8").split("\0")) {
    const [, mode = "", oid = "", path = ""] = /^(\d{6}) blob ([0-9a-f]{40})\t([\s\S]+)$/.exec(line) ?? [];
    if (path !== "") pairs.set(path, { before: { mode, oid }, after: { mode, oid } });
  }
}

function entryIn(state: RootState | undefined, path: string, found: Side): StoredEntry | null {
  const empty = state?.folders.empty.get(path);
  if (!state || (found === undefined && empty === undefined)) return null;
  if (found === undefined || found.mode === FOLDER_MODE)
    return { kind: "folder", mode: empty ?? state.folders.modes.get(path) ?? state.folders.usualMode };
  if (found.mode === LINK_MODE) return { kind: "link", oid: found.oid, mode: 0 };
  return { kind: "file", oid: found.oid, mode: modeOf(state.modes, path, found.mode === EXECUTABLE_MODE) };
}
