import { lstatSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { statsAt } from "../../../platform/paths.ts";
import type { ProcessIdentity } from "../../../platform/process-identity.ts";

const MAX_RECORD_BYTES = 32 * 1024 * 1024;
/** Represents a program of an older Quoll, whose record lists no mounts and which may replace any path. */
const ANYWHERE: RunningMount = { path: "/", isWritable: true, identity: "" };

/** Something that must exist so that it can be mounted over. */
export type MountPoint = {
  /** An absolute path whose parent exists, without links. */
  readonly path: string;
  readonly kind: "file" | "folder";
  /** Content of the file; empty by default. */
  readonly content?: string;
};

export type Made = MountPoint & { readonly device: number; readonly inode: number };

/** The mount points that one Quoll process has made, and the confined programs that it runs. */
export type RecordFile = {
  readonly owner: ProcessIdentity;
  /** A private folder of the owner, which is removed together with it. */
  readonly scratch: string;
  readonly made: readonly Made[];
  /** Mount points about to be created: after a crash they are recognised by their emptiness and age. */
  readonly planned: readonly MountPoint[];
  readonly sinceMs: number;
  /** The mounts of each confined program that runs or is about to. */
  readonly running: readonly (readonly RunningMount[])[];
  /** The commands of the programs in `running`, in the same order; empty in records of an older Quoll. */
  readonly commands?: readonly string[];
};

/**
 * The newest complete line of a record file. An unreadable record is ignored: no mount point is removed because of it.
 */
export function readRecord(path: string): RecordFile | undefined {
  try {
    const stats = lstatSync(path);
    if (!stats.isFile() || stats.size > MAX_RECORD_BYTES) return undefined;
    const record = JSON.parse(newestLine(readFileSync(path, "utf8"))) as Partial<RecordFile>;
    const { owner, made, planned, running, commands } = record;
    if (!owner || !Array.isArray(made) || !Array.isArray(planned)) return undefined;
    return {
      ...(record as RecordFile),
      running: Array.isArray(running) ? running : [[ANYWHERE]],
      commands: Array.isArray(commands) ? commands : [],
    };
  } catch {
    return undefined;
  }
}

/** An older Quoll adds a line for each write; one that a crash has cut does not count. */
function newestLine(text: string): string {
  const end = text.lastIndexOf("\n");
  return end === -1 ? text : text.slice(text.lastIndexOf("\n", end - 1) + 1, end);
}

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
  const stats = statsAt(path);
  return stats && `${stats.dev}:${stats.ino}:${stats.birthtimeMs}`;
}

/** A stamp that differs after any change of the entry or its content: a program can't set the change time (ctime). */
export function stampAt(path: string): string | undefined {
  const stats = statsAt(path);
  return stats && `${stats.dev}:${stats.ino}:${stats.size}:${stats.ctimeMs}`;
}

/** The mounts with their current identity, without missing paths. */
export function runningMounts(mounts: readonly MountRecord[]): readonly RunningMount[] {
  return mounts.flatMap(({ path, isWritable }) => {
    const identity = identityOf(path);
    return identity === undefined ? [] : [{ path, isWritable, identity }];
  });
}
