import type { FindFiles } from "../../contracts/found-file.ts";
import type { Closers } from "../closers.ts";
import type { FinderParts } from "./find-files.ts";

/** Finds files for mentions. Its code is loaded, and the files are listed, at the first mention. */
export function lazyFileFinder(parts: FinderParts & { readonly closers: Closers }): FindFiles {
  let finder: Promise<FindFiles> | undefined;
  return (typed, told, signal) => {
    finder ??= import("./find-files.ts").then(({ fileFinder }) => {
      const made = fileFinder(parts);
      parts.closers.defer(() => made.close());
      return made.find;
    });
    void finder.then((find) => signal.aborted || find(typed, told, signal));
  };
}
