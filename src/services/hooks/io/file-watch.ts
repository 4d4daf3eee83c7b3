import { existsSync, type FSWatcher, statSync, watch } from "node:fs";
import { basename, dirname } from "node:path";

/** Further paths are not watched. */
const MAX_PATHS = 200;

export type FileChange = "change" | "add" | "unlink";

/** Watches single files by their folders; both may be missing. No code runs while nothing changes there. */
export class FileWatch {
  readonly #changed: (path: string, change: FileChange) => void;
  readonly #watchers = new Map<string, FSWatcher>();
  /** The last known stamp of each watched path; empty for a missing file. */
  readonly #stamps = new Map<string, string>();

  /** @param changed Called once for each change of a file. */
  constructor(changed: (path: string, change: FileChange) => void) {
    this.#changed = changed;
  }

  /** @param paths Absolute. */
  add(paths: readonly string[]): void {
    for (const path of paths) {
      if (this.#stamps.has(path) || this.#stamps.size >= MAX_PATHS) continue;
      this.#stamps.set(path, stampOf(path));
      this.#watchFolder(dirname(path));
    }
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
    this.#stamps.clear();
  }

  #watchFolder(folder: string): void {
    if (this.#watchers.has(folder)) return;
    if (!existsSync(folder)) {
      this.#awaitFolder(folder);
      return;
    }
    this.#keep(folder, folder, () => this.#compare(folder));
    // The file may have come before the watch.
    this.#compare(folder);
  }

  /** Watches the nearest folder above that is there, until the next one below it has come. */
  #awaitFolder(folder: string): void {
    let next = folder;
    while (!existsSync(dirname(next)) && dirname(next) !== next) next = dirname(next);
    const onChange = () => {
      const watcher = this.#watchers.get(folder);
      if (!watcher || !existsSync(next)) return;
      watcher.close();
      this.#watchers.delete(folder);
      this.#watchFolder(folder);
    };
    this.#keep(folder, dirname(next), onChange);
    // The folder may have come before the watch.
    onChange();
  }

  /** @param watched The folder that is watched for `folder`. */
  #keep(folder: string, watched: string, onChange: () => void): void {
    try {
      const watcher = watch(watched, { persistent: false }, onChange);
      watcher.on("error", () => undefined);
      this.#watchers.set(folder, watcher);
    } catch {
      // The system allows no further watch, or the folder has just gone: its files are not watched.
    }
  }

  #compare(folder: string): void {
    for (const [path, before] of this.#stamps) {
      if (dirname(path) !== folder) continue;
      const now = stampOf(path);
      if (now === before) continue;
      this.#stamps.set(path, now);
      this.#changed(path, before === "" ? "add" : now === "" ? "unlink" : "change");
    }
  }
}

/** The files that a matcher names: words without special characters of a regular expression, except dots. */
export function namedFiles(matcher: string): readonly string[] {
  return matcher.split("|").filter((word) => /^[\w.-]+$/.test(word) && basename(word) === word);
}

function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? `${stats.mtimeMs} ${stats.size} ${stats.ino}` : "";
}
