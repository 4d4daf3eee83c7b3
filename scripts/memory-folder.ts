import { chmodSync, mkdtempSync, readFileSync, statfsSync } from "node:fs";

/** Where Linux keeps files in memory. */
const SHARED_MEMORY = "/dev/shm";
/** The tests write some hundred megabytes at the same time. */
const NEEDED_BYTES = 2 * 1024 ** 3;

/**
 * A new folder in memory for temporary files, which the caller removes. The tests make and remove some ten thousand folders: on a
 * disk this takes up to a third of their processor time.
 * @returns undefined where there is no such place, or none with enough room in which programs may be run.
 */
export function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    if (!isUsable(readFileSync("/proc/mounts", "utf8"), bavail * bsize)) return undefined;
    // Short: the path of a socket has about a hundred characters.
    const folder = mkdtempSync(`${SHARED_MEMORY}/q`);
    // As open as the machine's own: some tests start a program as another user.
    chmodSync(folder, 0o1777);
    return folder;
  } catch {
    return undefined;
  }
}

/** @param mounts The text of `/proc/mounts`. */
export function isUsable(mounts: string, freeBytes: number): boolean {
  const fields = mounts.split("\n").map((line) => line.split(" "));
  const [, , kind, options = ""] = fields.findLast(([, path]) => path === SHARED_MEMORY) ?? [];
  return kind === "tmpfs" && !options.split(",").includes("noexec") && freeBytes >= NEEDED_BYTES;
}
