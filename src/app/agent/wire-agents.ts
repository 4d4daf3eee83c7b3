import { Semaphore } from "@quoll/async/semaphore";
import { AGENT_TOOL } from "../../contracts/agent-definition.ts";
import { ToolFailedError } from "../../contracts/errors.ts";
import type { FireHook } from "../../contracts/hook.ts";
import { CHARS_PER_TOKEN } from "../../contracts/token-estimate.ts";
import { agentList } from "../../services/agents/find-agent.ts";
import type { AgentDeps } from "../../services/tools/agent/agent.ts";
import { modelNamed } from "../choose-model.ts";
import type { AgentWorktree } from "../worktree/agent-worktree.ts";
import type { AgentParts } from "./agent-parts.ts";
import type { Delegation } from "./delegation.ts";
import type { RunParts } from "./run-agent.ts";

/** The share of the window that the list of agents in the first message may take. */
const LIST_SHARE = 0.01;
const BACKGROUND_AFTER_MS = 120_000;
const STALL_MS = 60_000;

type PlaceKey = "config" | "place" | "conversation" | "agentStore" | "warn" | "approveSkill" | "hooks" | "servers";
type PartKey = "app" | "source" | "access" | "catalog" | "delegation" | "spend" | PlaceKey;
type Parts = Pick<AgentParts, PartKey> & {
  readonly fire: FireHook;
  /** The names of the tools that the agent's model has. */
  toolNames(): readonly string[];
};

/** The agents that an agent can start, and the parts for running them, including outside a call. */
export type WiredAgents = AgentDeps & { runParts(): Promise<RunParts> };

/** The code that runs agents is loaded when the first agent starts. */
export function wireAgents(parts: Parts): WiredAgents {
  const { app, source, access, catalog, delegation, toolNames } = parts;
  const { types, pool } = delegation;
  const making = new Semaphore(1);
  const hasModel = (name: string) =>
    modelNamed(name, access, catalog).then(
      () => true,
      () => false,
    );
  const runParts = async () => {
    const { guideNote } = await import("./guide-note.ts");
    const { folder, fault } = parts.agentStore;
    const limits = parts.place.settings.agents ?? {};
    const knowing = { guide: () => guideNote(parts.conversation.artifacts), offered: toolNames, hasModel };
    const ports = { ...knowing, limits, notesPlace: parts.place, watchSpend: parts.spend.watch.bind(parts.spend) };
    // git locks the settings of a repository while it makes some worktrees.
    const openWorktree = (name: string | undefined, signal: AbortSignal) =>
      making.run(() => worktreeOf(parts, name, signal));
    return { ...parts, clock: app.clock, pool, ...timesOf(parts), folder, fault, openWorktree, ...ports };
  };
  return {
    runParts,
    find: (type) => {
      // Forks have this tool too, because they send the same tools as their parent.
      if (source.parentAgentId !== null) throw new ToolFailedError("An agent starts no agents: do the work yourself.");
      return types.find(type);
    },
    earlier: (idOrName) => parts.agentStore.earlier(idOrName),
    async send(to, message, context) {
      const { tasks } = context;
      const all = tasks.list();
      const isHere = all.some(({ id, agent }) => id === to || agent?.name === to);
      const agent = isHere ? undefined : await parts.agentStore.earlier(to);
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

async function worktreeOf(parts: Parts, name: string | undefined, signal: AbortSignal): Promise<AgentWorktree> {
  const { openAgentWorktree } = await import("../worktree/agent-worktree.ts");
  signal.throwIfAborted();
  return openAgentWorktree(parts, name, signal);
}

function timesOf({ config, place }: Parts) {
  const { backgroundAfterMs = BACKGROUND_AFTER_MS, stallMs = STALL_MS, timeLimitMs } = place.settings.agents ?? {};
  // Only a person stops waiting for an agent; a program waits for the answer as long as necessary.
  const toBackgroundMs = config.answerer === "person" && backgroundAfterMs > 0 ? backgroundAfterMs : undefined;
  return { toBackgroundMs, stallMs, timeLimitMs };
}

/** The list of agents for the first message; empty if the tool's own description names all agents. */
export function listAgents({ types }: Delegation, tools: readonly string[], windowTokens: number): string {
  return tools.includes(AGENT_TOOL) ? agentList(types.listed, windowTokens * LIST_SHARE * CHARS_PER_TOKEN) : "";
}
