import { ConfigurationError, errorMessage } from "../../../contracts/errors.ts";
import type { SessionConfig } from "../../../contracts/session-config.ts";
import { entryExists } from "../../../platform/paths.ts";
import { markedSessions, unmarkRewind } from "../../../services/checkpoint/io/rewind-marks.ts";
import { sessionFile } from "../../../services/session/session-file.ts";

const SHORT_ID_CHARS = 8;

/** The session that was opened. `folder`: of the project's sessions; absolute. */
type Opened = {
  readonly config: Pick<SessionConfig, "cwd">;
  readonly conversation: { readonly log: { readonly sessionId: string } };
  readonly folder: string;
};

type Parts = {
  /** The folder of the project's checkpoints: absolute. */
  readonly checkpoints: string;
  /** Opens another session, which finishes its own rewind. */
  open(
    config: SessionConfig,
    ports: { warn(line: string): void; tellRewind(line: string): void },
  ): Promise<{ close(): Promise<unknown> }>;
  warn(line: string): void;
};

/**
 * Finishes the rewinds that the end of a process interrupted in other sessions of the project, so that no new prompt
 * works on half-restored files. A session that another process has open is left alone.
 */
export async function finishOtherRewinds(
  { config, conversation, folder }: Opened,
  { checkpoints, open, warn }: Parts,
): Promise<void> {
  const { cwd } = config;
  for (const id of markedSessions(checkpoints)) {
    if (id === conversation.log.sessionId) continue;
    const tell = (line: string) => warn(`Session ${id.slice(0, SHORT_ID_CHARS)}: ${line}`);
    const saved: SessionConfig = {
      ...{ cwd, answerer: "nobody", isSaved: true, isBare: true, settingSources: [], model: "offline" },
      conversation: { kind: "saved", id },
    };
    try {
      if (entryExists(sessionFile(folder, id)))
        await (await open(saved, { warn: () => undefined, tellRewind: tell })).close();
      unmarkRewind({ folder: checkpoints, sessionId: id });
    } catch (error) {
      if (error instanceof ConfigurationError && error.problem === "sessionOpen") continue;
      tell(`An interrupted rewind could not be finished: ${errorMessage(error)}`);
    }
  }
}
