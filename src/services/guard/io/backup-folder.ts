import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BACKUP_ID } from "../../../contracts/backup.ts";
import { randomHex } from "../../../platform/digest.ts";
import { makePrivateFolder, replacePrivateFile } from "../../../platform/private-file.ts";

const UNFINISHED = ".partial";
const MS_A_DAY = 24 * 60 * 60 * 1_000;

/** Limits per project: the number of backups, and their age. */
const MAX_BACKUPS = 100;
const MAX_AGE_DAYS = 30;

/** The name of a backup made at a given time (milliseconds since the epoch). Names sort by time. */
export function backupId(nowMs: number): string {
  const time = new Date(nowMs).toISOString().replace(/\.\d+/, "").replace(/[-:]/g, "");
  return `${time}-${randomHex(3)}`;
}

/** The outdated backups among these: too old, or beyond the limit. The newest backup is never outdated. */
export function outdated(ids: readonly string[], nowMs: number): readonly string[] {
  const known = [...new Set(ids)].filter((id) => timeOfBackup(id) !== undefined).sort();
  const [, ...older] = known.reverse();
  return older.filter(
    (id, index) => index + 1 >= MAX_BACKUPS || nowMs - (timeOfBackup(id) ?? 0) > MAX_AGE_DAYS * MS_A_DAY,
  );
}

/** Milliseconds since the epoch; undefined for other names. */
export function timeOfBackup(id: string): number | undefined {
  const match = BACKUP_ID.exec(id);
  if (!match) return undefined;
  const [, year, month, day, hours, minutes, seconds] = match.map(Number);
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hours, minutes, seconds);
}

/** A folder of copies, which becomes visible only when it is complete. The folder is accessible only by this user. */
export type BackupFolder = {
  /** Temporary path of the copies. */
  readonly unfinished: string;
  /** Final path of the copies. */
  readonly path: string;
  /** Writes a text file next to the copies. */
  write(name: string, text: string): void;
  /** Completes the backup. @returns `path`. */
  finish(): string;
  /** Discards the backup and removes its files. */
  discard(): void;
};

/** @param root The folder of all backups of a project; created when missing. */
export function newBackupFolder(root: string, id: string): BackupFolder {
  const path = join(root, id);
  const unfinished = `${path}${UNFINISHED}`;
  makePrivateFolder(root);
  mkdirSync(unfinished, { mode: 0o700 });
  return {
    unfinished,
    path,
    write: (name, text) => replacePrivateFile(join(unfinished, name), text),
    finish: () => {
      renameSync(unfinished, path);
      return path;
    },
    discard: () => rmSync(unfinished, { recursive: true, force: true }),
  };
}

/**
 * Removes outdated backups, and unfinished backups that a crash left at least a day ago. The function never throws,
 * because a leftover backup does no harm.
 */
export function trimBackupFolders(root: string, nowMs: number): void {
  try {
    const names = readdirSync(root);
    const left = names.filter((name) => {
      const madeAt = name.endsWith(UNFINISHED) ? timeOfBackup(name.slice(0, -UNFINISHED.length)) : undefined;
      return madeAt !== undefined && nowMs - madeAt > MS_A_DAY;
    });
    for (const name of [...outdated(names, nowMs), ...left]) rmSync(join(root, name), { recursive: true, force: true });
  } catch {
    // Tried again with the next backup.
  }
}
