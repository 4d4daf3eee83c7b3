import type { AgentSource } from "../../contracts/agent.ts";
import type { FireHook, HookCommon } from "../../contracts/hook.ts";
import type { PermissionEngine } from "../../contracts/permission.ts";
import type { Workspace } from "../../contracts/ports.ts";
import { hookFields } from "../../engine/ask-hooks.ts";
import type { SessionState } from "../../engine/session-state.ts";
import type { SessionParts } from "../session/session-parts.ts";
import { hookFirer } from "./fire-hook.ts";

type HookedAgent = {
  readonly session: Pick<SessionParts, "conversation" | "hooks" | "notices">;
  readonly source: AgentSource;
  readonly state: SessionState;
  readonly workspace: Pick<Workspace, "cwd">;
};

/** The fields that every hook receives for an event of this agent. */
export function agentFields(agent: HookedAgent, permissions: Pick<PermissionEngine, "mode">): HookCommon {
  const { session, source, state, workspace } = agent;
  const { log, transcriptPath } = session.conversation;
  return hookFields({ log, transcriptPath, agent: source, state, cwd: () => workspace.cwd, permissions });
}

/** Notifies hooks of events of an agent that its loop does not cause. */
export function agentFirer(agent: HookedAgent, permissions: Pick<PermissionEngine, "mode">): FireHook {
  const { hooks, notices } = agent.session;
  return hookFirer({ hooks, common: () => agentFields(agent, permissions), notify: notices.notify });
}
