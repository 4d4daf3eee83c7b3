import { UserFacingError } from "../contracts/errors.ts";
import type { Clock, Ids } from "../contracts/ports.ts";
import type { RestoredSession, SessionLog } from "../contracts/session.ts";
import type { SessionOptions } from "./program.ts";

export type SessionPlace = {
  /** `sessions/<project id>` in our data folder. */
  readonly folder: string;
  readonly cwd: string;
  readonly version: string;
  readonly clock: Clock;
  readonly ids: Ids;
};

export type OpenedSession = {
  readonly log: SessionLog;
  readonly restored: RestoredSession | undefined;
  readonly warnings: readonly string[];
  /** Gives file and lock back. */
  close(): void;
};

type Options = Pick<SessionOptions, "continue" | "resume" | "forkSession" | "sessionId" | "sessionPersistence">;

/**
 * Opens the session that the options name: a new one, an old one, or a copy of an old one.
 * @throws {UserFacingError} it does not exist, is open elsewhere or can't be read.
 */
export async function openSession(options: Options, place: SessionPlace): Promise<OpenedSession> {
  const old = await oldSession(options, place.folder);
  if (old === undefined) {
    if (options.forkSession) throw new UserFacingError("--fork-session needs --continue or --resume.", 2);
    return openNew(options, place);
  }
  if (options.sessionId !== undefined && !options.forkSession) {
    throw new UserFacingError(
      "--session-id names a new session: with --continue or --resume it needs --fork-session.",
      2,
    );
  }
  return options.forkSession ? fork(old, options, place) : goOn(old, options, place);
}

async function oldSession(options: Options, folder: string): Promise<string | undefined> {
  if (!options.continue && options.resume === undefined) return undefined;
  const { findSession, latestSession } = await import("../services/session/list-sessions.ts");
  if (typeof options.resume === "string") return findSession(folder, options.resume);
  const latest = latestSession(folder);
  if (latest === undefined)
    throw new UserFacingError("This project has no session to go on with: start one without --continue.", 2);
  return latest;
}

async function openNew({ sessionId, sessionPersistence }: Options, place: SessionPlace): Promise<OpenedSession> {
  const id = sessionId ?? place.ids.next();
  const { openSessionLog, unsavedSessionLog } = await import("../services/session/session-log.ts");
  if (!sessionPersistence)
    return { log: unsavedSessionLog(id), restored: undefined, warnings: [], close: () => undefined };
  const log = openSessionLog({ ...place, sessionId: id, how: "new" });
  return { log, restored: undefined, warnings: [], close: () => log.close() };
}

async function goOn(id: string, { sessionPersistence }: Options, place: SessionPlace): Promise<OpenedSession> {
  const [{ openSessionLog, unsavedSessionLog }, { restoreSession }, { sessionFile }] = await Promise.all([
    import("../services/session/session-log.ts"),
    import("../services/session/restore-session.ts"),
    import("../services/session/session-file.ts"),
  ]);
  const file = sessionFile(place.folder, id);
  if (!sessionPersistence) {
    const { warnings, ...restored } = restoreSession(file);
    return { log: unsavedSessionLog(id), restored, warnings, close: () => undefined };
  }
  // The lock comes first: what is read must not change below us.
  const log = openSessionLog({ ...place, sessionId: id, how: "resume" });
  const { warnings, ...restored } = restoreSession(file);
  return { log, restored, warnings, close: () => log.close() };
}

async function fork(from: string, options: Options, place: SessionPlace): Promise<OpenedSession> {
  const newSessionId = options.sessionId ?? place.ids.next();
  const { forkSession } = await import("../services/session/fork-session.ts");
  const warnings = await forkSession({ ...place, from, newSessionId });
  const opened = await goOn(newSessionId, options, place);
  return { ...opened, warnings: [...warnings, ...opened.warnings] };
}
