import { readdirSync, readFileSync } from "node:fs";
import { entryHasTag, type ProcessRow, shortCommand } from "./process-row.ts";

/**
 * The process table of Linux, out of /proc (proc(5)).
 * @param abovePid Only processes with a greater pid, when nothing older can matter.
 */
export function readProcTable(abovePid = 0): readonly ProcessRow[] {
  const rows: ProcessRow[] = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid <= abovePid) continue;
    const row = readProcRow(pid);
    if (row) rows.push(row);
  }
  return rows;
}

/** @returns undefined when there is no such process. */
export function readProcRow(pid: number): ProcessRow | undefined {
  const stat = readOrUndefined(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name, in brackets, may itself hold brackets and spaces; the fields are counted from its end.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parentPid, groupId] = fields;
  const startTime = fields[19];
  if (state === undefined || parentPid === undefined || groupId === undefined || startTime === undefined)
    return undefined;
  return {
    pid,
    parentPid: Number(parentPid),
    groupId: Number(groupId),
    startTime,
    isZombie: state === "Z" || state === "X",
    command: () => shortCommand((readOrUndefined(`/proc/${pid}/cmdline`) ?? "").replaceAll("\0", " ")),
    carries: (tag) =>
      (readOrUndefined(`/proc/${pid}/environ`) ?? "").split("\0").some((entry) => entryHasTag(entry, tag)),
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
