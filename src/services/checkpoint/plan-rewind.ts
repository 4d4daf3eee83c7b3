import { dirname } from "node:path";
import type { ConflictChoice, StoredChange, StoredCopies, StoredEntry } from "../../contracts/checkpoint.ts";
import { type ChangesRecord, type CheckpointRecord, isSameEntry, type RewindRecord } from "./checkpoint-record.ts";

/** A file that the agent changed, and that someone else may have changed too. */
export type PlanConflict = {
  readonly path: string;
  readonly now: StoredEntry | null;
  readonly target: StoredEntry | null;
  /** One phrase for the person. */
  readonly reason: string;
};

export type RewindPlan = {
  /** The changes to make: `before` is the present entry. */
  readonly files: readonly StoredChange[];
  /** The folders above the files that are missing at present. */
  readonly missing: ReadonlySet<string>;
  readonly conflicts: readonly PlanConflict[];
};

/** A change of one path, and who made it. */
type Event = ChangesRecord["files"][number] & { readonly by: string; readonly isBackground: boolean };
/** Oldest first. */
type History = readonly Event[];

/**
 * Plans to undo changes. A file goes back to the entry that it had before the first of them, if each change begins with
 * the entry that the one before it left, and the present entry is the last one's. Otherwise someone else changed the
 * file: a conflict.
 * @param records Changes and rewinds, oldest first.
 * @param present The present entry of each path; a path that is missing could not be read.
 */
export function planRewind(records: readonly CheckpointRecord[], present: StoredCopies): RewindPlan {
  const files: StoredChange[] = [];
  const conflicts: PlanConflict[] = [];
  for (const [path, history] of histories(records)) {
    const target = history[0]?.before ?? null;
    const now = present.get(path);
    if (now === undefined) {
      conflicts.push({ path, now: null, target, reason: "it can't be read" });
      continue;
    }
    if (isSameEntry(now, target)) continue;
    const reason = doubtAbout(history, now);
    if (reason === undefined) files.push({ path, before: now, after: target });
    else if (!isFolderOnly(history)) conflicts.push({ path, now, target, reason });
  }
  const missing = new Set([...present].flatMap(([path, entry]) => (entry === null ? [path] : [])));
  return { files, conflicts, missing };
}

/** Present entries without those that are only reached through a link among them: they are other paths' entries. */
export function withoutLinked(present: StoredCopies): StoredCopies {
  const isBelowLink = (path: string) => {
    for (let at = dirname(path); at !== dirname(at); at = dirname(at))
      if (present.get(at)?.kind === "link") return true;
    return false;
  };
  return new Map([...present].map(([path, entry]) => [path, isBelowLink(path) ? null : entry]));
}

/** The paths whose present entries a plan needs. */
export function pathsOf(records: readonly CheckpointRecord[]): readonly string[] {
  return [...histories(records).keys()];
}

/** The plan with the person's answers: a conflict whose checkpoint was chosen becomes a change; the others stay. */
export function settlePlan(
  { files, conflicts, missing }: RewindPlan,
  choices: Readonly<Record<string, ConflictChoice>>,
): { readonly files: readonly StoredChange[]; readonly kept: readonly PlanConflict[] } {
  const isTaken = ({ path }: PlanConflict) => Object.hasOwn(choices, path) && choices[path] === "checkpoint";
  const taken = conflicts.filter(isTaken).map(({ path, now, target }) => ({ path, before: now, after: target }));
  return { files: withFolders([...files, ...taken], missing), kept: conflicts.filter((one) => !isTaken(one)) };
}

const NEW_FOLDER: StoredEntry = { kind: "folder", mode: 0o755 };

/**
 * Adds the folders that the files need, as changes of their own: taken back, they go again. A path that would only be
 * freed becomes a folder if a file comes below it.
 */
function withFolders(files: readonly StoredChange[], missing: ReadonlySet<string>): readonly StoredChange[] {
  const all = new Map(files.map((change) => [change.path, change]));
  for (const { path, after } of files) {
    if (after === null) continue;
    for (let at = dirname(path); ; at = dirname(at)) {
      const change = all.get(at) ?? (missing.has(at) ? { path: at, before: null, after: null } : undefined);
      if (!change || change.after !== null) break;
      all.set(at, { ...change, after: NEW_FOLDER });
    }
  }
  return [...all.values()];
}

function histories(records: readonly CheckpointRecord[]): ReadonlyMap<string, History> {
  const found = new Map<string, Event[]>();
  for (const one of records) {
    if (one.kind !== "changes" && one.kind !== "rewind") continue;
    for (const change of one.files) {
      const history = found.get(change.path) ?? [];
      // Only commands in the background have no call.
      const isBackground = one.kind === "changes" && one.toolUseIds.length === 0;
      history.push({ ...change, by: makerOf(one), isBackground });
      found.set(change.path, history);
    }
  }
  return found;
}

function makerOf(one: ChangesRecord | RewindRecord): string {
  if (one.kind === "rewind") return "the rewind";
  const [command] = one.commands;
  return command === undefined ? "the call" : `"${shortened(command)}"`;
}

const MAX_COMMAND_CHARS = 40;

function shortened(command: string): string {
  const line = command.trim().split("\n", 1)[0] ?? "";
  const isCut = line.length > MAX_COMMAND_CHARS || line !== command.trim();
  return isCut ? `${line.slice(0, MAX_COMMAND_CHARS - 1)}…` : line;
}

function doubtAbout(history: History, now: StoredEntry | null): string | undefined {
  if (!isSameEntry(history.at(-1)?.after ?? null, now)) return "it changed since";
  for (const [at, change] of history.entries()) {
    if (change.isReplaced) return causeOf(change);
    const next = history[at + 1];
    if (next && !isSameEntry(change.after, next.before)) return `it changed before ${next.by}`;
  }
  return undefined;
}

function causeOf({ by, isBackground, isInterrupted, isLate }: Event): string {
  if (isLate) return `it changed after ${by} had ended`;
  if (isInterrupted) return `Quoll was ended while ${by} ran, so the change may be yours`;
  return isBackground
    ? `it changed while ${by} ran in the background`
    : `another program may have changed it while ${by} ran`;
}

/** A folder that stays, or that is gone, is no loss: only files are asked about. */
function isFolderOnly(history: History): boolean {
  return history.every(({ before, after }) => isFolderOrNone(before) && isFolderOrNone(after));
}

function isFolderOrNone(entry: StoredEntry | null): boolean {
  return entry === null || entry.kind === "folder";
}
