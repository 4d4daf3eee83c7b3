import { readdirSync, readFileSync } from "node:fs";
import { orUndefined } from "../../contracts/or-undefined.ts";
import { entryHasTag, type ProcessRow, shortCommand } from "./process-row.ts";

/** A kernel thread, in the flags of proc_pid_stat(5). */
const KERNEL_THREAD = 0x00200000;

/**
 * The current pids, ascending, from /proc (proc(5)).
 * @param fromPid Lower pids are left out: no older process matters to the caller. After the numbers have started over, all are listed.
 * @param seen Pids to leave out, which are not looked up again.
 */
export function listPids(fromPid = 0, seen: ReadonlySet<number> = new Set()): readonly number[] {
  const last = fromPid > 0 ? lastPid() : undefined;
  const first = last === undefined || last < fromPid ? 0 : fromPid;
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid >= first && !seen.has(pid));
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
  let read: Environ | undefined;
  const environ = () => {
    read ??= readEnviron(pid);
    return read;
  };
  return {
    pid,
    parentPid: Number(parentPid),
    groupId: Number(groupId),
    startTime,
    isZombie: state === "Z" || state === "X",
    command: () => shortCommand((readOrUndefined(`/proc/${pid}/cmdline`) ?? "").replaceAll("\0", " ")),
    carries: (tag) => environ().entries.some((entry) => entryHasTag(entry, tag)),
    isStarting: () => (flags & KERNEL_THREAD) === 0 && environ().isYetToCome,
  };
}

type Environ = { readonly entries: readonly string[]; readonly isYetToCome: boolean };

/** Reads a process's environment. During execve(2), a process shows neither an environment nor a command line. */
function readEnviron(pid: number): Environ {
  const read = () => readOrUndefined(`/proc/${pid}/environ`);
  let text = read();
  const isYetToCome = text === "" && readOrUndefined(`/proc/${pid}/cmdline`) === "";
  // The process has no environment, or is just getting one: read again.
  if (text === "" && !isYetToCome) text = read();
  return { entries: (text ?? "").split("\0"), isYetToCome };
}

/** The last pid that the kernel assigned; it is lower than a known pid only after the numbers have started over. */
export function lastPid(): number | undefined {
  const last = Number(readOrUndefined("/proc/loadavg")?.trim().split(" ").at(-1));
  return Number.isInteger(last) ? last : undefined;
}

/** Processes may end in the meantime, and processes of other users can't be read. */
function readOrUndefined(path: string): string | undefined {
  return orUndefined(() => readFileSync(path, "latin1"));
}
