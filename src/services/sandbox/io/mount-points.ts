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
  rmdirSync,
  rmSync,
  type Stats,
  unlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { once } from "@quoll/async/once";
import { ToolFailedError } from "../../../contracts/errors.ts";
import { randomHex } from "../../../platform/digest.ts";
import { type LockAttempt, waitForLock } from "../../../platform/lock-file.ts";
import { makePrivateFolder, replaceUnflushed, writeAll } from "../../../platform/private-file.ts";
import { isRunning, ownIdentity } from "../../../platform/process-identity.ts";
import {
  type Made,
  type MountPoint,
  type MountRecord,
  type RecordFile,
  type RunningMount,
  RunningProgram,
  readRecord,
  runningMounts,
} from "./mount-record.ts";

/** How long to wait for another Quoll process that creates or removes mount points. */
const LOCK_WAIT_MS = 5_000;

/** The state in which a plan is made. */
export type MountScene = {
  /** Paths that exist only as mount points of a Quoll process. */
  readonly made: ReadonlySet<string>;
  /** The mounts of all running confined programs of every Quoll process. */
  readonly running: readonly RunningMount[];
  /** True if no running confined program can replace a path or a folder above it. */
  isStable(path: string): boolean;
  /** A running command that can replace a path or a folder above it; empty if it is not known. */
  replacerOf(path: string): string;
};

/** Used for mechanisms without mounts, for which no mount can be misdirected. */
export const NO_MOUNTS: MountScene = { made: new Set(), running: [], isStable: () => true, replacerOf: () => "" };

export type MountPlan = {
  readonly points: readonly MountPoint[];
  /** The program's mounts in and below writable folders. */
  readonly mounts: readonly MountRecord[];
  /** The running command in one printable line; empty if it is not known. */
  readonly command?: string;
};

/** Release it when the program that needs the mount points has ended. */
export interface MountLease {
  /** Removes unused mount points that are unchanged since their creation. Never rejects; further calls do nothing. */
  release(): Promise<void>;
}

/**
 * Creates missing files and folders to mount over, shares them among concurrent programs (also of other Quoll
 * processes, through a folder of records), and removes them afterwards: a folder only when it is empty, a file only
 * when it is the one created and unchanged. The next process removes leftovers of a crashed one.
 */
export class MountPoints {
  readonly #records: string;
  readonly #record: string;
  readonly #scratch: string;
  readonly #uses = new Map<string, { readonly made: Made; count: number }>();
  /** The mounts of each program, and its command. */
  readonly #running = new Map<readonly RunningMount[], string>();
  #isClosed = false;

  /**
   * @param records Folder of records, shared by all Quoll processes of this user; created when needed.
   * @param scratch A private folder of this process, removed by others when this process has crashed.
   */
  constructor(records: string, scratch: string) {
    this.#records = records;
    this.#scratch = scratch;
    this.#record = join(records, `${process.pid}-${randomHex(6)}.json`);
  }

  /**
   * @param plan Returns the needed mount points and the mounts. Called while no Quoll process creates or removes any;
   * its errors are passed on, and nothing is created then.
   * @returns a lease of the points that were missing or created by a Quoll process; other existing entries stay
   * untouched. The leftovers of crashed processes are removed first.
   * @throws {ToolFailedError} a point can't be created, or the records can't be written; nothing is left behind.
   */
  acquire(plan: (scene: MountScene) => MountPlan): Promise<MountLease> {
    return this.#locked(() => {
      const others = this.#recover();
      const { points, mounts: wantedMounts, command = "" } = plan(this.#scene(others));
      const wanted = points.filter((point) => this.#isFreeOrOurs(point, others));
      const planned = wanted.filter(({ path }) => !this.#uses.has(path));
      if (planned.length > 0) this.#write(planned);
      const held: Made[] = [];
      const mounts: RunningMount[] = [];
      try {
        for (const point of wanted) held.push(this.#take(point));
        mounts.push(...runningMounts(wantedMounts));
        this.#running.set(mounts, command);
        this.#write();
        return this.#lease(held, mounts);
      } catch (error) {
        this.#running.delete(mounts);
        for (const made of held) this.#drop(made, others);
        this.#write();
        throw new ToolFailedError(`The sandbox could not create a mount point (${(error as Error).message}).`, {
          cause: error,
        });
      }
    });
  }

  /** Removes the record, unless the next process still has to remove something. */
  close(): void {
    this.#isClosed = true;
    if (this.#isIdle) rmSync(this.#record, { force: true });
  }

  #lease(held: readonly Made[], mounts: readonly RunningMount[]): MountLease {
    const release = () =>
      this.#locked(() => {
        this.#running.delete(mounts);
        const others = this.#others();
        for (const made of held) this.#drop(made, others);
        this.#write();
      });
    // If this fails, the record stays, so the next Quoll process removes the rest.
    return { release: once(() => release().catch(() => undefined)) };
  }

  #scene(others: readonly RecordFile[]): MountScene {
    const ofOthers = others.flatMap(({ running, commands = [] }) =>
      running.map((mounts, at) => ({ mounts, command: String(commands[at] ?? "") })),
    );
    const running = [...[...this.#running].map(([mounts, command]) => ({ mounts, command })), ...ofOthers];
    const programs = running.map(({ mounts, command }) => ({ command, program: new RunningProgram(mounts) }));
    return {
      made: this.#madePaths(others),
      running: running.flatMap(({ mounts }) => mounts),
      isStable: (path) => !programs.some(({ program }) => program.canReplace(path)),
      replacerOf: (path) => programs.find(({ program }) => program.canReplace(path))?.command ?? "",
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
    // The entry belongs to a Quoll process (see #isFreeOrOurs), or the user has removed or replaced it in the meantime.
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

  /** The records of other running processes; cleans up after those that no longer run. */
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
      if (!name.endsWith(".json") || path === this.#record) return [];
      const record = readRecord(path);
      return record ? [{ path, record }] : [];
    });
  }

  /** Written before and after points are created, so that a record exists whatever happens in between. */
  #write(planned: readonly MountPoint[] = []): void {
    const record: RecordFile = {
      owner: ownIdentity(),
      scratch: this.#scratch,
      made: [...this.#uses.values()].map((use) => use.made),
      planned,
      sinceMs: Date.now(),
      running: [...this.#running.keys()],
      commands: [...this.#running.values()],
    };
    // The last command of a session may end after the session.
    if (this.#isClosed && this.#isIdle) rmSync(this.#record, { force: true });
    else replaceUnflushed(this.#record, `${JSON.stringify(record)}\n`);
  }

  get #isIdle(): boolean {
    return this.#uses.size === 0 && this.#running.size === 0;
  }

  async #locked<Result>(work: () => Result): Promise<Result> {
    let attempt: LockAttempt;
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
    using _lock = attempt.lock;
    return work();
  }
}

/** Creates a private folder for this process in the system's temporary folder. */
export function makeScratch(temporaryFolder: string): string {
  return mkdtempSync(join(temporaryFolder, SCRATCH_PREFIX));
}

const SCRATCH_PREFIX = "quoll-sandbox-";

/** Removes such a scratch folder, but nothing else. Never throws. */
export function removeScratch(path: string): void {
  if (!basename(path).startsWith(SCRATCH_PREFIX)) return;
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // A file in it can't be removed; the system clears its temporary files itself.
  }
}

/** @throws {Error} a system error: the parent is gone or read-only, or the name is taken. */
function make(point: MountPoint): Made {
  const { path, kind, content = "" } = point;
  if (kind === "folder") {
    mkdirSync(path);
    const { dev, ino } = lstatSync(path);
    return { ...point, device: dev, inode: ino };
  }
  if (content === "") return makeFile(point, path, "");
  // Linked into place as a whole, so that no reader finds it empty.
  const temporary = join(dirname(path), `.${randomHex(8)}.tmp`);
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
    // rmdir refuses a folder that is no longer empty.
    if (made.kind === "folder") rmdirSync(made.path);
    else unlinkSync(made.path);
  } catch {
    // The path is in use by another process, or no longer exists.
  }
}

/** True if the created entry still exists and is unchanged. */
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

/** Finds entries that a crashed process created but could not record: new, empty, of the planned kind. */
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
