import { MAIN_AGENT } from "../../contracts/agent.ts";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import { makeEntry } from "../../contracts/session.ts";
import { AppendFile } from "../../platform/append-file.ts";
import { folderIdentity } from "../../platform/folder-identity.ts";
import { entryExists } from "../../platform/paths.ts";
import { parseEntry } from "./entry.ts";
import { type Link, pathOf } from "./entry-path.ts";
import { readIndexed } from "./load-entries.ts";
import { assertSessionId, formatEntry, sessionFile } from "./session-file.ts";
import type { LogEnvironment } from "./session-log.ts";

export type ForkRequest = {
  readonly from: string;
  readonly newSessionId: string;
  /** The id of a conversation that a `/clear` ended; by default, the conversation after the last `/clear` is copied. */
  readonly clearedId?: string | undefined;
};

/**
 * Copies a conversation into a new session; the old session is only read, even while another process writes it.
 * Afterwards, open the new session with `reopenSessionLog`.
 * @returns the problems of the old file.
 * @throws {UserFacingError} the old session can't be read or has no such conversation, the new id is unusable or taken, or the system refused.
 */
export async function forkSession(request: ForkRequest, environment: LogEnvironment): Promise<readonly string[]> {
  const { from, newSessionId, clearedId } = request;
  const { folder } = environment;
  assertSessionId(newSessionId);
  const { links, warnings } = readConversation(sessionFile(folder, from), clearedId);
  const path = sessionFile(folder, newSessionId);
  if (entryExists(path)) throw new UserFacingError(`There already is a session ${newSessionId}.`, 2);
  try {
    using file = new AppendFile(path);
    for (const entry of copyOf(links, request, environment)) file.append(formatEntry(entry));
    await file.sync();
  } catch (error) {
    throw new UserFacingError(`The session could not be copied to ${path}: ${errorMessage(error)}.`, 1, {
      cause: error,
    });
  }
  return warnings;
}

type Conversation = { readonly links: readonly Link[]; readonly warnings: readonly string[] };

function readConversation(file: string, clearedId: string | undefined): Conversation {
  const keepsEnded = clearedId !== undefined;
  return readIndexed(file, { parse: parseEntry, keepsEnded }, (index, load) => {
    const { warnings } = index;
    if (!keepsEnded) return { links: load(pathOf(index.entries, index.lastId)), warnings };
    const ended = index.ended.findLast(({ by }) => by.id === clearedId);
    const links = ended ? load(pathOf(ended.entries, ended.lastId)) : [];
    if (links.some(({ kind }) => kind === "user")) return { links, warnings };
    throw new UserFacingError("This session has no such conversation that /clear ended.");
  });
}

function* copyOf(
  links: readonly Link[],
  { from, newSessionId }: ForkRequest,
  { cwd, root, version, isHeadless, clock, ids }: LogEnvironment,
): Generator<Link> {
  const rootId = root === undefined ? undefined : folderIdentity(root);
  const id = ids.next();
  const head = {
    kind: "session",
    sessionId: newSessionId,
    cwd,
    version,
    forkedFrom: from,
    ...(isHeadless && { isHeadless }),
    ...(rootId !== undefined && { rootId }),
  } as const;
  yield makeEntry(head, { parentId: null, agent: MAIN_AGENT }, { id, now: clock.now() });
  let parentId = id;
  for (const link of links) {
    if (link.kind === "session" || link.kind === "cleared") continue;
    yield { ...link, parentId };
    parentId = link.id;
  }
}
