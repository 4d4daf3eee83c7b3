import { lazy } from "@quoll/async/lazy";
import type { FindFiles } from "../../contracts/file-mention.ts";
import type { Files } from "../../contracts/files.ts";
import type { FileFinder } from "../../services/mentions/file-finder.ts";
import type { Closers } from "../closers.ts";
import type { FinderParts } from "./find-files.ts";

/**
 * Finds files for mentions below the current working folder. The code is loaded, and the files are listed, at the first
 * mention, and again at the first mention in another folder.
 */
export function lazyFileFinder(parts: FinderParts & { readonly closers: Closers }): FindFiles {
  let current: { readonly root: string; readonly finder: Promise<FileFinder> } | undefined;
  const close = () => current?.finder.then((finder) => finder.close());
  parts.closers.defer(close);
  return (typed, onFound, signal) => {
    const root = parts.main.workspace.cwd;
    if (current?.root !== root) {
      void close();
      current = { root, finder: import("./find-files.ts").then(({ fileFinder }) => fileFinder(parts, root)) };
    }
    void current.finder.then(({ find }) => signal.aborted || find(typed, onFound, signal));
  };
}

/** The files on the disk; the code that reads and writes them is loaded at the first use. */
export function lazyFiles(): Files {
  const disk = lazy(async () => (await import("../../platform/files/disk-files.ts")).DISK_FILES);
  return {
    stamp: async (path) => (await disk()).stamp(path),
    load: async (path, maxBytes, signal) => (await disk()).load(path, maxBytes, signal),
    readLines: async (path, window, signal) => (await disk()).readLines(path, window, signal),
    write: async (request) => (await disk()).write(request),
  };
}
