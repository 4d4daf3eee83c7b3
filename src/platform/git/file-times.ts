import { lstatSync } from "node:fs";

/** A file's size in bytes, and when it was changed, in nanoseconds; a link's own. Undefined when it is missing. */
export function fileTimes(path: string): { readonly size: number; readonly modifiedNs: bigint } | undefined {
  try {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stats && { size: Number(stats.size), modifiedNs: stats.mtimeNs };
  } catch {
    // Under something that is a file now.
    return undefined;
  }
}
