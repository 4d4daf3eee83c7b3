import type { Clock } from "../../contracts/ports.ts";
import { lastPid, listPids, readProcRow } from "./proc-table.ts";
import type { ProcessRow } from "./process-row.ts";
import { readPsTable } from "./ps-table.ts";

/** Who was started: enough to find it, and all that came of it, without mistaking a reused pid. */
export type Spawn = {
  readonly pid: number;
  /** As in `ProcessRow`; undefined when it had ended before we could look. */
  readonly startTime: string | undefined;
  /** The random value of `QUOLL_SPAWN` in its environment. */
  readonly tag: string;
  /**
   * True for a sandbox's own process: any signal ends it, and with it by force all that is inside. What is inside is asked to
   * end by itself first.
   */
  readonly isWrapper?: boolean;
};

export type FamilyOptions = {
  /** True when the spawn is so young that pids can't have gone round twice: then older processes are not read. */
  readonly recent?: boolean;
  /** Members that were found earlier: they and their children count, though nothing ties them to the spawn any more. */
  readonly known?: readonly ProcessRow[];
};

const HAS_PROC = process.platform === "linux";

/** When a process started, in the system's own form, or undefined when there is none. */
export function startTimeOf(pid: number): string | undefined {
  return rowOf(pid)?.startTime;
}

/** True while this very process lives: the same pid with another start time is someone else. */
export function isAlive({ pid, startTime }: Pick<Spawn, "pid" | "startTime">): boolean {
  const row = rowOf(pid);
  return row !== undefined && !row.isZombie && row.startTime === startTime;
}

/** All live processes that carry a tag in their environment. */
export function processesWithTag(tag: string): readonly ProcessRow[] {
  const { rows, tagged } = readWhileForking(0, tag);
  return rows.filter(({ pid }) => tagged.includes(pid));
}

/** What one look at the process table found of a spawn. */
export type FamilySnapshot = {
  readonly members: readonly ProcessRow[];
  /**
   * False when something may have slipped through: processes came up until the end of the look, or one is just between two
   * programs. Then "no members" means: look again.
   */
  readonly isSettled: boolean;
};

/** Times that what was forked during a look is looked for. */
const MAX_LISTINGS = 8;
/** An empty look that isn't settled is repeated this often, for so long: far longer than a program takes to start. */
const UNSETTLED_POLL_MS = 5;
const UNSETTLED_MS = 100;

/**
 * All live processes that came of a spawn: its process group, whoever carries its tag (also after `setsid` or a double
 * fork), and the children of these. A process that left the group, the parent and the environment behind is not found,
 * unless it was seen before.
 *
 * A table is no snapshot: a process can fork and end between being listed and being read. Pids are listed again until
 * nobody new is there; since children have higher pids and listings ascend, a chain of forks can't pass by two of them.
 */
export function readFamily(spawn: Spawn, { recent = false, known = [] }: FamilyOptions = {}): FamilySnapshot {
  const { rows, tagged, isSettled } = readWhileForking(
    recent && hasNotWrapped(spawn.pid) ? spawn.pid - 1 : 0,
    spawn.tag,
  );
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

/** The members of a settled look, or of the last one within a tenth of a second. */
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

function readWhileForking(abovePid: number, tag: string): Reading {
  const seen = new Set<number>();
  const rows: ProcessRow[] = [];
  const tagged: number[] = [];
  let areAllThere = !HAS_PROC;
  let isStarting = false;
  for (let listing = 0; listing < MAX_LISTINGS; listing += 1) {
    const pids = HAS_PROC ? listPids(abovePid).filter((pid) => !seen.has(pid)) : [];
    const newcomers = HAS_PROC ? pids.flatMap((pid) => readProcRow(pid) ?? []) : readPsTable();
    for (const row of newcomers.filter(isOther)) {
      rows.push(row);
      if (row.isZombie) continue;
      // Read at once: what forks after this is in the next listing.
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

function hasNotWrapped(pid: number): boolean {
  const last = HAS_PROC ? lastPid() : undefined;
  return last !== undefined && last >= pid;
}

function rowOf(pid: number): ProcessRow | undefined {
  return HAS_PROC ? readProcRow(pid) : readPsTable().find((row) => row.pid === pid);
}

/** Never ourselves, nor the first process of the system. */
function isOther({ pid }: ProcessRow): boolean {
  return pid !== process.pid && pid > 1;
}
