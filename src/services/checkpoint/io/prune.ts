import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { BACKUP_ID } from "../../../contracts/backup.ts";
import { AppendFile } from "../../../platform/append-file.ts";
import type { Environment } from "../../../platform/env.ts";
import { listFolderSync, namesIn } from "../../../platform/files/list-folder.ts";
import { isFirstTime } from "../../../platform/first-time.ts";
import { lockHolder, tryLock } from "../../../platform/lock-file.ts";
import { statsAt } from "../../../platform/paths.ts";
import { type CheckpointRecord, formatRecord, withoutDropped } from "../checkpoint-record.ts";
import {
  type Drop,
  MS_A_DAY,
  oldestPoints,
  outdatedPoints,
  PRUNE_LIMITS,
  type PrunedPoint,
  type PrunedSession,
  type PruneLimits,
} from "../prune-plan.ts";
import { BACKUP_INDEX } from "./backup-index.ts";
import { collectGarbage, trimIndexes } from "./collect-garbage.ts";
import { inSlices } from "./in-slices.ts";
import { isInUse, RESTORES, readRecords, recordFile, sessionLock, sessionOf } from "./record-file.ts";
import { lazyShadowGit } from "./shadow-git.ts";

const ANNOUNCED = "prune-announced";
const BACKUPS_ANNOUNCED = "prune-of-backups-announced";
const LOCK = "prune.lock";
/** Git's words: what a running session has written within the last hour may not be named by any record yet. */
const EXPIRE = "1.hour.ago";
const MAX_PASSES = 20;

export type Prune = {
  /** The folder with the checkpoints of all projects: absolute. */
  readonly root: string;
  /** Folders with the backups of all projects, which share the disk limit. */
  readonly others: readonly string[];
  readonly git: string | undefined;
  readonly environment: Environment;
  readonly limits?: PruneLimits;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  readonly expire?: string;
};

/** `id` of a session: the project's folder, a NUL, the session's id. */
type Found = PrunedSession & { readonly folder: string; readonly sessionId: string };

/**
 * Deletes checkpoints beyond the limits: old ones, too many of one session, and the oldest of all while the disk limit
 * is exceeded; when none is left that may go, the oldest folders of backups. Sessions in use are left to their own next
 * start. The first time, nothing is deleted: once for checkpoints, once for backups.
 * @returns lines for the person: what the next start will delete.
 * @throws {Error} git or the system failed.
 */
export async function pruneCheckpoints(prune: Prune, signal: AbortSignal): Promise<readonly string[]> {
  const { root } = prune;
  if (!existsSync(root)) return [];
  const attempt = tryLock(join(root, LOCK));
  if (!("lock" in attempt)) return [];
  using _lock = attempt.lock;
  for (const folder of projectsIn(root)) {
    trimIndexes(folder, (id) => lockHolder(sessionLock(folder, id)) !== undefined);
    trimBackupIndex(folder, prune);
  }
  const lines = await prunePoints(prune, signal);
  return lines.length > 0 ? lines : await pruneBackups(prune, signal);
}

async function prunePoints(prune: Prune, signal: AbortSignal): Promise<readonly string[]> {
  const { root, others, limits = PRUNE_LIMITS, nowMs } = prune;
  const folders = [root, ...others];
  const outdated = outdatedPoints(sessionsIn(root), limits, nowMs);
  const isFull = (await diskUsage(folders, signal)) > limits.maxBytes;
  const first = outdated.length > 0 ? outdated : isFull ? oldestPoints(sessionsIn(root)) : [];
  if (first.length === 0) return [];
  if (isFirstTime(root, ANNOUNCED)) return [announcement(first, limits)];
  await drop(prune, outdated, signal);
  for (let pass = 0; pass < MAX_PASSES && (await diskUsage(folders, signal)) > limits.maxBytes; pass += 1) {
    const oldest = oldestPoints(sessionsIn(root));
    if (oldest.length === 0) break;
    await drop(prune, oldest, signal);
  }
  return [];
}

async function pruneBackups(prune: Prune, signal: AbortSignal): Promise<readonly string[]> {
  const { root, others, limits = PRUNE_LIMITS } = prune;
  const excess = (await diskUsage([root, ...others], signal)) - limits.maxBytes;
  const old = others.flatMap(oldBackups);
  if (excess <= 0 || old.length === 0 || oldestPoints(sessionsIn(root)).length > 0) return [];
  if (!isFirstTime(root, BACKUPS_ANNOUNCED)) await deleteBackups(old, excess, signal);
  else {
    const most = Math.floor(limits.maxBytes / 1024 / 1024);
    return [
      `Checkpoints and backups take more than ${most} MB, and no older checkpoint is left to delete: from its next start on, Quoll deletes the oldest backups. The setting checkpoints.maxDiskMb changes the limit; \`quoll backups list\` lists the backups.`,
    ];
  }
  return [];
}

/** The list of a project without recent backups goes: those that are there are found without it. */
function trimBackupIndex(folder: string, { nowMs, limits = PRUNE_LIMITS }: Prune): void {
  const path = join(folder, BACKUP_INDEX);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats || stats.mtimeMs > nowMs - limits.keepDays * MS_A_DAY) return;
  rmSync(path, { force: true });
  removeIfEmpty(folder);
}

function announcement(drops: readonly Drop[], { maxPoints, keepDays, maxBytes }: PruneLimits): string {
  const count = drops.reduce((sum, { points }) => sum + points, 0);
  const what = count === 1 ? "1 checkpoint" : `${count} checkpoints`;
  const limits = `${keepDays} days, ${maxPoints} a session, ${Math.floor(maxBytes / 1024 / 1024)} MB`;
  return `From its next start on, Quoll deletes the oldest checkpoints (limits: ${limits}); now that would be ${what}. The settings checkpoints.keepDays and checkpoints.maxDiskMb change the limits.`;
}

/** The sessions that no process has open. */
function sessionsIn(root: string): readonly Found[] {
  return projectsIn(root).flatMap((folder) =>
    sessionIds(folder).flatMap((sessionId) => {
      if (lockHolder(sessionLock(folder, sessionId))) return [];
      const records = withoutDropped(readRecords(recordFile(folder, sessionId)));
      return [{ id: `${folder}\0${sessionId}`, folder, sessionId, points: pointsOf(sessionId, records) }];
    }),
  );
}

/** The restores of a shell have no prompts: they stay or go together. */
function pointsOf(sessionId: string, records: readonly CheckpointRecord[]): readonly PrunedPoint[] {
  if (sessionId === RESTORES) return records.slice(-1).map(({ time }) => ({ id: RESTORES, time }));
  return records.flatMap((one) => (one.kind === "prompt" ? [{ id: one.id, time: one.time }] : []));
}

function projectsIn(root: string): readonly string[] {
  const entries = readdirSync(root, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(root, name));
}

function sessionIds(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) => sessionOf(name) ?? []);
}

async function drop({ git, environment, nowMs, expire = EXPIRE }: Prune, drops: readonly Drop[], signal: AbortSignal) {
  const folders = new Set<string>();
  for (const { id, until } of drops) {
    const [folder = "", sessionId = ""] = id.split("\0");
    folders.add(folder);
    const file = recordFile(folder, sessionId);
    if (until === null) for (const path of [file, sessionLock(folder, sessionId)]) rmSync(path, { force: true });
    else appendTo(file, formatRecord({ kind: "dropped", time: nowMs, until }));
  }
  for (const folder of folders) {
    const ids = sessionIds(folder);
    if (ids.length === 0 && !isInUse(folder)) removeAllButBackups(folder);
    else if (git !== undefined) {
      const records = ids.flatMap((id): readonly CheckpointRecord[] =>
        withoutDropped(readRecords(recordFile(folder, id))),
      );
      const shadow = lazyShadowGit(git, join(folder, "objects.git"), environment);
      await collectGarbage({ folder, git: shadow, records, expire }, signal);
    }
  }
}

function appendTo(path: string, text: string): void {
  using file = new AppendFile(path);
  file.append(text);
}

function removeAllButBackups(folder: string): void {
  for (const name of readdirSync(folder))
    if (name !== BACKUP_INDEX) rmSync(join(folder, name), { recursive: true, force: true });
  removeIfEmpty(folder);
}

function removeIfEmpty(folder: string): void {
  if (readdirSync(folder).length === 0) rmSync(folder, { recursive: true, force: true });
}

/** A folder without it holds no copies, only the names of files for a command. */
const MANIFEST = "manifest.json";

/** A folder with copies that may be deleted. */
type OldBackup = { readonly id: string; readonly folder: string };

/**
 * The folders of backups that may go while the disk limit is exceeded, oldest first: all but the newest of each project.
 * @param root The folder with the backups of all projects: absolute.
 */
function oldBackups(root: string): readonly OldBackup[] {
  const all = foldersIn(root).flatMap((project) => {
    const isOne = (name: string) => BACKUP_ID.test(name) && existsSync(join(root, project, name, MANIFEST));
    const ids = foldersIn(join(root, project)).filter(isOne);
    return ids
      .sort()
      .slice(0, -1)
      .map((id) => ({ id, folder: join(root, project, id) }));
  });
  return all.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Deletes the oldest of these backups until enough is free. @param bytes How much must go. @throws {Error} a system error. */
async function deleteBackups(backups: readonly OldBackup[], bytes: number, signal: AbortSignal): Promise<void> {
  let left = bytes;
  for (const { folder } of backups) {
    if (left <= 0) return;
    left -= await diskUsage([folder], signal);
    rmSync(folder, { recursive: true, force: true });
  }
}

function foldersIn(folder: string): readonly string[] {
  return listFolderSync(folder).flatMap(({ name, kind }) => (kind === "folder" ? [name] : []));
}

const BLOCK_BYTES = 512;

/** The bytes that folders take on the disk. Missing folders and files that go meanwhile count as nothing. */
export async function diskUsage(folders: readonly string[], signal: AbortSignal): Promise<number> {
  let bytes = 0;
  const waiting = [...folders];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const at = folder;
    await inSlices(namesIn(at) ?? [], signal, (name) => {
      const path = join(at, name);
      const stats = statsAt(path);
      if (stats?.isDirectory()) waiting.push(path);
      bytes += (stats?.blocks ?? 0) * BLOCK_BYTES;
    });
  }
  return bytes;
}
