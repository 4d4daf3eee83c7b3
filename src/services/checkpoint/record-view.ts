import type { StoredChange } from "../../contracts/checkpoint.ts";
import {
  type BegunRecord,
  type ChangesRecord,
  type CheckpointRecord,
  isSameEntry,
  type PromptRecord,
  type RewindRecord,
} from "./checkpoint-record.ts";

/** The prompts with a checkpoint, oldest first: in the order of the records, because a clock may go back. */
export function promptsOf(records: readonly CheckpointRecord[]): readonly PromptRecord[] {
  const prompts = records.flatMap((one) => (one.kind === "prompt" ? [one] : []));
  const newest = new Map(prompts.map((one) => [one.messageId, one]));
  return [...newest.values()];
}

/**
 * The records after a prompt was sent, oldest first, without the parts of rewinds that did not happen.
 * @returns undefined if there is no record of the prompt.
 */
export function recordsSince(
  records: readonly CheckpointRecord[],
  messageId: string,
): readonly CheckpointRecord[] | undefined {
  // The state of the prompt may be stored later than the first change of its turn.
  const at = records.findIndex(
    (one) => (one.kind === "prompt" || one.kind === "changes") && one.messageId === messageId,
  );
  return at < 0 ? undefined : asHappened(records.slice(at));
}

function asHappened(records: readonly CheckpointRecord[]): readonly CheckpointRecord[] {
  const left = new Map(records.flatMap((one) => (one.kind === "rewind_done" ? [[one.id, one.left]] : [])));
  return records.map((one) => {
    const stayed = one.kind === "rewind" ? left.get(one.id) : undefined;
    if (one.kind !== "rewind" || !stayed || stayed.length === 0) return one;
    const paths = new Set(stayed.map(({ path }) => path));
    return { ...one, files: one.files.filter(({ path }) => !paths.has(path)) };
  });
}

/**
 * The newest rewind that was not taken back, unless a prompt or a change of the agent followed it. If a rewind of the
 * conversation was taken back, only rewinds of files alone count among those before it: the conversation has moved on.
 */
export function newestRewind(records: readonly CheckpointRecord[]): RewindRecord | undefined {
  const isLater = (one: CheckpointRecord) => one.kind === "prompt" || (one.kind === "changes" && one.files.length > 0);
  const from = 1 + records.findLastIndex(isLater);
  const rewinds = asHappened(records.slice(from)).flatMap((one) => (one.kind === "rewind" ? [one] : []));
  let open: readonly RewindRecord[] = [];
  for (const one of rewinds) {
    // Nothing changed, so a redo takes back the one before it.
    if (!one.isRedo && one.scope === "files" && one.files.length === 0) continue;
    const before = open.slice(0, -1);
    if (!one.isRedo) open = [...open, one];
    else open = open.at(-1)?.scope === "files" ? before : before.filter(({ scope }) => scope === "files");
  }
  return open.at(-1);
}

/** A rewind whose end was not recorded. */
export function unfinishedRewind(records: readonly CheckpointRecord[]): RewindRecord | undefined {
  const ended = new Set(records.flatMap((one) => (one.kind === "rewind_done" ? [one.id] : [])));
  return records.findLast((one): one is RewindRecord => one.kind === "rewind" && !ended.has(one.id));
}

/** The notes of calls whose end was not recorded. */
export function unsettledCalls(records: readonly CheckpointRecord[]): readonly BegunRecord[] {
  const settled = new Set(
    records.flatMap((one) => (one.kind === "changes" && one.begun !== undefined ? [one.begun] : [])),
  );
  const begun = records.flatMap((one) => (one.kind === "begun" && !settled.has(one.id) ? [one] : []));
  return [...new Map(begun.map((one) => [one.id, one])).values()];
}

/** For each path, the change from its first entry to its last one, by path; paths that end as they began are left out. */
export function netChanges(records: readonly ChangesRecord[]): readonly StoredChange[] {
  const net = new Map<string, StoredChange>();
  for (const { path, before, after } of records.flatMap(({ files }) => files)) {
    const first = net.get(path);
    net.set(path, { path, before: first ? first.before : before, after });
  }
  return [...net.values()].filter(({ before, after }) => !isSameEntry(before, after)).sort(byPath);
}

/** The order in which a person reads files. */
export function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
