import { constants } from "node:os";
import { errorCode, errorMessage, UserFacingError } from "../../contracts/errors.ts";
import { endStoppedSandbox } from "./stopped-init.ts";

export type AttachedRun = {
  /** Absolute path of the program. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** True if the started process is a sandbox's own, with the program inside. */
  readonly isWrapped?: boolean;
};

/**
 * Runs a program on Quoll's own terminal and waits for its end. Keys such as Ctrl-C reach it directly.
 * @returns the exit code, or 128 plus the signal's number if a signal ended the program.
 * @throws {UserFacingError} the program can't be started, or a program inside has stopped its sandbox.
 */
export async function runAttached(
  { file, args, cwd, env, isWrapped }: AttachedRun,
  signal: AbortSignal,
): Promise<number> {
  const options = {
    cwd,
    env: { ...env },
    extendEnv: false,
    stdio: "inherit",
    reject: false,
    cancelSignal: signal,
  } as const;
  const { execa } = await import("execa");
  const running = execa(file, [...args], options);
  const unwatch = isWrapped && running.pid !== undefined ? endStoppedSandbox(running.pid) : undefined;
  const result = await running.finally(() => unwatch?.());
  if (unwatch?.())
    throw new UserFacingError(
      "The sandbox was ended: a program inside attached a debugger to the sandbox's first process and stopped it. Trace your own programs only, not process 1.",
    );
  if (result.exitCode !== undefined) return result.exitCode;
  if (result.signal !== undefined) return 128 + (constants.signals[result.signal as NodeJS.Signals] ?? 0);
  throw new UserFacingError(`${file} could not be started (${errorCode(result.cause) ?? errorMessage(result.cause)}).`);
}
