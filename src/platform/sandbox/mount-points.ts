import { randomBytes } from "node:crypto";
import {
  closeSync,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { ToolFailedError } from "../../contracts/errors.ts";
import { waitForLock } from "../lock-file.ts";
import { makePrivateFolder, PRIVATE_FILE_MODE, writeAll } from "../private-file.ts";
import { isRunning, ownIdentity, type ProcessIdentity } from "../process-identity.ts";
import { type MountedPlace, type RunningMount, RunningProgram, runningMounts } from "./running-mounts.ts";

/** How long another Quoll that makes or removes mount points is waited for. */
const LOCK_WAIT_MS = 5_000;
const MAX_RECORD_BYTES = 32 * 1024 * 1024;
/** Of a program whose record says nothing of its mounts, an older Quoll's: it may exchange anything. */
const ANYWHERE: RunningMount = { path: "/", isWritable: true, identity: "" };

/** Something that must exist so that it can be mounted over. */
export type MountPoint = {
  /** Absolute; its parent exists, no links in it. */
  readonly path: string;
  readonly kind: "file" | "folder";
  /** What a file holds while it is there; nothing by default. */
  readonly content?: string;
};

type Made = MountPoint & { readonly device: number; readonly inode: number };

type RecordFile = {
  readonly owner: ProcessIdentity;
  /** A private folder of the owner, which goes with it. */
  readonly scratch: string;
  readonly made: readonly Made[];
  /** What is about to be made: after a crash in between it is told by its emptiness and its age. */
  readonly planned: readonly MountPoint[];
  readonly sinceMs: number;
  /** The mounts of each program that runs confined, or is about to. */
  readonly running: readonly (readonly RunningMount[])[];
};

/** How things stand while a plan is made. */
export type MountScene = {
  /** What is there only because a Quoll made it. */
  readonly made: ReadonlySet<string>;
  /** The mounts of all programs that run confined, of whichever Quoll. */
  readonly running: readonly RunningMount[];
  /** Whether nothing that runs confined could put something else at a path, or above it. */
  isSettled(path: string): boolean;
};

export type MountPlan = {
  readonly points: readonly MountPoint[];
  /** What will be mounted for the program, where it may change something and in there. */
  readonly places: readonly MountedPlace[];
};

/** Given back when the program that needs the mount points has ended. */
export interface MountLease {
  /** Those that exist and are ours, or another Quoll's. */
  readonly held: readonly MountPoint[];
  /** Removes those that nobody needs any more, if they are still as they were made. Never rejects; once is enough. */
  release(): Promise<void>;
}

/**
 * Makes missing files and folders to mount over, shares them among all that run at once (other Quolls too, through a
 * folder of records), and removes them afterwards: a folder only when it is empty, a file only when it is the very one that
 * was made and holds nothing else. What a crashed process left is removed by the next one.
 */
export class MountPoints {
  readonly #records: string;
  readonly #recordFile: string;
  readonly #scratch: string;
  readonly #uses = new Map<string, { readonly made: Made; count: number }>();
  readonly #running = new Set<readonly RunningMount[]>();

  /**
   * @param records Folder of records, the same for all Quolls of this user; made when it is needed.
   * @param scratch A private folder of this process, removed by others when this process has crashed.
   */
  constructor(records: string, scratch: string) {
    this.#records = records;
    this.#scratch = scratch;
    this.#recordFile = join(records, `${process.pid}-${randomBytes(6).toString("hex")}.json`);
  }

  /**
   * @param plan Says what is needed, and what will be mounted. Asked while no Quoll makes or removes any; what it throws is
   *   passed on, and nothing was made.
   * @returns a lease of the points that were missing, or were made by a Quoll; what is there otherwise is left alone.
   * @throws {ToolFailedError} one can't be made, or the records can't be written; nothing is left behind.
   */
  acquire(plan: (scene: MountScene) => MountPlan): Promise<MountLease> {
    return this.#locked(() => {
      const others = this.#recover();
      const { points, places } = plan(this.#scene(others));
      const wanted = points.filter((point) => this.#isFreeOrOurs(point, others));
      this.#write(wanted.filter(({ path }) => !this.#uses.has(path)));
      const held: Made[] = [];
      const mounts: RunningMount[] = [];
      try {
        for (const point of wanted) held.push(this.#take(point));
        mounts.push(...runningMounts(places));
        this.#running.add(mounts);
        this.#write();
        return this.#lease(held, mounts);
      } catch (error) {
        this.#running.delete(mounts);
        for (const made of held) this.#drop(made, others);
        this.#write();
        throw new ToolFailedError(
          `The sandbox needs a place to mount on, and could not make it (${(error as Error).message}).`,
          { cause: error },
        );
      }
    });
  }

  /** Removes what crashed processes left. @throws {ToolFailedError} the records can't be read or written. */
  async recover(): Promise<void> {
    await this.#locked(() => this.#recover());
  }

  #lease(held: readonly Made[], mounts: readonly RunningMount[]): MountLease {
    let released: Promise<void> | undefined;
    return {
      held,
      release: () => {
        released ??= this.#locked(() => {
          const others = this.#others();
          this.#running.delete(mounts);
          for (const made of held) this.#drop(made, others);
          this.#write();
        }).catch(() => undefined); // The record stays: the next Quoll removes what is left.
        return released;
      },
    };
  }

  #scene(others: readonly RecordFile[]): MountScene {
    const running = [...this.#running, ...others.flatMap((record) => record.running)];
    const programs = running.map((mounts) => new RunningProgram(mounts));
    return {
      made: this.#madePaths(others),
      running: running.flat(),
      isSettled: (path) => !programs.some((program) => program.canExchange(path)),
    };
  }

  #madePaths(others: readonly RecordFile[]): ReadonlySet<string> {
    const all = [...[...this.#uses.values()].map((use) => use.made), ...others.flatMap(({ made }) => made)];
    return new Set(all.filter(isUntouched).map(({ path }) => path));
  }

  #isFreeOrOurs({ path }: MountPoint, others: readonly RecordFile[]): boolean {
    const stats = statOf(path);
    if (!stats) return true;
    const own = this.#uses.get(path)?.made;
    return (own && isSame(own, stats)) || adopted(path, stats, others) !== undefined;
  }

  #take(point: MountPoint): Made {
    const use = this.#uses.get(point.path);
    const stats = statOf(point.path);
    if (use && stats && isSame(use.made, stats)) {
      use.count += 1;
      return use.made;
    }
    // It is a Quoll's, as #isFreeOrOurs found; or it has gone, or been replaced by the user meanwhile.
    const made = stats ? { ...point, device: stats.dev, inode: stats.ino } : make(point);
    this.#uses.set(point.path, { made, count: 1 });
    return made;
  }

  #drop(made: Made, others: readonly RecordFile[]): void {
    const use = this.#uses.get(made.path);
    if (!use || !isSame(use.made, { dev: made.device, ino: made.inode })) return;
    use.count -= 1;
    if (use.count > 0) return;
    this.#uses.delete(made.path);
    if (!others.some((record) => record.made.some((other) => other.path === made.path && isSameMade(other, made))))
      remove(made);
  }

  /** The records of others that run; those of others that don't are worked off. */
  #recover(): readonly RecordFile[] {
    const live: RecordFile[] = [];
    const dead: { readonly path: string; readonly record: RecordFile }[] = [];
    for (const { path, record } of this.#readRecords())
      if (isRunning(record.owner) === "no") dead.push({ path, record });
      else live.push(record);
    const isUsed = (path: string) =>
      this.#uses.has(path) || live.some(({ made }) => made.some((one) => one.path === path));
    for (const { path, record } of dead) {
      for (const made of [...record.made, ...foundPlanned(record)]) if (!isUsed(made.path)) remove(made);
      removeScratch(record.scratch);
      rmSync(path, { force: true });
    }
    return live;
  }

  #others(): readonly RecordFile[] {
    return this.#readRecords().map(({ record }) => record);
  }

  #readRecords(): readonly { readonly path: string; readonly record: RecordFile }[] {
    return readdirSync(this.#records).flatMap((name) => {
      const path = join(this.#records, name);
      if (!name.endsWith(".json") || path === this.#recordFile) return [];
      const record = parseRecord(path);
      return record ? [{ path, record }] : [];
    });
  }

  /** Before and after the points are made: whatever happens in between, somebody knows of them. */
  #write(planned: readonly MountPoint[] = []): void {
    const made = [...this.#uses.values()].map((use) => use.made);
    if (made.length === 0 && planned.length === 0 && this.#running.size === 0) {
      rmSync(this.#recordFile, { force: true });
      return;
    }
    const record: RecordFile = {
      owner: ownIdentity(),
      scratch: this.#scratch,
      made,
      planned,
      sinceMs: Date.now(),
      running: [...this.#running],
    };
    writeFileSync(`${this.#recordFile}.new`, JSON.stringify(record), { mode: PRIVATE_FILE_MODE });
    renameSync(`${this.#recordFile}.new`, this.#recordFile);
  }

  async #locked<Result>(work: () => Result): Promise<Result> {
    let attempt: Awaited<ReturnType<typeof waitForLock>>;
    try {
      makePrivateFolder(this.#records);
      attempt = await waitForLock(join(this.#records, "lock"), LOCK_WAIT_MS);
    } catch (error) {
      throw new ToolFailedError(
        `The sandbox keeps a record of its mount points in ${this.#records}, which can't be written (${(error as Error).message}).`,
        { cause: error },
      );
    }
    if (!("lock" in attempt))
      throw new ToolFailedError(
        `Another Quoll (pid ${attempt.holder?.pid ?? "unknown"}) holds ${join(this.#records, "lock")} for too long.`,
      );
    try {
      return work();
    } finally {
      attempt.lock.release();
    }
  }
}

/** A new folder of this process alone in the system's folder for temporary files. */
export function makeScratch(temporaryFolder: string): string {
  return mkdtempSync(join(temporaryFolder, SCRATCH_PREFIX));
}

const SCRATCH_PREFIX = "quoll-sandbox-";

/** Removes such a folder, and nothing else. Never throws. */
export function removeScratch(path: string): void {
  if (!basename(path).startsWith(SCRATCH_PREFIX)) return;
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Something in it can't be removed (an odd permission): the system clears its temporary files by itself.
  }
}

/** @throws {Error} a system error: the parent is gone or read-only, or something has this name by now. */
function make(point: MountPoint): Made {
  const { path, kind, content = "" } = point;
  if (kind === "folder") {
    mkdirSync(path);
    const { dev, ino } = lstatSync(path);
    return { ...point, device: dev, inode: ino };
  }
  if (content === "") return makeFile(point, path, "");
  // It appears whole: whoever reads it meanwhile must not find it empty.
  const temporary = join(dirname(path), `.${randomBytes(8).toString("hex")}.tmp`);
  try {
    const made = makeFile(point, temporary, content);
    linkSync(temporary, path);
    return made;
  } finally {
    rmSync(temporary, { force: true });
  }
}

function makeFile(point: MountPoint, path: string, content: string): Made {
  const fd = openSync(path, "wx", 0o644);
  try {
    writeAll(fd, Buffer.from(content));
    const { dev, ino } = fstatSync(fd);
    return { ...point, device: dev, inode: ino };
  } finally {
    closeSync(fd);
  }
}

function remove(made: Made): void {
  try {
    if (!isUntouched(made)) return;
    // rmdir refuses a folder that somebody has put something into meanwhile.
    if (made.kind === "folder") rmdirSync(made.path);
    else unlinkSync(made.path);
  } catch {
    // In use by somebody, or gone: either way not ours any more.
  }
}

/** Whether what was made is still there, and nobody has put anything into it. */
function isUntouched({ path, kind, content = "", ...made }: Made): boolean {
  try {
    const stats = statOf(path);
    if (!stats || !isSame(made, stats)) return false;
    if (kind === "folder") return stats.isDirectory() && readdirSync(path).length === 0;
    return stats.isFile() && stats.size === Buffer.byteLength(content) && readFileSync(path, "utf8") === content;
  } catch {
    return false;
  }
}

/** What a process made and had no time to write down: new, empty, of the planned kind. */
function foundPlanned({ planned, sinceMs }: RecordFile): readonly Made[] {
  return planned.flatMap((point) => {
    const stats = statOf(point.path);
    const isNew = stats !== undefined && stats.birthtimeMs >= sinceMs - 1_000;
    const isKind = point.kind === "folder" ? stats?.isDirectory() : stats?.isFile();
    return stats && isNew && isKind ? [{ ...point, device: stats.dev, inode: stats.ino }] : [];
  });
}

function adopted(path: string, stats: Stats, others: readonly RecordFile[]): Made | undefined {
  return others.flatMap(({ made }) => made).find((one) => one.path === path && isSame(one, stats));
}

function isSame(made: Pick<Made, "device" | "inode">, stats: Pick<Stats, "dev" | "ino">): boolean {
  return made.device === stats.dev && made.inode === stats.ino;
}

function isSameMade(a: Made, b: Made): boolean {
  return a.device === b.device && a.inode === b.inode;
}

function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** A record that can't be read is none: nothing is removed on its word. */
function parseRecord(path: string): RecordFile | undefined {
  try {
    const stats = lstatSync(path);
    if (!stats.isFile() || stats.size > MAX_RECORD_BYTES) return undefined;
    const record = JSON.parse(readFileSync(path, "utf8")) as Partial<RecordFile>;
    const { owner, made, planned, running } = record;
    if (!owner || !Array.isArray(made) || !Array.isArray(planned)) return undefined;
    return { ...(record as RecordFile), running: Array.isArray(running) ? running : [[ANYWHERE]] };
  } catch {
    return undefined;
  }
}
