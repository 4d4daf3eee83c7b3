import { join } from "node:path";
import type { BackupRecord } from "../../../contracts/backup.ts";
import type {
  BackupRestore,
  CheckpointPoint,
  FileRewinds,
  FinishedRewind,
  RewindFile,
  RewindPreview,
  RewindRequest,
  RewindResult,
  StoredChange,
  StoredCopies,
  StoredEntry,
} from "../../../contracts/checkpoint.ts";
import { errorMessage, UserFacingError } from "../../../contracts/errors.ts";
import type { Clock, Ids } from "../../../contracts/ports.ts";
import type {
  ChangedFile,
  ChangeRange,
  FilePart,
  PartedFile,
  TreeChanges,
} from "../../../contracts/session-changes.ts";
import { diffTexts } from "../../../platform/diff-hunks.ts";
import { isEmpty } from "../../../platform/files/list-folder.ts";
import { isTop } from "../../../platform/git/repository.ts";
import { type ChangesRecord, type CheckpointRecord, isSameEntry, type RewindRecord } from "../checkpoint-record.ts";
import { type PlanConflict, pathsOf, planRewind, type RewindPlan, settlePlan, withoutLinked } from "../plan-rewind.ts";
import { byPath, netChanges, newestRewind, promptsOf, recordsSince, unfinishedRewind } from "../record-view.ts";
import { applyFiles, isFolderChange } from "./apply-files.ts";
import { emptyFolders } from "./empty-folders.ts";
import type { FileCopies } from "./file-copies.ts";
import type { LineCounter } from "./line-counts.ts";
import type { ObjectStore } from "./object-store.ts";
import { changeTexts, isOtherContent, planPart, storedText } from "./part-changes.ts";
import { planBackupRestore } from "./plan-backup-restore.ts";
import type { RecordPlace, SessionRecords } from "./record-file.ts";
import { markRewind, unmarkRewind } from "./rewind-marks.ts";

const NO_CHANGES: RewindPlan = { files: [], conflicts: [], missing: new Set() };

export type RewindParts = {
  readonly place: Pick<RecordPlace, "folder" | "sessionId">;
  readonly records: SessionRecords;
  readonly objects: ObjectStore;
  readonly copies: FileCopies;
  readonly lines: LineCounter;
  readonly clock: Clock;
  readonly ids: Ids;
};

type Choices = NonNullable<RewindRequest["choices"]>;

/** Rewinds the files of one session. */
export class SessionRewinds implements FileRewinds {
  readonly #parts: RewindParts;

  constructor(parts: RewindParts) {
    this.#parts = parts;
  }

  knownFrom(messageIds: readonly string[]): string | undefined {
    const records = this.#records();
    const found = messageIds.find((id) => recordsSince(records, id) !== undefined);
    return found !== messageIds[0] && this.#parts.records.hasDropped() ? undefined : found;
  }

  hasSince(messageIds: readonly string[]): boolean {
    const records = this.#records();
    return this.#parts.records.hasDropped() || messageIds.some((id) => recordsSince(records, id) !== undefined);
  }

  async points(signal: AbortSignal): Promise<readonly CheckpointPoint[]> {
    const records = this.#records();
    const points = promptsOf(records).map(({ messageId, time }) => {
      const own = records.flatMap((one) => (one.kind === "changes" && one.messageId === messageId ? [one] : []));
      const commands = own.flatMap((one) => one.commands);
      return { messageId, time, commands, changes: netChanges(own) };
    });
    const files = await this.#described(
      points.flatMap(({ changes }) => changes),
      signal,
    );
    return points.map(({ changes, ...point }) => ({
      ...point,
      files: changes.flatMap((change) => files.get(change) ?? []),
    }));
  }

  async preview(messageId: string, signal: AbortSignal): Promise<RewindPreview> {
    const { plan, since } = await this.#plan(messageId, signal);
    const unique = (lines: readonly string[]) => [...new Set(lines)];
    return {
      ...(await this.#previewOf(plan, signal)),
      messageId,
      notUndone: unique([...outsideOf(since), ...repositoriesIn(plan.files)]),
      notCovered: unique(since.flatMap((one) => (one.kind === "prompt" ? one.notHeld : []))),
    };
  }

  async previewBackup(request: BackupRestore, signal: AbortSignal): Promise<RewindPreview> {
    const { plan, notUndone } = await this.#planBackup(request, signal);
    return { ...(await this.#previewOf(plan, signal)), messageId: "", notUndone, notCovered: [] };
  }

  async restoreBackup(
    { choices = {}, ...request }: BackupRestore & Pick<RewindRequest, "choices">,
    signal: AbortSignal,
  ): Promise<RewindResult> {
    const { plan, notUndone } = await this.#planBackup(request, signal);
    const { files, kept } = settlePlan(plan, choices);
    // Without a record, the restore before this one can still be taken back.
    if (files.length === 0)
      return { restored: [], deleted: [], kept: kept.map(({ path, reason }) => ({ path, reason })), notUndone };
    const messageId = promptsOf(this.#records()).at(-1)?.messageId ?? "";
    return { ...(await this.#carryOut(plan, choices, { messageId, scope: "files" })), notUndone };
  }

  async #planBackup({ record, reader }: BackupRestore, signal: AbortSignal) {
    const { objects, copies, records } = this.#parts;
    try {
      const { plan, missing } = await planBackupRestore(record, { objects, copies, records, reader }, signal);
      return { plan, notUndone: [...missing, ...otherParts(record)] };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof UserFacingError) throw error;
      throw new UserFacingError(`Nothing was changed: the backup can't be copied (${errorMessage(error)}).`, 1, {
        cause: error,
      });
    }
  }

  async #previewOf(
    plan: RewindPlan,
    signal: AbortSignal,
  ): Promise<Pick<RewindPreview, "restores" | "deletes" | "folders" | "conflicts">> {
    const changes = plan.files.toSorted(byPath);
    const doubted = plan.conflicts.toSorted(byPath);
    const conflicts = doubted.map(({ path, now, target }) => ({ path, before: now, after: target }));
    const files = await this.#described([...changes, ...conflicts], signal);
    const listed = changes.flatMap((change) => files.get(change) ?? []);
    // A folder that holds something else, such as a file of the person, stays.
    const folders = emptyFolders(changes.filter((change) => !isFolderThatGoes(change) || isEmpty(change.path)));
    return {
      restores: listed.filter(({ status }) => status !== "deleted"),
      deletes: listed.filter(({ status }) => status === "deleted"),
      ...(folders && { folders }),
      conflicts: conflicts.map((change, at) => ({
        ...(files.get(change) ?? { path: change.path, status: "changed" }),
        reason: doubted[at]?.reason ?? "",
      })),
    };
  }

  async diffOf(messageId: string, path: string, signal: AbortSignal): Promise<ChangedFile | string> {
    const { plan } = await this.#plan(messageId, signal);
    const conflict = plan.conflicts.find((one) => one.path === path);
    const change = conflict
      ? { path, before: conflict.now, after: conflict.target }
      : plan.files.find((one) => one.path === path);
    if (!change) throw new UserFacingError(`The rewind would not change ${path}.`);
    return this.#diff(change, signal);
  }

  async rewind(
    { messageId, knownFrom = messageId, scope, choices = {} }: RewindRequest,
    signal: AbortSignal,
    recorded?: () => void,
  ): Promise<RewindResult> {
    if (scope === "conversation") return this.#carryOut(NO_CHANGES, choices, { messageId, scope }, recorded);
    const { plan, since } = await this.#plan(knownFrom, signal);
    const result = await this.#carryOut(plan, choices, { messageId, scope }, recorded);
    return { ...result, notUndone: [...new Set([...outsideOf(since), ...repositoriesIn(plan.files)])] };
  }

  async changes(
    { messageId, until }: ChangeRange,
    shown: (path: string) => string,
    signal: AbortSignal,
  ): Promise<TreeChanges | undefined> {
    const all = this.#records();
    if (all.length === 0) return undefined;
    const since = messageId === undefined ? all : recordsSince(all, messageId);
    if (!since) throw new UserFacingError("There is no checkpoint for this prompt.");
    const isWanted = (one: ChangesRecord) => until === "now" || one.messageId === messageId;
    const net = netChanges(since.flatMap((one) => (one.kind === "changes" && isWanted(one) ? [one] : [])));
    const present = until === "now" ? await this.#present(since, signal) : undefined;
    const changes = present ? net.flatMap((change) => presentChange(change, present)) : net;
    return changeTexts(changes, { objects: this.#parts.objects, shown }, signal);
  }

  async takeBack(file: PartedFile, part: FilePart, signal: AbortSignal): Promise<RewindResult> {
    const plan = await planPart(file, part, this.#parts, signal);
    const messageId = promptsOf(this.#records()).at(-1)?.messageId ?? "";
    return this.#carryOut(plan, {}, { messageId, scope: "files" });
  }

  redoable(): RewindRecord | undefined {
    return newestRewind(this.#records());
  }

  async redo(choices: RewindRequest["choices"], signal: AbortSignal, recorded?: () => void): Promise<RewindResult> {
    const last = this.redoable();
    if (!last) throw new UserFacingError("There is no rewind to take back.");
    const plan = planRewind([last], await this.#present([last], signal));
    return this.#carryOut(plan, choices ?? {}, { messageId: last.messageId, isRedo: true }, recorded);
  }

  async finishInterrupted(
    signal: AbortSignal,
    found?: (request: FinishedRewind["request"]) => void,
  ): Promise<FinishedRewind | undefined> {
    signal.throwIfAborted();
    const entry = unfinishedRewind(this.#records());
    if (!entry) {
      unmarkRewind(this.#parts.place);
      return undefined;
    }
    const { messageId, scope } = entry;
    const request = scope && { messageId, scope };
    found?.(request);
    return { ...(await this.#apply(entry)), ...(request && { request }) };
  }

  #records() {
    try {
      return this.#parts.records.all();
    } catch (error) {
      throw new UserFacingError(`The checkpoints can't be read (${errorMessage(error)}).`, 1, { cause: error });
    }
  }

  async #plan(messageId: string, signal: AbortSignal) {
    const since = recordsSince(this.#records(), messageId);
    if (!since) throw new UserFacingError("There is no checkpoint for this prompt: files stay as they are.");
    return { since, plan: planRewind(since, await this.#present(since, signal)) };
  }

  /** Stores the present files, so that a rewind can be taken back. */
  async #present(records: Parameters<typeof pathsOf>[0], signal: AbortSignal) {
    return withoutLinked((await this.#parts.copies.keep(pathsOf(records), signal)).copies);
  }

  async #carryOut(
    plan: RewindPlan,
    choices: Choices,
    about: Pick<RewindRecord, "messageId" | "scope" | "isRedo">,
    recorded?: () => void,
  ): Promise<RewindResult> {
    const { place, records, clock, ids } = this.#parts;
    const { files, kept } = settlePlan(plan, choices);
    const entry: RewindRecord = {
      kind: "rewind",
      id: ids.next(),
      time: clock.now(),
      ...about,
      files: [...files],
      kept: kept.map(({ path, reason }: PlanConflict) => ({ path, reason })),
    };
    try {
      markRewind(place);
      records.append(entry);
      await records.sync();
    } catch (error) {
      throw new UserFacingError(`Nothing was changed: the rewind can't be recorded (${errorMessage(error)}).`, 1, {
        cause: error,
      });
    }
    recorded?.();
    return this.#apply(entry);
  }

  /** From here on an abort of the caller must not leave half a rewind. */
  async #apply(entry: RewindRecord): Promise<RewindResult> {
    const { place, records, objects, copies, clock } = this.#parts;
    const files = entry.files.map(
      (change): StoredChange => ({ path: change.path, before: change.before, after: change.after }),
    );
    const applied = await applyFiles({ id: entry.id, files, objects, copies }, new AbortController().signal);
    const { restored, deleted, left } = applied;
    try {
      // Not flushed: without the record, the next start finds every file as it should be.
      records.append({ kind: "rewind_done", id: entry.id, time: clock.now(), left: [...left] });
    } catch {
      // The disk is full.
    }
    unmarkRewind(place);
    // A folder with files of the person stays, which nobody needs to read about.
    const stayed = new Set(left.map(({ path }) => path));
    const ofFolders = files.filter(({ before, after }) => isFolderChange(before, after));
    const quiet = new Set(ofFolders.map(({ path }) => path));
    const kept = [...entry.kept, ...left.filter(({ path }) => !quiet.has(path))];
    const folders = emptyFolders(files.filter(({ path }) => !stayed.has(path)));
    return { restored, deleted, ...(folders && { folders }), kept, notUndone: [] };
  }

  /** The changes of files in the form of a list; changes of folders alone have none. */
  async #described(
    changes: readonly StoredChange[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<StoredChange, RewindFile>> {
    const shown = changes.filter(({ before, after }) => !isFolderChange(before, after));
    const counts = await this.#parts.lines.count(shown, signal);
    return new Map(
      shown.map((change, at) => {
        const lines = isText(change) ? counts[at] : undefined;
        const status = statusOf(change);
        return [change, { path: change.path, status, ...lines }];
      }),
    );
  }

  async #diff({ path, before, after }: StoredChange, signal: AbortSignal): Promise<ChangedFile | string> {
    const texts = [];
    for (const entry of [before, after]) {
      const text = await this.#textOf(entry, signal);
      if (text === undefined) return `${path} can't be shown as text.`;
      texts.push(text);
    }
    const [old = "", next = ""] = texts;
    const { hunks, added, removed } = diffTexts(old, next).diff;
    if (hunks.length === 0)
      return isOtherContent(before, after)
        ? `Only the encoding of ${path} differs.`
        : `Only the permissions of ${path} differ.`;
    return { kind: "diff", path, isNew: before === null, added, removed, hunks };
  }

  async #textOf(entry: StoredEntry | null, signal: AbortSignal): Promise<string | undefined> {
    if (entry === null) return "";
    if (entry.kind === "folder") return undefined;
    return (await storedText(await this.#parts.objects.read(entry.oid, signal)))?.text;
  }
}

/** The change up to the present file; none if the file is as it was before. */
function presentChange({ path, before, after }: StoredChange, present: StoredCopies): readonly StoredChange[] {
  const now = present.has(path) ? (present.get(path) ?? null) : after;
  return isSameEntry(before, now) ? [] : [{ path, before, after: now }];
}

/** The parts of a backup that are no files: the commands that the person can run. */
function otherParts({ parts }: BackupRecord): readonly string[] {
  return parts.flatMap((part) => {
    if (part.kind === "references") return [`branches, tags and stashes: git for-each-ref ${part.root} lists them`];
    return part.kind === "folder" && part.rights > 0 ? [`permissions: sh ${join(part.folder, "restore.sh")}`] : [];
  });
}

function outsideOf(records: readonly CheckpointRecord[]): readonly string[] {
  return records.flatMap((one) => (one.kind === "changes" ? one.outside : []));
}

/** Repositories that the agent made: their files go, their data stay. */
function repositoriesIn(changes: readonly StoredChange[]): readonly string[] {
  const gone = changes.filter(({ before, after }) => before?.kind === "folder" && after === null);
  return gone.flatMap(({ path }) => (isTop(path) ? [`${path}/.git stays`] : []));
}

function statusOf({ before, after }: StoredChange): RewindFile["status"] {
  if (before === null || before.kind === "folder") return "created";
  return after === null || after.kind === "folder" ? "deleted" : "changed";
}

function isFolderThatGoes({ before, after }: StoredChange): boolean {
  return before?.kind === "folder" && after === null;
}

function isText({ before, after }: StoredChange): boolean {
  return [before, after].every((entry) => entry === null || entry.kind === "file") && !isModeChange(before, after);
}

function isModeChange(before: StoredEntry | null, after: StoredEntry | null): boolean {
  return before?.kind === "file" && after?.kind === "file" && before.oid === after.oid;
}
