import { errorMessage, SessionOpenError } from "../../../contracts/errors.ts";
import { rewoundPhrase } from "../../../contracts/rewound-parts.ts";
import type { SessionConfig } from "../../../contracts/session-config.ts";
import { lockHolder } from "../../../platform/lock-file.ts";
import { entryExists } from "../../../platform/paths.ts";
import { RESTORES, sessionLock } from "../../../services/checkpoint/io/record-file.ts";
import { markedSessions, unmarkRewind } from "../../../services/checkpoint/io/rewind-marks.ts";
import { sessionFile } from "../../../services/session/session-file.ts";
import type { BackupsEnvironment } from "../backups/project-backups.ts";
import { shellRestores } from "../backups/shell-restores.ts";
import type { SessionConversation } from "../open-conversation.ts";

const SHORT_ID_CHARS = 8;

/** The session that was opened. */
type Opened = {
  readonly config: Pick<SessionConfig, "cwd">;
  readonly conversation: Pick<SessionConversation, "log" | "folder">;
  readonly environment: BackupsEnvironment;
};

type Parts = {
  /** The folder of the project's checkpoints: absolute. */
  readonly checkpoints: string;
  /** Opens another session, which finishes its own rewind. */
  open(
    config: SessionConfig,
    ports: { startupWarning(line: string): void; notifyRewind(line: string): void },
  ): Promise<{ close(): Promise<unknown> }>;
  notify(line: string): void;
};

/**
 * Finishes the rewinds that the end of a process interrupted in other sessions of the project, so that no new prompt
 * works on half-restored files. A session that another process has open is left alone.
 */
export async function finishOtherRewinds(
  { config, conversation, environment }: Opened,
  { checkpoints, open, notify }: Parts,
): Promise<void> {
  const { cwd } = config;
  for (const id of markedSessions(checkpoints)) {
    if (id === conversation.log.sessionId) continue;
    if (id === RESTORES) {
      for (const line of await finishRestore(environment, checkpoints)) notify(line);
      continue;
    }
    const notifyOfSession = (line: string) => notify(`Session ${id.slice(0, SHORT_ID_CHARS)}: ${line}`);
    const saved: SessionConfig = {
      cwd,
      answerer: "nobody",
      isSaved: true,
      isBare: true,
      settingSources: [],
      model: "offline",
      conversation: { kind: "saved", id },
    };
    try {
      if (entryExists(sessionFile(conversation.folder, id)))
        await (await open(saved, { startupWarning: () => undefined, notifyRewind: notifyOfSession })).close();
      unmarkRewind({ folder: checkpoints, sessionId: id });
    } catch (error) {
      if (error instanceof SessionOpenError) continue;
      notifyOfSession(`An interrupted rewind could not be finished: ${errorMessage(error)}`);
    }
  }
}

/** A restore of a backup that a shell asked for belongs to no session. @returns lines for the person. */
async function finishRestore(environment: BackupsEnvironment, checkpoints: string): Promise<readonly string[]> {
  if (lockHolder(sessionLock(checkpoints, RESTORES))) return [];
  const { restores, close } = shellRestores(environment, checkpoints);
  try {
    const found = await restores.finishInterrupted(new AbortController().signal);
    if (!found) return [];
    const kept = found.kept.map(({ path, reason }) => `${path} stays: ${reason}.`);
    return [`A restore of a backup was interrupted; it is finished now: ${rewoundPhrase(found)}.`, ...kept];
  } catch (error) {
    return [`An interrupted restore of a backup could not be finished: ${errorMessage(error)}`];
  } finally {
    await close();
  }
}
