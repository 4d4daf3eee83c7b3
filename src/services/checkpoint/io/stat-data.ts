import type { Stats } from "node:fs";

/** A file may change twice without another time stamp: within this time, or where a file system counts whole seconds. */
const UNSURE_MS = 50;
const UNSURE_SECONDS_MS = 2_000;

/**
 * True if these stat data will differ after the next change. Nobody can set the time of a file's last change of status to
 * an earlier one.
 * @param startedMs When the file was looked at: milliseconds since the epoch, or earlier.
 */
export function isSure(stats: Stats | undefined, startedMs: number): boolean {
  if (!stats) return false;
  const { ctimeMs } = stats;
  return startedMs - ctimeMs > (ctimeMs % 1_000 === 0 ? UNSURE_SECONDS_MS : UNSURE_MS);
}

/** True if a file did not change between two looks, as far as stat data tell. Undefined: it was not there. */
export function isSame(a: Stats | undefined, b: Stats | undefined): boolean {
  if (!a || !b) return a === b;
  return (
    a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.mode === b.mode
  );
}
