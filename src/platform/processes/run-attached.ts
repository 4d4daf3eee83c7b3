import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { errorCode, errorMessage, UserFacingError } from "../../contracts/errors.ts";

export type AttachedRun = {
  /** Absolute path of the program. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** True if the started process is a sandbox's own, with the program inside. */
  readonly isWrapped?: boolean;
  /** Arguments for a sandbox that says on descriptor 3 how the program ended (bwrap(1), `--json-status-fd`). */
  readonly reportingArgs?: readonly string[];
};

/** The sandbox could not be set up, so the program never began. */
export class SetUpFailedError extends UserFacingError {}

const REPORT_FD = 3;
const REPORTED_END = /"exit-code"/;

/**
 * Runs a program on Quoll's own terminal and waits for its end. Keys such as Ctrl-C reach it directly.
 * @returns the exit code, or 128 plus the signal's number if a signal ended the program.
 * @throws {UserFacingError} the program can't be started, or a program inside has stopped its sandbox.
 * @throws {SetUpFailedError} its sandbox ended before the program began, and has printed why.
 */
export async function runAttached(
  { file, args, cwd, env, isWrapped, reportingArgs }: AttachedRun,
  signal: AbortSignal,
): Promise<number> {
  const options = {
    cwd,
    env: { ...env },
    extendEnv: false,
    stdio: ["inherit", "inherit", "inherit", reportingArgs ? "pipe" : "ignore"],
    reject: false,
    cancelSignal: signal,
  } as const;
  const { execa } = await import("execa");
  const running = execa(file, [...(reportingArgs ?? args)], options);
  const unwatch = isWrapped && running.pid !== undefined ? endStoppedSandbox(running.pid) : undefined;
  const result = await running.finally(() => unwatch?.());
  if (unwatch?.())
    throw new UserFacingError(
      "The sandbox was ended: a program inside attached a debugger to the sandbox's first process and stopped it. Trace your own programs only, not process 1.",
    );
  const report = String(result.stdio[REPORT_FD] ?? "");
  if (reportingArgs && result.exitCode !== undefined && !REPORTED_END.test(report))
    throw new SetUpFailedError("The sandbox could not be set up, for the reason above: nothing was run.");
  if (result.exitCode !== undefined) return result.exitCode;
  if (result.signal !== undefined) return 128 + (constants.signals[result.signal as NodeJS.Signals] ?? 0);
  throw new UserFacingError(`${file} could not be started (${errorCode(result.cause) ?? errorMessage(result.cause)}).`);
}

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
function endStoppedSandbox(pid: number): () => boolean {
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
