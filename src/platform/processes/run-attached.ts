import { constants } from "node:os";
import { errorCode, errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { CapturedRun } from "./run-captured.ts";

export type AttachedRun = Pick<CapturedRun, "file" | "args" | "cwd" | "env"> & {
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
 * @throws {UserFacingError} the program can't be started.
 * @throws {SetUpFailedError} its sandbox ended before the program began, and has printed why.
 */
export async function runAttached(
  { file, args, cwd, env, reportingArgs }: AttachedRun,
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
  const result = await execa(file, [...(reportingArgs ?? args)], options);
  const report = String(result.stdio[REPORT_FD] ?? "");
  if (reportingArgs && result.exitCode !== undefined && !REPORTED_END.test(report))
    throw new SetUpFailedError("The sandbox could not be set up, for the reason above: nothing was run.");
  if (result.exitCode !== undefined) return result.exitCode;
  if (result.signal !== undefined) return 128 + (constants.signals[result.signal as NodeJS.Signals] ?? 0);
  throw new UserFacingError(`${file} could not be started (${errorCode(result.cause) ?? errorMessage(result.cause)}).`);
}
