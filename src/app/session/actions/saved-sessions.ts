import { lazy } from "@quoll/async/lazy";
import type { CommandContext } from "../../../contracts/command.ts";
import { UserFacingError } from "../../../contracts/errors.ts";
import { shortPath } from "../../../platform/directories.ts";
import type { DeletedSession } from "../../../services/session/io/session-storage.ts";
import type { App } from "../../open-app.ts";
import { withAttachLine } from "../open-conversation.ts";
import type { OpenedSession } from "../opened-session.ts";

/** The completion of arguments reads the sessions again after this time. */
const RECENT_MS = 5_000;
const MOST_UNDONE = 50;

type Parts = Pick<OpenedSession, "app" | "conversation" | "environment" | "main">;

type Sessions = CommandContext["sessions"];

/**
 * The saved sessions of the project, also those that it had before its folder was moved.
 * @param folder `sessions/<project id>` in Quoll's data folder.
 */
export function savedSessions(folder: string, parts: Parts): Sessions {
  const { app, conversation, environment, main } = parts;
  const { own, project } = environment;
  const takeMoved = lazy(async () => {
    const { takeMovedSessions } = await import("../../../services/session/io/moved-sessions.ts");
    const line = takeMovedSessions(folder, project.root);
    if (line !== undefined) main.engine.notify(line, "info");
  });
  const logs = () => import("../../../services/session/session-log.ts");
  const list = async () => {
    await takeMoved();
    return (await import("../../../services/session/session-catalogue.ts")).listSessions(folder);
  };
  return {
    list,
    recent: recently(list, app),
    listAll: async () => (await import("../saved/placed-sessions.ts")).placedSessions(own),
    shown: (path) => shortPath(path, own.home),
    inProject: (path) => shortPath(path, own.home, project.root),
    label: async (sessionId, label) => {
      if (sessionId === conversation.log.sessionId) return conversation.log.label(label);
      const { labelSession } = await import("../../../services/session/label-session.ts");
      await withAttachLine(own, async () => labelSession({ folder, sessionId }, label, app));
    },
    ...removal(folder, parts, list),
    assertFree: (id) => withAttachLine(own, async () => (await logs()).assertSessionFree(folder, id)),
    folderOf: async (id) => {
      const { folderOfSession } = await import("../../../services/session/list-sessions.ts");
      const { folderOfCleared } = await import("../saved/placed-sessions.ts");
      return folderOfSession(folder, id) ?? (await folderOfCleared(own, id));
    },
  };
}

/** Reads a list again only after some seconds. */
export function recently<Listed>(
  list: () => Promise<readonly Listed[]>,
  { clock }: Pick<App, "clock">,
): () => Promise<readonly Listed[]> {
  let last: { readonly at: number; readonly found: Promise<readonly Listed[]> } | undefined;
  return () => {
    const now = clock.now();
    if (!last || Math.abs(now - last.at) > RECENT_MS) last = { at: now, found: list() };
    return last.found;
  };
}

/** Deletes sessions, and brings them back as long as the bin has them. */
function removal(
  folder: string,
  { app, conversation, environment }: Parts,
  list: Sessions["list"],
): Pick<Sessions, "remove" | "undoRemove" | "canUndo"> {
  const deleted: DeletedSession[] = [];
  const storage = () => import("../../../services/session/io/session-storage.ts");
  return {
    canUndo: () => deleted.length > 0,
    remove: async (sessionId) => {
      const { keptBecause } = await import("../../../services/session/retention.ts");
      const found = (await list()).find(({ id }) => id === sessionId);
      if (!found) throw new UserFacingError(`There is no session ${sessionId}.`);
      const isThis = sessionId === conversation.log.sessionId;
      const why = isThis ? "open" : keptBecause(found);
      if (why !== undefined) throw new UserFacingError(`"${found.title}" stays: it is ${why}.`);
      const { binSession } = await storage();
      deleted.push(binSession({ folder, sessionId }, app.clock.now()));
      if (deleted.length > MOST_UNDONE) deleted.shift();
      const { forgetDeleted } = await import("../saved/forget-deleted.ts");
      await forgetDeleted(environment.own, [folder]);
    },
    undoRemove: async () => {
      const last = deleted.pop();
      if (last) (await storage()).unbinSession(last);
      return last?.sessionId;
    },
  };
}
