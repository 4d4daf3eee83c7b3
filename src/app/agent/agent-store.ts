import { join, resolve } from "node:path";
import { lazy } from "@quoll/async/lazy";
import { oneLine } from "@quoll/terminal-text/one-line";
import { errorMessage } from "../../contracts/errors.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import type { TaskInfo } from "../../contracts/task.ts";
import type { ArtifactFolder } from "../../platform/artifact-folder.ts";
import { entryExists, isInside, realPathOrSelf } from "../../platform/paths.ts";
import type { RecordedAgent } from "../../services/agents/io/agent-records.ts";
import type { TaskRegistry } from "../../services/tasks/task-registry.ts";
import type { SessionConversation } from "../session/open-conversation.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";

const FOLDER_VARIABLE = "QUOLL_AGENT_STORE";
const MAX_LINE_COLUMNS = 600;

type Parts = {
  readonly environment: Pick<ProjectEnvironment, "env" | "own" | "project" | "settings">;
  readonly config: Pick<SessionConfig, "isSaved">;
  readonly conversation: Pick<SessionConversation, "log" | "restored" | "transcriptPath"> & {
    readonly artifacts: Pick<ArtifactFolder, "path">;
  };
  notify(line: string): void;
};

export type EarlierAgent = RecordedAgent & { readonly lastId: string };

/** The records of a session's agents on the disk. */
export type AgentStore = {
  /** The absolute folder for the agents' outputs and state files. */
  readonly folder: string;
  /** The highest number of an agent in an earlier process of this session. */
  lastNumber(): Promise<number>;
  /**
   * An agent of an earlier process of this session, and the last entry of its conversation.
   * @param idOrName `a1`, or the name that its caller gave it.
   */
  earlier(idOrName: string): Promise<EarlierAgent | undefined>;
  note(task: TaskInfo): void;
  /** Tells the person about the first file of an agent that can't be written. */
  fault(error: unknown): void;
  close(): Promise<void>;
};

/** In a session that is not saved, there are only outputs, which are removed with the session. */
export function agentStore(parts: Parts): AgentStore {
  const { config, environment, conversation } = parts;
  const { artifacts, transcriptPath } = conversation;
  const { sessionId } = conversation.log;
  const moved = config.isSaved ? movedFolder(environment, parts.notify) : undefined;
  const folder = moved === undefined ? join(artifacts.path, "agents") : join(moved, sessionId);
  const fault = onceTold(parts.notify);
  const records = lazy(async () => {
    const { AgentRecords } = await import("../../services/agents/io/agent-records.ts");
    const lockFile = join(lockFolder(environment), `${sessionId}.lock`);
    const isInProject = moved !== undefined && isInside(environment.project.root, moved);
    return new AgentRecords({
      lockFile,
      transcript: transcriptPath,
      fault,
      ...(isInProject && { ignoredIn: moved }),
    });
  });
  let last: Promise<unknown> | undefined;
  return {
    folder,
    fault,
    lastNumber: async () => {
      if (!conversation.restored || !entryExists(folder)) return 0;
      return (await import("../../services/agents/io/agent-records.ts")).lastAgentNumber(folder);
    },
    earlier: async (idOrName) => {
      if (!conversation.restored || transcriptPath === "" || !entryExists(folder)) return undefined;
      const [{ recordedAgent }, { lastEntryOfAgent }] = await Promise.all([
        import("../../services/agents/io/agent-records.ts"),
        import("../../services/session/read-session.ts"),
      ]);
      const agent = await recordedAgent(folder, idOrName);
      const lastId = agent && lastEntryOfAgent(transcriptPath, agent.agentId);
      return agent && lastId !== undefined ? { ...agent, lastId } : undefined;
    },
    note: (task) => {
      if (config.isSaved) last = records().then((all) => all.note(task));
    },
    close: async () => {
      if (!last) return;
      await last;
      (await records()).close();
    },
  };
}

function onceTold(notify: Parts["notify"]): (error: unknown) => void {
  let isTold = false;
  return (error) => {
    if (!isTold) notify(`Output and records of agents can't be written (${errorMessage(error)}); the agents continue.`);
    isTold = true;
  };
}

type StartParts = Pick<Parts, "environment" | "notify"> & {
  readonly conversation: Pick<SessionConversation, "log" | "folder">;
  readonly work: { readonly store: Pick<AgentStore, "lastNumber">; readonly tasks: Pick<TaskRegistry, "startAfter"> };
  readonly main: { readonly engine: { readonly taskNews: { addModelNote(id: string, note: string): void } } };
};

/**
 * Reports once the agents of this project whose process no longer exists; tells the model of a resumed session that its
 * own agents ended. The numbering continues from that of the resumed session's agents.
 */
export async function takeInterruptedAgents(parts: StartParts): Promise<void> {
  const { conversation, main, work, notify } = parts;
  for (const { sessionId, line } of await interruptedAgents(parts)) {
    notify(line);
    const way = "Agent with `resume` and the id continues one, with its context.";
    if (sessionId === conversation.log.sessionId)
      main.engine.taskNews.addModelNote("interrupted-agents", `${line} ${way}`);
  }
  work.tasks.startAfter("agent", await work.store.lastNumber());
}

type Interrupted = { readonly sessionId: string; readonly line: string };

async function interruptedAgents({ environment, conversation, notify }: StartParts): Promise<readonly Interrupted[]> {
  const locks = lockFolder(environment);
  if (!entryExists(locks)) return [];
  const moved = movedFolder(environment, () => undefined);
  const folderOf = (sessionId: string) =>
    moved === undefined ? join(conversation.folder, sessionId, "agents") : join(moved, sessionId);
  const { takeInterrupted } = await import("../../services/agents/io/agent-records.ts");
  const found = await takeInterrupted(locks, folderOf).catch((error: unknown) => {
    notify(`The records of agents of a killed process can't be updated: ${errorMessage(error)}.`);
    return [];
  });
  return found.map(({ sessionId, folder, agents }) => {
    const named = oneLine(agents.join(", "), MAX_LINE_COLUMNS);
    const line = `Quoll was ended while agents worked; they failed and are not restarted: ${named}. Their output is in ${folder}.`;
    return { sessionId, line };
  });
}

/** The folder that the user configured for the records of this project. */
function movedFolder({ env, project, settings }: Parts["environment"], notify: Parts["notify"]): string | undefined {
  const given = env[FOLDER_VARIABLE];
  if (given) return join(resolve(given), project.id);
  if (settings.agents?.keepInProject !== true) return undefined;
  const inside = join(project.root, ".quoll", "agents-out");
  if (isInside(realPathOrSelf(project.root), realPathOrSelf(inside))) return inside;
  notify(`${inside} leads outside the project: the output of agents is kept in the data folder.`);
  return undefined;
}

function lockFolder({ own, project }: Parts["environment"]): string {
  return join(own.state, "agents", project.id);
}
