import { lstatSync } from "node:fs";
import { lstat } from "node:fs/promises";

const AT_ONCE = 64;

/** The modification time of each file in milliseconds since the epoch, in the given order; 0 for a missing file. */
export async function modifiedTimes(paths: readonly string[], signal: AbortSignal): Promise<readonly number[]> {
  const times: number[] = [];
  for (let from = 0; from < paths.length; from += AT_ONCE) {
    signal.throwIfAborted();
    const batch = paths.slice(from, from + AT_ONCE).map((path) =>
      lstat(path).then(
        (stats) => stats.mtimeMs,
        () => 0,
      ),
    );
    times.push(...(await Promise.all(batch)));
  }
  return times;
}

/** A file's size in bytes and its modification time in nanoseconds; for a link, its own. Undefined if it is missing. */
export function fileTimes(path: string): { readonly size: number; readonly modifiedNs: bigint } | undefined {
  try {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stats && { size: Number(stats.size), modifiedNs: stats.mtimeNs };
  } catch {
    // A part of the path has been replaced by a file.
    return undefined;
  }
}
