import { readFileSync } from "node:fs";

const CHECK_MS = 500;
/** A process in this state for two checks waits for a debugger, or was left stopped by one (proc_pid_stat(5)). */
const STOPPED = /^State:\t[tT]/m;
/** The first process of a namespace. */
const FIRST = /^NSpid:.*\t1$/m;

/**
 * Ends a sandbox whose first process is stopped: a program inside has attached a debugger to it, and then nothing would
 * ever end the sandbox. The kernel ends every process inside with the first one.
 * @param pid The sandbox's own process, outside.
 * @returns stops the watch, and says whether the sandbox was ended.
 */
export function endStoppedSandbox(pid: number): () => boolean {
  let suspect: number | undefined;
  let isEnded = false;
  const check = () => {
    const stopped = childrenOf(pid).find((child) => {
      const status = readOrEmpty(`/proc/${child}/status`);
      return STOPPED.test(status) && FIRST.test(status);
    });
    if (stopped !== undefined && stopped === suspect) {
      isEnded = true;
      clearInterval(timer);
      process.kill(stopped, "SIGKILL");
    }
    suspect = stopped;
  };
  const timer = setInterval(check, CHECK_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    return isEnded;
  };
}

function childrenOf(pid: number): readonly number[] {
  return readOrEmpty(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
