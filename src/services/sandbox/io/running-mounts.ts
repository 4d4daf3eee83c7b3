import { lstatSync } from "node:fs";
import { dirname } from "node:path";

/** One mount of a confined program. */
export type MountRecord = {
  /** Absolute, without links, as seen outside the sandbox. */
  readonly path: string;
  /** True if the program may change the mount's content. */
  readonly isWritable: boolean;
};

/** Identity of the path at program start: device, inode and birth time, which can't be forged. */
export type RunningMount = MountRecord & { readonly identity: string };

/**
 * Tells whether a running confined program can replace the entry at a path. A program can't replace its own mounts: the
 * kernel refuses to rename or remove a mount point, as long as the path still holds the entry that was mounted (an
 * unconfined program may have replaced it since).
 */
export class RunningProgram {
  readonly #mounts: ReadonlyMap<string, RunningMount>;
  readonly #answers = new Map<string, boolean>();

  constructor(mounts: readonly RunningMount[]) {
    this.#mounts = new Map(mounts.map((mount) => [mount.path, mount]));
  }

  /** True if a running program could replace the path or a folder above it. @param path Absolute. */
  canReplace(path: string): boolean {
    if (dirname(path) === path) return false;
    const known = this.#answers.get(path);
    if (known !== undefined) return known;
    const mount = this.#mounts.get(path);
    const isHeld = mount ? mount.identity === identityOf(path) : !this.#canChange(dirname(path));
    const answer = !isHeld || this.canReplace(dirname(path));
    this.#answers.set(path, answer);
    return answer;
  }

  #canChange(folder: string): boolean {
    for (let at = folder; ; at = dirname(at)) {
      const mount = this.#mounts.get(at);
      if (mount) return mount.isWritable;
      if (at === dirname(at)) return false;
    }
  }
}

/** @returns undefined when the path is missing. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino, birthtimeMs } = lstatSync(path);
    return `${dev}:${ino}:${birthtimeMs}`;
  } catch {
    return undefined;
  }
}

/** A stamp that differs after any change of the entry or its content: a program can't set the change time (ctime). */
export function stampAt(path: string): string | undefined {
  try {
    const { dev, ino, size, ctimeMs } = lstatSync(path);
    return `${dev}:${ino}:${size}:${ctimeMs}`;
  } catch {
    return undefined;
  }
}

/** The mounts with their current identity, without missing paths. */
export function runningMounts(mounts: readonly MountRecord[]): readonly RunningMount[] {
  return mounts.flatMap(({ path, isWritable }) => {
    const identity = identityOf(path);
    return identity === undefined ? [] : [{ path, isWritable, identity }];
  });
}
