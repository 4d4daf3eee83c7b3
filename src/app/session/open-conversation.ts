import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigurationError, SessionOpenError } from "../../contracts/errors.ts";
import type { Clock, Ids } from "../../contracts/ports.ts";
import type { Entry, LabelledLog, RestoredSession } from "../../contracts/session.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import { type ArtifactFolder, artifactFolder } from "../../platform/artifact-folder.ts";
import { type Directories, shortPath } from "../../platform/directories.ts";
import { limitTemporary } from "../../platform/files/session-temporary.ts";
import type { LogEnvironment } from "../../services/session/session-log.ts";
import type { Project } from "../../services/workspace/open-workspace.ts";
import { opening } from "../closers.ts";

const SHORT_ID_CHARS = 8;

type App = { readonly own: Directories; readonly version: string; readonly clock: Clock; readonly ids: Ids };

/** The environment of the conversation's log; `home`: for paths in messages. */
type Opening = LogEnvironment & { readonly home?: string };

export type OpenedConversation = {
  readonly log: LabelledLog;
  readonly restored: RestoredSession | undefined;
  readonly warnings: string[];
  /** The entries of a session that is not saved. */
  entries?(): readonly Entry[];
  /** Closes the file and releases the lock. */
  close(): void;
};

/** The conversation that a session works on, with the folders and files that belong to it. */
export type SessionConversation = Omit<OpenedConversation, "close" | "warnings"> & {
  readonly warnings: readonly string[];
  /** The folder of this project's sessions; absolute. */
  readonly folder: string;
  /** The file of the conversation; empty when the session is not saved. */
  readonly transcriptPath: string;
  readonly artifacts: ArtifactFolder;
  /** Deletes old temporary files, closes the file and releases the lock. */
  close(): Promise<void>;
};

/** The folder of a project's sessions. */
export function sessionsFolder({ data }: Pick<Directories, "data">, { id }: Pick<Project, "id">): string {
  return join(data, "sessions", id);
}

/** Opens a conversation of a project. Throws the same errors as `openConversation`. */
export async function openProjectConversation(
  wanted: Wanted & Pick<SessionConfig, "answerer">,
  { own, version, clock, ids }: App,
  project: Pick<Project, "id" | "cwd" | "root">,
): Promise<SessionConversation> {
  const { cwd, root } = project;
  const folder = sessionsFolder(own, project);
  const isHeadless = wanted.answerer !== "person";
  const environment = { folder, cwd, root, version, clock, ids, isHeadless, home: own.home };
  const opened = await withAttachLine(own, () =>
    openConversation(wanted, environment).catch(async (error: unknown) => {
      if (!(error instanceof SessionOpenError)) throw error;
      throw await (await import("./notices/open-elsewhere.ts")).openElsewhere(error, folder);
    }),
  );
  return withFiles(opened, folder, wanted.isSaved);
}

function withFiles(opened: OpenedConversation, folder: string, isSaved: boolean): Promise<SessionConversation> {
  const { log, restored, warnings, entries } = opened;
  const { sessionId } = log;
  return opening(async (closers) => {
    closers.defer(() => opened.close());
    const artifacts = artifactFolder(isSaved ? join(folder, sessionId) : undefined);
    closers.defer(() => artifacts.dispose());
    closers.defer(() => limitTemporary(artifacts.path));
    const transcriptPath = isSaved ? join(folder, `${sessionId}.jsonl`) : "";
    const close = () => closers.close();
    return { log, restored, warnings, ...(entries && { entries }), folder, transcriptPath, artifacts, close };
  });
}

/**
 * Runs an action that opens a session.
 * @throws {SessionOpenError} the session runs in the background; the message says how to attach. Any other error is
 * passed on unchanged.
 */
export async function withAttachLine<Value>(own: Directories, open: () => Promise<Value>): Promise<Value> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof SessionOpenError)) throw error;
    const { BackgroundRecords, isOver } = await import("../../services/background/io/background-records.ts");
    const running = (await new BackgroundRecords(own.state).list(Date.now())).filter((record) => !isOver(record));
    const found = running.find(({ sessionId }) => sessionId === error.sessionId);
    if (!found) throw error;
    const line = `This session runs in the background: quoll attach ${found.id}`;
    throw new SessionOpenError(error.sessionId, line, error.pid, { cause: error });
  }
}

type Wanted = Pick<SessionConfig, "conversation" | "isSaved" | "name">;

/**
 * Opens the conversation that a session works on: a new conversation, a saved conversation, or a copy of one.
 * @throws {UserFacingError} the session does not exist, is open elsewhere or can't be read.
 */
export async function openConversation({ name, ...wanted }: Wanted, environment: Opening): Promise<OpenedConversation> {
  const opened = await openUnnamed(wanted, environment);
  if (name === undefined) return opened;
  try {
    opened.log.label({ name });
    return opened;
  } catch (error) {
    opened.close();
    throw error;
  }
}

async function openUnnamed(
  { conversation, isSaved }: Omit<Wanted, "name">,
  environment: Opening,
): Promise<OpenedConversation> {
  if (conversation.kind === "new") return openNew(conversation.id, isSaved, environment);
  const { from, moved, clearedId } = await savedId(conversation, environment);
  if (clearedId !== undefined) return fork({ from, wanted: conversation.fork?.id, clearedId }, isSaved, environment);
  const opened = await openSaved(from, { conversation, isSaved }, environment);
  if (moved !== undefined) opened.warnings.unshift(moved);
  return opened;
}

async function openSaved(
  from: string,
  { conversation, isSaved }: Pick<Wanted, "conversation" | "isSaved">,
  environment: Opening,
): Promise<OpenedConversation> {
  if (conversation.kind !== "new" && conversation.fork)
    return fork({ from, wanted: conversation.fork.id }, isSaved, environment);
  const opened = await reopenConversation(from, isSaved, environment);
  // A person chose the session by its prompts, so an empty conversation is not what they want.
  if (conversation.kind === "latest" || !isSaved || environment.isHeadless) return opened;
  return (await reopenCleared(opened, from, environment)) ?? opened;
}

/**
 * `moved`: a line that says that the session was taken over from an earlier place of the project. `clearedId`: a
 * conversation of the session that `/clear` ended.
 */
type Saved = { readonly from: string; readonly moved?: string | undefined; readonly clearedId?: string };

async function savedId(
  choice: Exclude<SessionConfig["conversation"], { kind: "new" }>,
  { folder, root, home = "" }: Opening,
): Promise<Saved> {
  const { latestSession, noSuchSession } = await import("../../services/session/list-sessions.ts");
  const movedSessions = () => import("../../services/session/io/moved-sessions.ts");
  if (choice.kind === "saved") {
    const { id } = choice;
    const { assertNotDescribed, findCleared, findSession } = await import(
      "../../services/session/session-catalogue.ts"
    );
    const found = await findSession(folder, id);
    if (found !== undefined) return { from: found };
    const cleared = await findCleared(folder, id);
    if (cleared) return { from: cleared.sessionId, clearedId: cleared.id };
    const moved = (await movedSessions()).takeSession(folder, id);
    const taken = moved === undefined ? undefined : await findSession(folder, id);
    if (taken !== undefined) return { from: taken, moved };
    await assertNotDescribed(folder, id, (path) => shortPath(path, home, root));
    throw noSuchSession(folder, id);
  }
  const own = latestSession(folder);
  if (own !== undefined) return { from: own };
  const moved = root === undefined ? undefined : (await movedSessions()).takeMovedSessions(folder, root);
  const from = latestSession(folder);
  if (from === undefined) throw new ConfigurationError("noSession", "This project has no session to continue.");
  return { from, moved };
}

async function openNew(
  wanted: string | undefined,
  isSaved: boolean,
  environment: Opening,
): Promise<OpenedConversation> {
  const { clock, ids } = environment;
  const id = wanted ?? ids.next();
  if (!isSaved) {
    const { unsavedSessionLog } = await import("../../services/session/unsaved-session-log.ts");
    const log = unsavedSessionLog({ sessionId: id, clock, ids });
    return { log, restored: undefined, warnings: [], entries: () => log.entries(), close: () => undefined };
  }
  const { openSessionLog } = await import("../../services/session/session-log.ts");
  const log = openSessionLog(id, environment);
  return { log, restored: undefined, warnings: [], close: () => log.close() };
}

async function reopenConversation(id: string, isSaved: boolean, environment: Opening): Promise<OpenedConversation> {
  const [{ reopenSessionLog }, { unsavedSessionLog }, { restoreSession }, { sessionFile }] = await Promise.all([
    import("../../services/session/reopen-session-log.ts"),
    import("../../services/session/unsaved-session-log.ts"),
    import("../../services/session/restore-session.ts"),
    import("../../services/session/session-file.ts"),
  ]);
  const { folder, clock, ids } = environment;
  if (!isSaved) {
    const { warnings, ...restored } = restoreSession(sessionFile(folder, id), true).restored;
    const log = unsavedSessionLog({ sessionId: id, clock, ids, entries: restored.entries });
    return { log, restored, warnings: [...warnings], entries: () => log.entries(), close: () => undefined };
  }
  const opened = reopenSessionLog(id, environment);
  // Keys that were pressed meanwhile get their turn: Ctrl+C ends the program.
  await sleep(0);
  const { warnings, ...restored } = opened.restored;
  return { log: opened.log, restored, warnings: [...warnings], close: () => opened.log.close() };
}

/**
 * Opens a copy of the newest conversation that `/clear` ended, and closes the opened conversation.
 * @returns undefined if the opened conversation has prompts, or no conversation was ended.
 */
async function reopenCleared(
  opened: OpenedConversation,
  from: string,
  environment: Opening,
): Promise<OpenedConversation | undefined> {
  const { entries = [], earlierIds = [] } = opened.restored ?? {};
  if (earlierIds.length > 0 || entries.some(({ kind }) => kind === "user")) return undefined;
  const { listCleared } = await import("../../services/session/session-catalogue.ts");
  const newest = (await listCleared(environment.folder)).find(({ sessionId }) => sessionId === from);
  if (!newest) return undefined;
  opened.close();
  const copy = await fork({ from, clearedId: newest.id }, true, environment);
  copy.warnings.unshift(
    `Session ${from.slice(0, SHORT_ID_CHARS)} is empty since /clear: this copy has what was before.`,
  );
  return copy;
}

type Fork = { readonly from: string; readonly wanted?: string | undefined; readonly clearedId?: string };

async function fork(
  { from, wanted, clearedId }: Fork,
  isSaved: boolean,
  environment: Opening,
): Promise<OpenedConversation> {
  const newSessionId = wanted ?? environment.ids.next();
  const { forkSession } = await import("../../services/session/fork-session.ts");
  const warnings = await forkSession({ from, newSessionId, clearedId }, environment);
  const opened = await reopenConversation(newSessionId, isSaved, environment);
  opened.warnings.unshift(...warnings);
  return opened;
}
