import { join } from "node:path";
import type { SessionSummary } from "../../../contracts/session.ts";
import type { Directories } from "../../../platform/directories.ts";
import { listFolders } from "../../../platform/read-chunks.ts";
import { sessionsWithOutput, storedBytes } from "../../../services/session/io/session-storage.ts";
import { listSessions } from "../../../services/session/session-catalogue.ts";

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
