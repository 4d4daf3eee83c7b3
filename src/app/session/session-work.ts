import type { TaskRegistry } from "../../services/tasks/task-registry.ts";
import { type AgentStore, agentStore } from "../agent/agent-store.ts";
import type { SessionAgents } from "../agent/session-agents.ts";
import type { App } from "../open-app.ts";
import { SessionTaskList } from "./actions/session-task-list.ts";
import { sessionTasks } from "./actions/session-tasks.ts";
import type { PersonNotices } from "./notices/person-notices.ts";
import { type SessionOrphans, sessionOrphans } from "./open-orphan-watch.ts";
import type { SessionModel } from "./session-model.ts";

/** The background work of a session, and its records on the disk. */
export type SessionWork = {
  /** The agents and the commands in the background. */
  readonly tasks: TaskRegistry;
  /** The task list that the session's agents share. */
  readonly list: SessionTaskList;
  /** The records of the agents. */
  readonly store: AgentStore;
  /** Ends the programs of the session when Quoll is killed. */
  readonly orphans: SessionOrphans;
  close(): Promise<void>;
};

/** The background work of a session. The agents that own tasks are told about them. */
export function sessionWork(
  app: App,
  chosen: SessionModel,
  agents: SessionAgents,
  notices: PersonNotices,
): SessionWork {
  const { config, environment, conversation, redactor } = chosen;
  const orphans = sessionOrphans(app);
  const store = agentStore({ environment, config, conversation, notify: notices.notify });
  return {
    tasks: sessionTasks(app.clock, agents, store, { config, environment, redactor }),
    list: new SessionTaskList({
      config,
      data: app.own.data,
      projectId: environment.project.id,
      name: environment.settings.taskList,
      folder: conversation.artifacts.path,
    }),
    store,
    orphans,
    close: () => store.close().finally(() => orphans.close()),
  };
}
