import type { SessionFacts } from "../../contracts/session-actions.ts";
import { shortPath } from "../../platform/directories.ts";
import { entryExists } from "../../platform/paths.ts";
import type { Session } from "./session.ts";

type Parts = Pick<Session, "app" | "environment" | "sandbox" | "main" | "conversation">;

/** The id, folders and state of a session. This probes the machine for a sandbox, like the first command would. */
export async function sessionFacts(parts: Parts): Promise<SessionFacts> {
  const { app, environment, sandbox, main } = parts;
  const { transcriptPath } = parts.conversation;
  const { name } = parts.conversation.log;
  const shown = (path: string) => shortPath(path, environment.own.home);
  const { project, live, isTrusted } = environment;
  const { cwd } = main.workspace;
  const state = await sandbox.state();
  const isWeak = state.kind !== undefined && state.strength === "weak";
  return {
    version: app.version,
    ...(name !== undefined && { name }),
    ...(transcriptPath !== "" && { sessionFile: shown(transcriptPath) }),
    folder: shown(cwd),
    ...(cwd !== project.cwd && { startedIn: shown(project.cwd) }),
    isTrusted,
    ...(state.kind !== undefined && { sandbox: `${state.kind}${isWeak ? ", weaker" : ""}` }),
    settingsFiles: live.loaded.layers
      .map(({ file }) => file)
      .filter(entryExists)
      .map(shown),
  };
}
