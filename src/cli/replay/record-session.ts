import { join, resolve } from "node:path";
import type { Redactor } from "../../contracts/ports.ts";
import { systemClock } from "../../platform/clock.ts";
import type { Directories } from "../../platform/directories.ts";
import { decode, detectEncoding } from "../../platform/files/encoding.ts";
import { loadFile } from "../../platform/files/load-file.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import { makeRecording } from "../../services/replay/make-recording.ts";
import type { Recording } from "../../services/replay/recording.ts";
import { noSuchSession } from "../../services/session/list-sessions.ts";
import { readSession } from "../../services/session/read-session.ts";
import { findSession } from "../../services/session/session-catalogue.ts";
import { sessionFile } from "../../services/session/session-file.ts";
import { projectSessions } from "../sessions/project-sessions.ts";

/** The maximum size of files whose earlier content is reconstructed. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

export type RecordedSession = {
  readonly recording: Recording;
  /** The session's project. */
  readonly root: string;
  /** The time of its first entry, in milliseconds since the epoch. */
  readonly startedAt: number | undefined;
  /** Problems of the session's file. */
  readonly warnings: readonly string[];
};

/**
 * Reads a saved session of the current project as a recording. Redacts only what the model never saw.
 * @param wanted The id or the name of the session, or the beginning of either.
 * @throws {UserFacingError} if there is no such session, or it cannot be read.
 */
export async function recordSession(
  wanted: string,
  {
    version,
    redactor,
    hasProject = false,
  }: { readonly version: string; readonly redactor: Redactor; readonly hasProject?: boolean },
): Promise<RecordedSession> {
  const { own, project, sessions: folder } = await projectSessions();
  const sessionId = await findSession(folder, wanted);
  if (sessionId === undefined) throw noSuchSession(folder, wanted);
  const { path: entries, warnings } = readSession(sessionFile(folder, sessionId));
  const recording = await makeRecording({
    sessionId,
    entries,
    version,
    madeAt: new Date(systemClock.now()).toISOString(),
    places: { project: [project.root], session: placeOf(join(folder, sessionId)), home: homeOf(own) },
    hasProject,
    present: async (path) => presentText(resolve(project.root, path), redactor),
  });
  const startedAt = Date.parse(entries[0]?.time ?? "");
  return { recording, root: project.root, startedAt: Number.isNaN(startedAt) ? undefined : startedAt, warnings };
}

/** A folder by its given path and its real path. */
export function placeOf(folder: string): readonly string[] {
  return [folder, realPathOrSelf(folder)];
}

export function homeOf({ home }: Pick<Directories, "home">): readonly string[] {
  return placeOf(home);
}

/** A file's text as a model would see it; undefined if the file is binary, too large or missing. */
export async function presentText(path: string, redactor: Redactor): Promise<string | undefined> {
  try {
    const { bytes } = await loadFile(path, MAX_TEXT_BYTES, new AbortController().signal);
    const encoding = detectEncoding(bytes);
    return encoding === "binary" ? undefined : redactor.redact(decode(bytes, encoding));
  } catch {
    return undefined;
  }
}
