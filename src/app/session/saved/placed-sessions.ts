import { join } from "node:path";
import type { ClearedConversation, SessionSummary } from "../../../contracts/session.ts";
import type { Directories } from "../../../platform/directories.ts";
import { listFolders } from "../../../platform/read-chunks.ts";
import { sessionsWithOutput, storedBytes } from "../../../services/session/io/session-storage.ts";
import { MIN_ELSEWHERE_CHARS } from "../../../services/session/list-sessions.ts";
import { listCleared, listSessions } from "../../../services/session/session-catalogue.ts";

/** A session of any project, with its size on the disk. */
export type PlacedSession = Omit<SessionSummary, "bytes"> & {
  /** `sessions/<project id>` in Quoll's data folder; absolute. */
  readonly place: string;
  readonly projectId: string;
  /** The size of the log and the output. */
  readonly bytes: number;
};

/** The sessions of all projects, newest first. @throws {UserFacingError} (as a rejection) a folder can't be read. */
export async function placedSessions({ data }: Pick<Directories, "data">): Promise<readonly PlacedSession[]> {
  const root = join(data, "sessions");
  const found: PlacedSession[] = [];
  for (const projectId of listFolders(root)) {
    const place = join(root, projectId);
    const withOutput = sessionsWithOutput(place);
    for (const session of await listSessions(place)) {
      const output = withOutput.has(session.id) ? storedBytes({ folder: place, sessionId: session.id }).outputBytes : 0;
      found.push({ ...session, place, projectId, bytes: session.bytes + output });
    }
  }
  return found.sort((a, b) => b.modifiedAt - a.modifiedAt);
}

/** A conversation of any project that `/clear` ended. */
export type PlacedConversation = ClearedConversation & Pick<PlacedSession, "projectId">;

/** Those of all projects, newest first. @throws {UserFacingError} (as a rejection) a folder can't be read. */
export async function placedCleared({ data }: Pick<Directories, "data">): Promise<readonly PlacedConversation[]> {
  const root = join(data, "sessions");
  const found: PlacedConversation[] = [];
  for (const projectId of listFolders(root))
    for (const one of await listCleared(join(root, projectId))) found.push({ ...one, projectId });
  return found.sort((a, b) => b.endedAt - a.endedAt);
}

/** The folder of the one conversation of any project that `/clear` ended and whose id begins so. */
export async function folderOfCleared(own: Pick<Directories, "data">, wanted: string): Promise<string | undefined> {
  if (wanted.length < MIN_ELSEWHERE_CHARS) return undefined;
  const [only, ...others] = (await placedCleared(own)).filter(({ id }) => id.startsWith(wanted));
  return others.length === 0 ? only?.folder : undefined;
}
