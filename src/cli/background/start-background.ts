import { UserFacingError } from "../../contracts/errors.ts";
import { randomIds } from "../../platform/clock.ts";
import { directories } from "../../platform/directories.ts";
import { environment } from "../../platform/env.ts";
import { host, printProblem, selfCommand } from "../../platform/host.ts";
import { spawnDetached } from "../../platform/processes/spawn-detached.ts";
import { printLine } from "../../platform/standard-output.ts";
import { BackgroundRecords } from "../../services/background/io/background-records.ts";
import type { SessionOptions } from "../invocation.ts";
import { abortAtSignal } from "../signals.ts";
import { HOST_WORD, type HostReport, type HostRequest } from "./host-request.ts";

const ID_CHARS = 8;

/**
 * `quoll --bg`: starts a session in a separate process, and ends when that session is open.
 * @throws {UserFacingError} the options don't fit, or the session can't be opened.
 */
export async function startBackground(prompt: string | undefined, options: SessionOptions): Promise<number> {
  assertFitting(prompt, options);
  const records = new BackgroundRecords(directories(environment()).state);
  // Removes records of sessions that ended long ago.
  await records.list(Date.now());
  const id = randomIds.next().slice(0, ID_CHARS);
  const { bg: _, ...kept } = options;
  const request: HostRequest = { prompt, options: kept };
  const token = randomIds.next() + randomIds.next();
  const { log } = records.create(id, { token, request });
  using signals = abortAtSignal(new UserFacingError("Interrupted: no session was started."));
  try {
    const line = await spawnDetached(
      { command: [...selfCommand(), HOST_WORD, id], cwd: host().cwd, log },
      signals.signal,
    );
    const report = line === undefined ? undefined : (JSON.parse(line) as HostReport);
    // The host ended before it could remove the request.
    if (!report) records.removeRequest(id);
    if (!report) throw new UserFacingError(`The session could not be started: its errors are in ${log}.`);
    if (!report.isOpen) {
      records.remove(id);
      throw new UserFacingError(report.message, report.exitCode);
    }
    for (const warning of report.warnings) printProblem(warning);
    printLine(`${id} runs in the background: quoll attach ${id}, quoll logs ${id}, quoll stop ${id}, quoll ps`);
    return 0;
  } catch (error) {
    if (signals.signal.aborted) records.remove(id);
    throw error;
  }
}

/** @throws {UserFacingError} (exit 2) */
function assertFitting(prompt: string | undefined, options: SessionOptions): void {
  const { print, sessionPersistence, resume, continue: isLatest, inputFormat } = options;
  const refuse = (why: string) => {
    throw new UserFacingError(why, 2);
  };
  if (print || inputFormat !== undefined) refuse("--bg starts a session that you can attach to: leave -p out.");
  if (!sessionPersistence) refuse("A background session is always saved: leave --no-session-persistence out.");
  if (resume === true) refuse("--resume needs a session id with --bg (--continue resumes the newest session).");
  if ((prompt ?? "").trim() === "" && resume === undefined && !isLatest)
    refuse('--bg needs a prompt: quoll --bg "fix the failing test".');
}
