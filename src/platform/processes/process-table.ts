import { spawnSync } from "node:child_process";
import type { Clock } from "../../contracts/ports.ts";
import { listPids, readProcRow } from "./proc-table.ts";
import { entryHasTag, type ProcessRow, shortCommand } from "./process-row.ts";

/** A started process: enough to find it and its descendants, even if its pid is reused. */
export type Spawn = {
  readonly pid: number;
  /** As in `ProcessRow`; undefined if the process had ended before it could be read. */
  readonly startTime: string | undefined;
  /** The random value of `QUOLL_SPAWN` in its environment. */
  readonly tag: string;
  /**
   * True for a sandbox's own process: any signal ends it and kills everything inside. Processes inside are asked to end
   * first.
   */
  readonly isWrapper?: boolean;
};

export type FamilyOptions = {
  /** True if the spawn is so recent that pids cannot have been reused: older processes are then not read. */
  readonly recent?: boolean;
  /**
   * Members that were found earlier: they and their children count, even if nothing connects them to the spawn any
   * more.
   */
  readonly known?: readonly ProcessRow[];
};

const HAS_PROC = process.platform === "linux";

/** The start time of a process, in the system's own form; undefined if there is no such process. */
export function startTimeOf(pid: number): string | undefined {
  return rowOf(pid)?.startTime;
}

/** True if this process is still running: the same pid with another start time is another process. */
export function isAlive({ pid, startTime }: Pick<Spawn, "pid" | "startTime">): boolean {
  const row = rowOf(pid);
  return row !== undefined && !row.isZombie && row.startTime === startTime;
}

/** All live processes that carry a tag in their environment. */
export function processesWithTag(tag: string): readonly ProcessRow[] {
  const { rows, tagged } = readWhileForking(0, tag);
  return rows.filter(({ pid }) => tagged.includes(pid));
}

/** The members of a spawn in one reading of the process table. */
export type FamilySnapshot = {
  readonly members: readonly ProcessRow[];
  /**
   * False if the reading may have missed processes, because new processes appeared until the end or a process was just
   * starting another program. In this case, an empty result must be read again.
   */
  readonly isSettled: boolean;
};

/** How often processes that were forked during a reading are looked up. */
const MAX_LISTINGS = 8;
/**
 * An empty, unsettled reading is repeated at this interval and for this long: far longer than a program takes to start.
 */
const UNSETTLED_POLL_MS = 5;
const UNSETTLED_MS = 100;

/**
 * All live processes of a spawn: its process group, every process with its tag (also after `setsid` or a double fork),
 * and their children. A process that left its group, its parent and its environment is found only if an earlier reading
 * has found it.
 *
 * A process table is not a snapshot: a process can fork and end between being listed and being read. Pids are listed
 * again until no new one appears. Children have higher pids and listings ascend, so a chain of forks cannot escape two
 * listings.
 */
export function readFamily(spawn: Spawn, { recent = false, known = [] }: FamilyOptions = {}): FamilySnapshot {
  const { rows, tagged, isSettled } = readWhileForking(recent ? spawn.pid : 0, spawn.tag);
  const leader = rows.find(({ pid }) => pid === spawn.pid);
  const groupIsOurs = leader === undefined || leader.startTime === spawn.startTime;
  const members = new Set<number>(tagged);
  for (const row of rows) {
    const inGroup = groupIsOurs && row.groupId === spawn.pid;
    const isKnown = known.some(({ pid, startTime }) => pid === row.pid && startTime === row.startTime);
    if (inGroup || isKnown) members.add(row.pid);
  }
  addDescendants(rows, members);
  return { members: rows.filter(({ pid, isZombie }) => members.has(pid) && !isZombie), isSettled };
}

/** The members in a settled reading, or in the last reading of a tenth of a second. */
export async function familyOf(
  spawn: Spawn,
  clock: Clock,
  options: FamilyOptions = {},
): Promise<readonly ProcessRow[]> {
  const until = clock.monotonicMs() + UNSETTLED_MS;
  for (;;) {
    const { members, isSettled } = readFamily(spawn, options);
    if (members.length > 0 || isSettled || clock.monotonicMs() >= until) return members;
    await clock.sleep(UNSETTLED_POLL_MS, new AbortController().signal);
  }
}

type Reading = {
  readonly rows: readonly ProcessRow[];
  readonly tagged: readonly number[];
  readonly isSettled: boolean;
};

function readWhileForking(fromPid: number, tag: string): Reading {
  const seen = new Set<number>();
  const rows: ProcessRow[] = [];
  const tagged: number[] = [];
  let areAllThere = !HAS_PROC;
  let isStarting = false;
  for (let listing = 0; listing < MAX_LISTINGS; listing += 1) {
    const pids = HAS_PROC ? listPids(fromPid, seen) : [];
    const newcomers = HAS_PROC ? pids.flatMap((pid) => readProcRow(pid) ?? []) : readPsTable();
    for (const row of newcomers.filter(isOther)) {
      rows.push(row);
      if (row.isZombie) continue;
      // The tag is read at once: later forks appear in the next listing.
      if (row.carries(tag)) tagged.push(row.pid);
      else isStarting ||= row.isStarting();
    }
    for (const pid of pids) seen.add(pid);
    areAllThere ||= pids.length === 0;
    if (areAllThere) break;
  }
  return { rows, tagged, isSettled: areAllThere && !isStarting };
}

function addDescendants(rows: readonly ProcessRow[], members: Set<number>): void {
  let before: number;
  do {
    before = members.size;
    for (const { pid, parentPid } of rows) if (members.has(parentPid)) members.add(pid);
  } while (members.size > before);
}

function rowOf(pid: number): ProcessRow | undefined {
  return HAS_PROC ? readProcRow(pid) : readPsTable().find((row) => row.pid === pid);
}

/** False for Quoll itself and for the first process of the system. */
function isOther({ pid }: ProcessRow): boolean {
  return pid !== process.pid && pid > 1;
}

const PS_TIMEOUT_MS = 5_000;
const PS_MAX_BYTES = 64 * 1024 * 1024;
/** `lstart` is five words: `Mon Nov 16 10:00:00 2026`. */
const ROW = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/;

/**
 * The process table where there is no /proc (macOS), as `ps` prints it. On macOS, `ps` prints the environment after
 * the command, for this user's processes only. A value with spaces can't be distinguished from the next entry, but a
 * tag of letters and digits contains no spaces.
 */
export function readPsTable(): readonly ProcessRow[] {
  const { stdout, status } = spawnSync("/bin/ps", ["axeww", "-o", "pid=,ppid=,pgid=,stat=,lstart=,command="], {
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
    stdio: ["ignore", "pipe", "ignore"],
    encoding: "utf8",
    timeout: PS_TIMEOUT_MS,
    maxBuffer: PS_MAX_BYTES,
  });
  return status === 0 ? parsePsTable(stdout) : [];
}

export function parsePsTable(text: string): readonly ProcessRow[] {
  return text.split("\n").flatMap((line) => {
    const [, pid, parentPid, groupId, state, startTime, command = ""] = ROW.exec(line) ?? [];
    if (pid === undefined || state === undefined || startTime === undefined) return [];
    return [
      {
        pid: Number(pid),
        parentPid: Number(parentPid),
        groupId: Number(groupId),
        startTime,
        isZombie: state.startsWith("Z"),
        command: () => shortCommand(command.replace(/ [A-Za-z_][A-Za-z0-9_]*=.*$/, "")),
        carries: (tag) => command.split(" ").some((entry) => entryHasTag(entry, tag)),
        isStarting: () => false,
      },
    ];
  });
}
