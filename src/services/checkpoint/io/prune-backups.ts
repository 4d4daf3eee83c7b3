import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BACKUP_ID } from "../../../contracts/backup.ts";
import { diskUsage } from "./disk-usage.ts";

/** A folder without it holds no copies, only the names of files for a command. */
const MANIFEST = "manifest.json";

/** A folder with copies that may be deleted. */
export type OldBackup = { readonly id: string; readonly folder: string };

/**
 * The folders of backups that may go while the disk limit is exceeded, oldest first: all but the newest of each project.
 * @param root The folder with the backups of all projects: absolute.
 */
export function oldBackups(root: string): readonly OldBackup[] {
  const all = namesIn(root).flatMap((project) => {
    const isOne = (name: string) => BACKUP_ID.test(name) && existsSync(join(root, project, name, MANIFEST));
    const ids = namesIn(join(root, project)).filter(isOne);
    return ids
      .sort()
      .slice(0, -1)
      .map((id) => ({ id, folder: join(root, project, id) }));
  });
  return all.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Deletes the oldest of these backups until enough is free. @param bytes How much must go. @throws {Error} a system error. */
export async function deleteBackups(backups: readonly OldBackup[], bytes: number, signal: AbortSignal): Promise<void> {
  let left = bytes;
  for (const { folder } of backups) {
    if (left <= 0) return;
    left -= await diskUsage([folder], signal);
    rmSync(folder, { recursive: true, force: true });
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    return [];
  }
}
