import { readdirSync, readFileSync } from "node:fs";

/** Names of processes are cut to this (TASK_COMM_LEN, less the zero). */
const MAX_NAME_LENGTH = 15;
const POLL_MS = 1;

/** A moment, as the number of the newest process then; undefined where the system does not say. */
export type ProcessMoment = number | undefined;

export function processMoment(): ProcessMoment {
  // The last word of proc_loadavg(5).
  const last = Number(read("/proc/loadavg")?.trim().split(" ").at(-1));
  return Number.isInteger(last) && last > 0 ? last : undefined;
}

/**
 * Waits until the kernel has ended what is left of a process namespace whose outer process has ended. bubblewrap's answers
 * as soon as the program has ended; its first process inside, which then has no parent, is killed after that, and all others with
 * it. Only when that one has gone has everything in there.
 * @param name The program's file name.
 * @param since A moment before the outer process was started.
 * @returns false when the time was over first.
 */
export async function untilOrphansEnded(name: string, since: ProcessMoment, timeoutMs: number): Promise<boolean> {
  const comm = name.slice(0, MAX_NAME_LENGTH);
  const end = performance.now() + timeoutMs;
  let left = orphans(pids(since), comm);
  while (left.length > 0) {
    if (performance.now() > end) return false;
    await new Promise((done) => setTimeout(done, POLL_MS));
    left = orphans(left, comm);
  }
  return true;
}

/** Those that were started since; all when the numbers have begun anew meanwhile. */
function pids(since: ProcessMoment): readonly string[] {
  const all = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry));
  const now = processMoment();
  if (since === undefined || now === undefined || now < since) return all;
  return all.filter((pid) => Number(pid) > since);
}

/** First processes of a namespace further in, alive, whose parent is none of the program's. */
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
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
