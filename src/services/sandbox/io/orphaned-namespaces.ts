import { readdirSync, readFileSync } from "node:fs";
import { orUndefined } from "../../../contracts/or-undefined.ts";
import { processStartTime } from "../../../platform/process-identity.ts";

/** The kernel cuts process names to this length (TASK_COMM_LEN without the terminating zero). */
const MAX_NAME_LENGTH = 15;
const POLL_MS = 1;

/** Unit of the start times in proc_pid_stat(5), on every Linux. */
const TICKS_PER_SECOND = 100;
/** A tolerance, because the clocks are rounded and read one after the other. */
const SLACK_SECONDS = 1;

/** A point in time: the newest process id then, and the system's uptime. Undefined where the system does not report them. */
export type ProcessMoment = { readonly newestPid: number; readonly upSeconds: number } | undefined;

export function processMoment(): ProcessMoment {
  // The last word of proc_loadavg(5), and the first of proc_uptime(5).
  const newestPid = Number(read("/proc/loadavg")?.trim().split(" ").at(-1));
  const upSeconds = Number(read("/proc/uptime")?.split(" ")[0]);
  return newestPid > 0 && upSeconds > 0 ? { newestPid, upSeconds } : undefined;
}

/**
 * Waits until the kernel has killed the rest of a process namespace whose outer process has ended. bwrap exits as soon
 * as the program has ended. The first process inside, then without a parent, is killed after that, and all others with
 * it. When this process has ended, all processes in the namespace have ended.
 * @param name The program's file name.
 * @param since A time before the outer process was started.
 * @returns false on timeout.
 */
export async function untilOrphansEnded(name: string, since: ProcessMoment, timeoutMs: number): Promise<boolean> {
  const comm = name.slice(0, MAX_NAME_LENGTH);
  const end = performance.now() + timeoutMs;
  let left: readonly string[] = orphans(pids(since), comm).filter((pid) => isStartedSince(pid, since));
  while (left.length > 0) {
    if (performance.now() > end) return false;
    await new Promise((done) => setTimeout(done, POLL_MS));
    left = orphans(left, comm);
  }
  return true;
}

/** The processes that were started since; all processes when the ids have wrapped around. */
function pids(since: ProcessMoment): readonly string[] {
  const newest = processMoment()?.newestPid ?? 0;
  const oldest = since === undefined || newest < since.newestPid ? 0 : since.newestPid;
  return readdirSync("/proc").filter((entry) => /^\d+$/.test(entry) && Number(entry) > oldest);
}

/** Process ids wrap around, so an older process may have a greater id. True when the start time is unknown. */
function isStartedSince(pid: string, since: ProcessMoment): boolean {
  const startTicks = processStartTime(Number(pid));
  if (since === undefined || !startTicks) return true;
  return Number(startTicks) / TICKS_PER_SECOND >= since.upSeconds - SLACK_SECONDS;
}

/** Live first processes of inner namespaces whose parent does not belong to the program. */
function orphans(candidates: readonly string[], comm: string): readonly string[] {
  const named = candidates.filter((pid) => read(`/proc/${pid}/comm`)?.trimEnd() === comm);
  return named.filter((pid) => {
    const status = read(`/proc/${pid}/status`) ?? "";
    const isFirstInside = /^NSpid:\t\d+(?:\t\d+)*\t1$/m.test(status);
    const isDead = /^State:\t[ZX]/m.test(status);
    const parent = /^PPid:\t(\d+)$/m.exec(status)?.[1];
    return isFirstInside && !isDead && read(`/proc/${parent}/comm`)?.trimEnd() !== comm;
  });
}

function read(path: string): string | undefined {
  return orUndefined(() => readFileSync(path, "utf8"));
}
