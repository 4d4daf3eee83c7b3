import { lstatSync } from "node:fs";
import { dirname } from "node:path";

/** One mount of a confined program. */
export type MountedPlace = {
  /** Absolute, without links, as it is seen outside. */
  readonly path: string;
  /** Whether the program may change what is in it. */
  readonly isWritable: boolean;
};

/** What was at the place when the program was started: device, inode and time of birth, which nobody can forge. */
export type RunningMount = MountedPlace & { readonly identity: string };

/**
 * Asks of a confined program that runs whether it can put something else at a path. Where a mount of its own lies it can't: the
 * kernel refuses to rename or remove what is mounted on, as long as that is what was there when the program was started (whoever
 * is not confined may have put something else there since).
 */
export class RunningProgram {
  readonly #mounts: ReadonlyMap<string, RunningMount>;
  readonly #answers = new Map<string, boolean>();

  constructor(mounts: readonly RunningMount[]) {
    this.#mounts = new Map(mounts.map((mount) => [mount.path, mount]));
  }

  /** True also when it could exchange a folder above. @param path Absolute. */
  canExchange(path: string): boolean {
    if (dirname(path) === path) return false;
    const known = this.#answers.get(path);
    if (known !== undefined) return known;
    const mount = this.#mounts.get(path);
    const isHeld = mount ? mount.identity === identityOf(path) : !this.#canChange(dirname(path));
    const answer = !isHeld || this.canExchange(dirname(path));
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

/** @returns undefined when nothing is there. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino, birthtimeMs } = lstatSync(path);
    return `${dev}:${ino}:${birthtimeMs}`;
  } catch {
    return undefined;
  }
}

/** Differs whenever what is there, or its content, was changed: the time of the last change can't be set. */
export function stampAt(path: string): string | undefined {
  try {
    const { dev, ino, size, ctimeMs } = lstatSync(path);
    return `${dev}:${ino}:${size}:${ctimeMs}`;
  } catch {
    return undefined;
  }
}

/** The mounts with what is there now; without those of what is missing, which are none. */
export function runningMounts(places: readonly MountedPlace[]): readonly RunningMount[] {
  return places.flatMap(({ path, isWritable }) => {
    const identity = identityOf(path);
    return identity === undefined ? [] : [{ path, isWritable, identity }];
  });
}
