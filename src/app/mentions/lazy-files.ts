import { once } from "@quoll/async/once";
import type { Files } from "../../contracts/files.ts";

/** The files on the disk; the code that reads and writes them is loaded at the first use. */
export function lazyFiles(): Files {
  const disk = once(async () => (await import("../../platform/files/disk-files.ts")).DISK_FILES);
  return {
    stamp: async (path) => (await disk()).stamp(path),
    load: async (path, maxBytes, signal) => (await disk()).load(path, maxBytes, signal),
    readLines: async (path, window, signal) => (await disk()).readLines(path, window, signal),
    write: async (request) => (await disk()).write(request),
  };
}
