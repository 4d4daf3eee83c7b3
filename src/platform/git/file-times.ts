import { lstatSync } from "node:fs";

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
