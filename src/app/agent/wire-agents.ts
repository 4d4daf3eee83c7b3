import { Semaphore } from "@quoll/async/semaphore";
import { AGENT_TOOL } from "../../contracts/agent-definition.ts";
import { ToolFailedError } from "../../contracts/errors.ts";
import type { FireHook } from "../../contracts/hook.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import { CHARS_PER_TOKEN } from "../../contracts/token-estimate.ts";
import { agentList } from "../../services/agents/find-agent.ts";
import type { PermissionService } from "../../services/permission/permission-deps.ts";
import type { AgentDeps } from "../../services/tools/agent/agent.ts";
import type { TaskListDeps } from "../../services/tools/task-list/task-text.ts";
import { modelNamed } from "../choose-model.ts";
import { agentFirer } from "../hooks/agent-fields.ts";
import { LIST_TOOLS } from "../session/actions/session-task-list.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import type { AgentWorktree, AgentWorktreeParts } from "../worktree/agent-worktree.ts";
import type { AgentParts } from "./agent-parts.ts";
import type { Delegation } from "./delegation.ts";
import type { RunParts } from "./run-agent.ts";

/** The share of the window that the list of agents in the first message may take. */
const LIST_SHARE = 0.01;
const BACKGROUND_AFTER_MS = 120_000;
const STALL_MS = 60_000;

type Parts = Pick<AgentParts, "session" | "source" | "environment" | "spend">;

/** The agents that an agent can start, and the parts for running them, including outside a call. */
export type WiredAgents = AgentDeps & { runParts(): Promise<RunParts> };

type SharedWork = { readonly agents: WiredAgents; readonly taskList: TaskListDeps };

/**
 * The code that runs agents is loaded when the first agent starts.
 * @param offered Gives the names of the tools that the agent's model has.
 */
export function wireAgents(parts: Parts, fire: FireHook, offered: () => readonly string[]): WiredAgents {
  const { session, source, environment } = parts;
  const { access, catalog, delegation, work } = session;
  const { types, pool } = delegation;
  const making = new Semaphore(1);
  const hasModel = (name: string) =>
    modelNamed(name, access, catalog).then(
      () => true,
      () => false,
    );
  const runParts = async () => {
    const { guideNote } = await import("./guide-note.ts");
    // git locks the settings of a repository while it makes some worktrees.
    const openWorktree = (name: string | undefined, signal: AbortSignal) =>
      making.run(() => worktreeOf({ environment, fire, notify: session.notices.notify }, name, signal));
    return {
      session,
      environment,
      pool,
      offered,
      hasModel,
      openWorktree,
      ...timesOf(session.config, environment),
      guide: () => guideNote(session.conversation.artifacts),
      watchSpend: parts.spend.watch.bind(parts.spend),
    };
  };
  return {
    runParts,
    find: (type) => {
      // Forks have this tool too, because they send the same tools as their parent.
      if (source.parentAgentId !== null) throw new ToolFailedError("An agent starts no agents: do the work yourself.");
      return types.find(type);
    },
    earlier: (idOrName) => work.store.earlier(idOrName),
    async send(to, message, context) {
      const { tasks } = context;
      const all = tasks.list();
      const isHere = all.some(({ id, agent }) => id === to || agent?.name === to);
      const agent = isHere ? undefined : await work.store.earlier(to);
      // It may have been continued in this process already.
      const now = agent && all.findLast((task) => task.agent?.agentId === agent.agentId);
      if (!agent || now) return tasks.send(now?.id ?? to, message);
      const { continueEarlier } = await import("./run-agent.ts");
      return continueEarlier(
        { agent, definition: await types.find(agent.type), ...message },
        await runParts(),
        context,
      );
    },
    async run(call, context, report) {
      const { runAgent } = await import("./run-agent.ts");
      return runAgent(call, await runParts(), { context, report });
    },
  };
}

async function worktreeOf(
  parts: AgentWorktreeParts,
  name: string | undefined,
  signal: AbortSignal,
): Promise<AgentWorktree> {
  const { openAgentWorktree } = await import("../worktree/agent-worktree.ts");
  signal.throwIfAborted();
  return openAgentWorktree(parts, name, signal);
}

function timesOf(config: Pick<SessionConfig, "answerer">, environment: Pick<ProjectEnvironment, "settings">) {
  const {
    backgroundAfterMs = BACKGROUND_AFTER_MS,
    stallMs = STALL_MS,
    timeLimitMs,
  } = environment.settings.agents ?? {};
  // Only a person stops waiting for an agent; a program waits for the answer as long as necessary.
  const toBackgroundMs = config.answerer === "person" && backgroundAfterMs > 0 ? backgroundAfterMs : undefined;
  return { toBackgroundMs, stallMs, timeLimitMs };
}

/** The list of agents for the first message; empty if the tool's own description names all agents. */
export function listAgents({ types }: Delegation, tools: readonly string[], windowTokens: number): string {
  return tools.includes(AGENT_TOOL) ? agentList(types.listed, windowTokens * LIST_SHARE * CHARS_PER_TOKEN) : "";
}

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
