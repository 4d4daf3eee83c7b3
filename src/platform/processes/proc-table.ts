import { readdirSync, readFileSync } from "node:fs";
import { entryHasTag, type ProcessRow, shortCommand } from "./process-row.ts";

/** Stands for an environment that belongs to somebody else, or to a process that has just ended. */
const UNREADABLE = "\0";
/** A kernel thread, in the flags of proc_pid_stat(5). */
const KERNEL_THREAD = 0x00200000;

/**
 * The pids there are now, ascending, out of /proc (proc(5)). A list costs a tenth of its rows.
 * @param abovePid Only greater ones, when nothing older can matter.
 */
export function listPids(abovePid = 0): readonly number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid > abovePid);
}

/** One row of Linux's process table. @returns undefined when there is no such process. */
export function readProcRow(pid: number): ProcessRow | undefined {
  const stat = readOrUndefined(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name, in brackets, may itself hold brackets and spaces; the fields are counted from its end.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parentPid, groupId] = fields;
  const flags = Number(fields[6]);
  const startTime = fields[19];
  if (state === undefined || parentPid === undefined || groupId === undefined || startTime === undefined)
    return undefined;
  let environ: string | undefined;
  const environment = () => {
    environ ??= readOrUndefined(`/proc/${pid}/environ`) ?? UNREADABLE;
    return environ;
  };
  return {
    pid,
    parentPid: Number(parentPid),
    groupId: Number(groupId),
    startTime,
    isZombie: state === "Z" || state === "X",
    command: () => shortCommand((readOrUndefined(`/proc/${pid}/cmdline`) ?? "").replaceAll("\0", " ")),
    carries: (tag) =>
      environment()
        .split("\0")
        .some((entry) => entryHasTag(entry, tag)),
    isStarting: () =>
      (flags & KERNEL_THREAD) === 0 && environment() === "" && readOrUndefined(`/proc/${pid}/cmdline`) === "",
  };
}

/** The pid that was given out last: below a known one only after the numbers have started over. */
export function lastPid(): number | undefined {
  const last = Number(readOrUndefined("/proc/loadavg")?.trim().split(" ").at(-1));
  return Number.isInteger(last) ? last : undefined;
}

/** Processes end while we look, and those of others may not be read. */
function readOrUndefined(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}
