import type { BackedUpContent, BackedUpEntry, BackupReader, BackupRecord } from "../../../contracts/backup.ts";
import type { StoredChange, StoredEntry } from "../../../contracts/checkpoint.ts";
import { isSameEntry } from "../checkpoint-record.ts";
import type { PlanConflict, RewindPlan } from "../plan-rewind.ts";
import type { FileCopies } from "./file-copies.ts";
import type { ObjectStore } from "./object-store.ts";
import { readRecords, recordFile, type SessionRecords, sessionsIn } from "./record-file.ts";

/** Contents of a repository that are in memory at the same time. */
const AT_ONCE_BYTES = 32 * 1024 * 1024;
const SHA1_DIGITS = 40;
const NEW_MODE = 0o666;
const EXECUTE = 0o111;

export type RestoreParts = {
  readonly reader: BackupReader;
  readonly objects: ObjectStore;
  readonly copies: FileCopies;
  readonly records: SessionRecords;
};

/** `missing`: one printable phrase for each file that the backup can't bring back. */
export type BackupPlanned = { readonly plan: RewindPlan; readonly missing: readonly string[] };

type Content = Extract<BackedUpEntry, { kind: "file" | "link" }>;

/**
 * Plans to restore a backup: stores the present files and the contents of the backup that differ from them. A file that
 * is there with another content is a conflict, unless a call of the agent or a rewind has left it so.
 * @throws {UserFacingError} (as a rejection) the backup is gone. {Error} a system error.
 */
export async function planBackupRestore(
  record: BackupRecord,
  parts: RestoreParts,
  signal: AbortSignal,
): Promise<BackupPlanned> {
  const entries = await parts.reader.entries(record, signal);
  const { copies: present } = await parts.copies.keep(
    entries.map(({ path }) => path),
    signal,
  );
  const { targets, missing } = await importTargets(entries, present, parts, signal);
  const isAgents = statesOfAgent(parts.records.folder);
  const files: StoredChange[] = [];
  const conflicts: PlanConflict[] = [];
  for (const [path, target] of targets) {
    const now = present.get(path);
    if (now === undefined) conflicts.push({ path, now: null, target, reason: "it can't be read" });
    else if (isSameEntry(now, target)) continue;
    else if (now === null || isAgents(path, now)) files.push({ path, before: now, after: target });
    else conflicts.push({ path, now, target, reason: "it changed since the backup" });
  }
  const absent = new Set([...present].flatMap(([path, entry]) => (entry === null ? [path] : [])));
  return { plan: { files, conflicts, missing: absent }, missing };
}

type Imported = { readonly targets: ReadonlyMap<string, StoredEntry | null>; readonly missing: readonly string[] };

/** The entries as the store knows them; contents that differ from the present ones are stored. */
async function importTargets(
  entries: readonly BackedUpEntry[],
  present: ReadonlyMap<string, StoredEntry | null>,
  { reader, objects }: RestoreParts,
  signal: AbortSignal,
): Promise<Imported> {
  const targets = new Map<string, StoredEntry | null>();
  const missing: string[] = [];
  const inGit: (Content & { readonly from: Extract<BackedUpContent, { oid: string }> })[] = [];
  for (const entry of entries) {
    signal.throwIfAborted();
    const now = present.get(entry.path) ?? null;
    if (entry.kind === "gone") targets.set(entry.path, null);
    else if (entry.kind === "folder") targets.set(entry.path, { kind: "folder", mode: entry.mode });
    else if ("copy" in entry.from) targets.set(entry.path, await copied(entry, now, entry.from, objects, signal));
    else if (isPresent(entry.from.oid, now)) targets.set(entry.path, storedAs(entry, entry.from.oid, now));
    else inGit.push({ ...entry, from: entry.from });
  }
  for (const batch of batches(inGit)) {
    const [first] = batch;
    const contents = first
      ? await reader.objects(
          first.from.repository,
          batch.map(({ from }) => from.oid),
          signal,
        )
      : new Map<string, Buffer>();
    for (const entry of batch) {
      const content = contents.get(entry.from.oid);
      if (content) targets.set(entry.path, storedAs(entry, objects.write(content), present.get(entry.path) ?? null));
      else missing.push(`${entry.path}: its content is gone from the repository`);
    }
  }
  return { targets, missing };
}

/** True if the present file has the content. Repositories with another hash have other names. */
function isPresent(oid: string, now: StoredEntry | null): boolean {
  return oid.length === SHA1_DIGITS && now !== null && now.kind !== "folder" && now.oid === oid;
}

async function copied(
  entry: Content,
  now: StoredEntry | null,
  { copy, size }: { readonly copy: string; readonly size: number },
  objects: ObjectStore,
  signal: AbortSignal,
): Promise<StoredEntry> {
  const oid = entry.kind === "link" ? objects.writeLink(copy) : await objects.writeFile(copy, size, signal);
  return storedAs(entry, oid, now);
}

function storedAs(entry: Content, oid: string, now: StoredEntry | null): StoredEntry {
  if (entry.kind === "link") return { kind: "link", oid, mode: 0 };
  return { kind: "file", oid, mode: entry.mode ?? modeLike(now, entry.isExecutable) };
}

/** Git knows only whether the owner may run a file: the present permissions stay as far as they say the same. */
function modeLike(now: StoredEntry | null, isExecutable: boolean): number {
  const mode = now?.kind === "file" ? now.mode : NEW_MODE & ~process.umask();
  if (!isExecutable) return mode & ~EXECUTE;
  return (mode & 0o100) !== 0 ? mode : mode | ((mode & 0o444) >> 2);
}

/** Parts of one repository each, small enough for the memory. */
function batches<Entry extends { readonly from: { readonly repository: string; readonly size: number } }>(
  entries: readonly Entry[],
): readonly (readonly Entry[])[] {
  const all: Entry[][] = [];
  for (const same of Map.groupBy(entries, ({ from }) => from.repository).values()) {
    let bytes = Number.POSITIVE_INFINITY;
    for (const entry of same) {
      if (bytes + entry.from.size > AT_ONCE_BYTES) {
        all.push([]);
        bytes = 0;
      }
      bytes += entry.from.size;
      all.at(-1)?.push(entry);
    }
  }
  return all;
}

/** Says whether a call of the agent, or a rewind, in any session of the project has left a file in a state. */
function statesOfAgent(folder: string): (path: string, now: StoredEntry) => boolean {
  const left = new Map<string, StoredEntry[]>();
  for (const name of sessionsIn(folder)) {
    for (const one of readRecords(recordFile(folder, name))) {
      if (one.kind !== "changes" && one.kind !== "rewind") continue;
      for (const { path, after, ...rest } of one.files) {
        if (after === null || ("isReplaced" in rest && rest.isReplaced)) continue;
        const states = left.get(path);
        if (states) states.push(after);
        else left.set(path, [after]);
      }
    }
  }
  return (path, now) => left.get(path)?.some((state) => isSameEntry(state, now)) ?? false;
}
