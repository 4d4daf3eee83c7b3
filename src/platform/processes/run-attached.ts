import { constants } from "node:os";
import { errorCode, errorMessage, UserFacingError } from "../../contracts/errors.ts";

export type AttachedRun = {
  /** Absolute path of the program. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
};

/**
 * Runs a program on Quoll's own terminal and waits for its end. Keys such as Ctrl-C reach it directly.
 * @returns the exit code, or 128 plus the signal's number if a signal ended the program.
 * @throws {UserFacingError} the program can't be started.
 */
export async function runAttached({ file, args, cwd, env }: AttachedRun, signal: AbortSignal): Promise<number> {
  const options = {
    cwd,
    env: { ...env },
    extendEnv: false,
    stdio: "inherit",
    reject: false,
    cancelSignal: signal,
  } as const;
  const { execa } = await import("execa");
  const result = await execa(file, [...args], options);
  if (result.exitCode !== undefined) return result.exitCode;
  if (result.signal !== undefined) return 128 + (constants.signals[result.signal as NodeJS.Signals] ?? 0);
  throw new UserFacingError(`${file} could not be started (${errorCode(result.cause) ?? errorMessage(result.cause)}).`);
}
