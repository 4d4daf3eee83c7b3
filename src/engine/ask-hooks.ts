import type { AgentSource } from "../contracts/agent.ts";
import type { HookCommon, HookInput, HookOutcome, Hooks } from "../contracts/hook.ts";
import type { PermissionEngine } from "../contracts/permission.ts";
import type { SessionLog } from "../contracts/session.ts";

export type HookDeps = {
  readonly hooks: Hooks;
  /** The fields that every hook receives. */
  hookCommon(): HookCommon;
};

type HookedAgent = Pick<HookCommon, "transcriptPath"> & {
  readonly log: Pick<SessionLog, "sessionId">;
  readonly permissions: Pick<PermissionEngine, "mode">;
  readonly agent: AgentSource;
  readonly state?: { readonly effort: string | undefined; readonly promptId: string | undefined };
  cwd(): string;
};

/** The fields that every hook receives for an event of an agent. */
export function hookFields(hooked: HookedAgent): HookCommon {
  const { log, transcriptPath, permissions, agent, state, cwd } = hooked;
  return {
    sessionId: log.sessionId,
    transcriptPath,
    cwd: cwd(),
    mode: permissions.mode,
    ...(agent.parentAgentId !== null && { agentId: agent.agentId }),
    ...(state?.promptId !== undefined && { promptId: state.promptId }),
    ...(state?.effort !== undefined && { effort: state.effort }),
  };
}

/**
 * Asks hooks about one event, if there is a hook for it.
 * @returns undefined if the turn was interrupted in the meantime.
 */
export async function askHooks(
  input: HookInput,
  { hooks, hookCommon }: HookDeps,
  signal: AbortSignal,
): Promise<HookOutcome | undefined> {
  if (!hooks.wants(input.event, toolNameOf(input))) return {};
  try {
    return await hooks.run(Object.assign({}, input, hookCommon()), signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

function toolNameOf(input: HookInput): string | undefined {
  return "toolName" in input ? input.toolName : undefined;
}
