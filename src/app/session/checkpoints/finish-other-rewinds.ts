import { ConfigurationError, errorMessage } from "../../../contracts/errors.ts";
import type { SessionConfig } from "../../../contracts/session-config.ts";
import { entryExists } from "../../../platform/paths.ts";
import { unmarkRewind } from "../../../services/checkpoint/io/rewind-marks.ts";
import { sessionFile } from "../../../services/session/session-file.ts";

const SHORT_ID_CHARS = 8;

type Parts = {
  /** The folder of the project's checkpoints, and that of its sessions: absolute. */
  readonly checkpoints: string;
  readonly sessions: string;
  readonly cwd: string;
  readonly sessionIds: readonly string[];
  /** Opens a session, which finishes its own rewind and tells lines about it, and closes it. */
  reopen(config: SessionConfig, tell: (line: string) => void): Promise<void>;
};

/**
 * Finishes the rewinds that the end of a process interrupted in other sessions of the project, so that no new prompt
 * works on half-restored files. A session that another process has open is left alone.
 * @returns lines for the person.
 */
export async function finishOtherRewinds(parts: Parts): Promise<readonly string[]> {
  const { checkpoints, sessions, cwd, sessionIds, reopen } = parts;
  const lines: string[] = [];
  for (const id of sessionIds) {
    const about = (line: string) => void lines.push(`Session ${id.slice(0, SHORT_ID_CHARS)}: ${line}`);
    const config: SessionConfig = {
      ...{ cwd, answerer: "nobody", isSaved: true, isBare: true, settingSources: [], model: "offline" },
      conversation: { kind: "saved", id },
    };
    try {
      if (entryExists(sessionFile(sessions, id))) await reopen(config, about);
      unmarkRewind({ folder: checkpoints, sessionId: id });
    } catch (error) {
      if (error instanceof ConfigurationError && error.problem === "sessionOpen") continue;
      about(`An interrupted rewind could not be finished: ${errorMessage(error)}`);
    }
  }
  return lines;
}
