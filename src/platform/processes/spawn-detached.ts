import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import { environment } from "../env.ts";
import { PRIVATE_FILE_MODE } from "../private-file.ts";

/** A longer first line is cut. */
const MAX_LINE_CHARS = 1024 * 1024;

export type DetachedRequest = {
  /** Program and arguments. */
  readonly command: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** Absolute; the program's stderr is appended to it. */
  readonly log: string;
};

/**
 * Starts a program in a separate session, without a terminal, and waits for the first line on its stdout. The program
 * then continues when this process ends. It is ended if `signal` aborts before.
 * @returns the line; undefined if the program ended without one.
 * @throws {UserFacingError} the program can't be started.
 * @throws the abort reason.
 */
export async function spawnDetached(
  { command: [file = "", ...args], cwd, log }: DetachedRequest,
  signal: AbortSignal,
): Promise<string | undefined> {
  const stderr = openSync(log, "a", PRIVATE_FILE_MODE);
  try {
    const child = spawn(file, args, {
      cwd,
      env: environment(),
      detached: true,
      stdio: ["ignore", "pipe", stderr],
    });
    const end = () => void child.kill("SIGTERM");
    signal.addEventListener("abort", end, { once: true });
    let text = "";
    const line = await new Promise<string | undefined>((resolve, reject) => {
      child.once("error", reject);
      child.stdout?.on("data", (bytes: Buffer) => {
        text = (text + bytes.toString("utf8")).slice(0, MAX_LINE_CHARS);
        if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")));
      });
      child.once("close", () => resolve(undefined));
    });
    signal.removeEventListener("abort", end);
    signal.throwIfAborted();
    child.stdout?.destroy();
    child.unref();
    return line;
  } catch (error) {
    if (signal.aborted) throw error;
    throw new UserFacingError(`${file} could not be started: ${errorMessage(error)}.`, 1, { cause: error });
  } finally {
    closeSync(stderr);
  }
}
