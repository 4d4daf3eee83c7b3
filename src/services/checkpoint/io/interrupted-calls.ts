import type { RecordedChanges, StoredChange, StoredCopies } from "../../../contracts/checkpoint.ts";
import { type BegunRecord, isSameEntry } from "../checkpoint-record.ts";
import { rootChanges } from "./root-changes.ts";
import type { RootState } from "./root-tree.ts";
import type { Trees } from "./trees.ts";

const DOUBT = { isReplaced: true, isInterrupted: true } as const;

/** The trees and files that were stored before calls. */
export type Before = { readonly roots: readonly RootState[]; readonly copies: StoredCopies };

/** The note that calls begin. `time`: milliseconds since the epoch. */
export function begunRecord(
  id: string,
  time: number,
  { messageId, toolUseIds, agentIds, commands, outside }: Omit<RecordedChanges, "files">,
  { roots, copies }: Before,
): BegunRecord {
  return {
    kind: "begun",
    id,
    time,
    messageId,
    toolUseIds: [...toolUseIds],
    agentIds: [...agentIds],
    commands: [...commands],
    outside: [...outside],
    roots: roots.map(({ top, prefix, tree }) => ({ top, prefix, tree })),
    files: [...copies].map(([path, before]) => ({ path, before })),
  };
}

/**
 * The changes since calls began, in another process: as far as trees tell, because the permissions and empty folders of
 * that time are not known any more. Each is doubtful, because someone else may have made it since.
 * @throws {ShadowGitError} a tree is missing.
 */
export async function changesSinceBegun(
  begun: BegunRecord,
  now: Before,
  trees: Trees,
  signal: AbortSignal,
): Promise<readonly StoredChange[]> {
  const found = new Map<string, StoredChange>();
  for (const { path, before } of begun.files) {
    const after = now.copies.get(path);
    if (after !== undefined && !isSameEntry(before, after)) found.set(path, { path, before, after, ...DOUBT });
  }
  for (const after of now.roots) {
    const before = begun.roots.find(({ top, prefix }) => top === after.top && prefix === after.prefix);
    if (!before) continue;
    for (const change of await rootChanges(trees, { ...after, tree: before.tree }, after, signal))
      found.set(change.path, { ...change, ...DOUBT });
  }
  return [...found.values()];
}
