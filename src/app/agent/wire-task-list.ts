import { hookFields } from "../../engine/ask-hooks.ts";
import type { PermissionService } from "../../services/permission/permission-engine.ts";
import type { AgentDeps } from "../../services/tools/agent/agent.ts";
import type { TaskListDeps } from "../../services/tools/task-list/task-text.ts";
import { hookFirer } from "../session/fire-hook.ts";
import { LIST_TOOLS, type SessionTaskList } from "../session/session-task-list.ts";
import type { AgentParts } from "./agent-parts.ts";

/** The shared task list for the tools of one agent; hooks hear of changes in the agent's name. */
export function wireTaskList(parts: AgentParts, permissions: Pick<PermissionService, "mode">): TaskListDeps {
  const { taskList, hooks, conversation, transcriptPath, source, state, workspace, warn } = parts;
  const about = { log: conversation.log, transcriptPath, agent: source, state, cwd: () => workspace.cwd };
  return {
    open: taskList.open,
    fire: hookFirer({ hooks, common: () => hookFields({ ...about, permissions }), tell: warn }),
    completed: (hasTool) => taskList.completed(hasTool),
  };
}

/** The same agents; the tools of the list join before an agent starts that can use them. */
export function offeringTaskList(agents: AgentDeps, taskList: Pick<SessionTaskList, "agentStarts">): AgentDeps {
  return {
    ...agents,
    async run(call, context, report) {
      const { name, tools } = call.definition;
      taskList.agentStarts(name, tools === undefined || tools.some((tool) => LIST_TOOLS.includes(tool)));
      return agents.run(call, context, report);
    },
  };
}
