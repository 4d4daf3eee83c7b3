import type { PermissionService } from "../../services/permission/permission-deps.ts";
import type { TaskListDeps } from "../../services/tools/task-list/task-text.ts";
import { agentFirer } from "../hooks/agent-fields.ts";
import { LIST_TOOLS } from "../session/actions/session-task-list.ts";
import type { AgentParts } from "./agent-parts.ts";
import { type WiredAgents, wireAgents } from "./wire-agents.ts";

type SharedWork = { readonly agents: WiredAgents; readonly taskList: TaskListDeps };

/** The agents that an agent can start, and the task list that it shares with them. */
export function wireSharedWork(
  parts: AgentParts,
  permissions: Pick<PermissionService, "mode">,
  toolNames: () => readonly string[],
): SharedWork {
  const { list } = parts.session.work;
  const fire = agentFirer(parts, permissions);
  const agents = wireAgents(parts, fire, toolNames);
  return {
    agents: {
      ...agents,
      async run(call, context, report) {
        const { name, tools, isFork } = call.definition;
        // A fork has its parent's tools unchanged, because it uses its parent's cache.
        const isListUser = !isFork && (!tools || tools.some((tool) => LIST_TOOLS.includes(tool)));
        list.agentStarts(name, isListUser);
        return agents.run(call, context, report);
      },
    },
    taskList: {
      open: list.open,
      fire,
      completed: (hasTool) => list.completed(hasTool),
    },
  };
}
