import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { orUndefined } from "../../../contracts/or-undefined.ts";

/** The number of debug logs to keep in addition to the log that is being opened. */
export const MAX_LOGS = 50;
export const MAX_LOG_AGE_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Removes old logs from a folder, and all logs but the newest. If a log can't be removed, the next session tries
 * again.
 */
export function pruneLogs(folder: string, nowMs: number): void {
  const logs = logFiles(folder);
  for (const [index, { path, modifiedMs }] of logs.entries()) {
    if (index < MAX_LOGS && nowMs - modifiedMs <= MAX_LOG_AGE_DAYS * DAY_MS) continue;
    try {
      rmSync(path, { force: true });
    } catch {
      // The log belongs to another user, or the folder is read-only.
    }
  }
}

/** The debug logs of a folder, newest first; empty if the folder is missing. */
export function logFiles(folder: string): readonly { readonly path: string; readonly modifiedMs: number }[] {
  return (orUndefined(() => readdirSync(folder)) ?? [])
    .flatMap((name) => {
      if (!name.endsWith(".log")) return [];
      const path = join(folder, name);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      return stats?.isFile() ? [{ path, modifiedMs: stats.mtimeMs }] : [];
    })
    .sort((a, b) => b.modifiedMs - a.modifiedMs);
}
