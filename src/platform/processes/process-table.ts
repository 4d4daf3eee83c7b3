import { lastPid, readProcRow, readProcTable } from "./proc-table.ts";
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
  return readTable().filter((row) => isOther(row) && !row.isZombie && row.carries(tag));
}

/**
 * All live processes that came of a spawn: its process group, whoever carries its tag (also after `setsid` or a double
 * fork), and the children of these. A process that left the group, the parent and the environment behind is not found,
 * unless it was seen before.
 */
export function familyOf(spawn: Spawn, { recent = false, known = [] }: FamilyOptions = {}): readonly ProcessRow[] {
  const rows = readTable(recent && hasNotWrapped(spawn.pid) ? spawn.pid - 1 : 0).filter(isOther);
  const leader = rows.find(({ pid }) => pid === spawn.pid);
  const groupIsOurs = leader === undefined || leader.startTime === spawn.startTime;
  const members = new Set<number>();
  for (const row of rows) {
    const inGroup = groupIsOurs && row.groupId === spawn.pid;
    const isKnown = known.some(({ pid, startTime }) => pid === row.pid && startTime === row.startTime);
    if (inGroup || isKnown || (!row.isZombie && row.carries(spawn.tag))) members.add(row.pid);
  }
  addDescendants(rows, members);
  return rows.filter(({ pid, isZombie }) => members.has(pid) && !isZombie);
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

function readTable(abovePid = 0): readonly ProcessRow[] {
  return HAS_PROC ? readProcTable(abovePid) : readPsTable();
}

function rowOf(pid: number): ProcessRow | undefined {
  return HAS_PROC ? readProcRow(pid) : readPsTable().find((row) => row.pid === pid);
}

/** Never ourselves, nor the first process of the system. */
function isOther({ pid }: ProcessRow): boolean {
  return pid !== process.pid && pid > 1;
}
