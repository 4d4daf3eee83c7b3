import type { AgentSource } from "../../../contracts/agent.ts";
import type { Display } from "../../../contracts/display.ts";
import type { PermissionDenial } from "../../../contracts/event.ts";
import type { PermissionEngine } from "../../../contracts/permission.ts";
import type { Workspace } from "../../../contracts/ports.ts";
import type { CallScope, OutsideCall, OutsideResult } from "../../../contracts/served-session.ts";
import type { Subject } from "../../../contracts/subject.ts";
import type { ToolPorts } from "../../../contracts/tool.ts";
import type { ModelTools } from "../../../engine/model-tools.ts";
import { ToolRun } from "../../../engine/tool-run.ts";
import type { SessionParts } from "../session-parts.ts";

/** The agent that a call belongs to. */
export type CallingAgent = {
  readonly session: Pick<SessionParts, "app" | "conversation" | "hooks" | "redactor">;
  /** Hooks identify a child agent by its id. */
  readonly source: AgentSource;
  readonly permissions: PermissionEngine;
  readonly workspace: Pick<Workspace, "cwd">;
  readonly registry: ModelTools;
  readonly toolPorts: ToolPorts;
};

type OutsideScope = Pick<CallScope, "signal"> &
  Partial<CallScope> & {
    /** Decides instead of the agent's permissions. */
    readonly permissions?: PermissionEngine;
    /** Called before the call runs, with its subjects. */
    touched?(subjects: readonly Subject[]): Promise<void>;
  };

/**
 * Runs one call that does not come from the session's model, with the same validation, hooks and permissions as a
 * model's call. The conversation does not contain the call.
 */
export async function runOutsideCall(
  agent: CallingAgent,
  { id, name, input }: OutsideCall,
  { signal, emit, touched, permissions = agent.permissions }: OutsideScope,
): Promise<OutsideResult> {
  const { source, workspace, registry: tools, toolPorts } = agent;
  const { app, redactor, hooks, conversation } = agent.session;
  const { log, transcriptPath, artifacts } = conversation;
  const { sessionId } = log;
  const { clock, ids } = app;
  const denials: PermissionDenial[] = [];
  let display: Display | undefined;
  const child = source.parentAgentId !== null ? { agentId: source.agentId } : {};
  const cwd = () => workspace.cwd;
  const run = new ToolRun(
    ids.next(),
    {
      tools,
      toolPorts,
      permissions,
      conversation: { append: () => "", sync: () => Promise.resolve() },
      artifacts,
      clock,
      redactor,
      hooks,
      hookCommon: () => ({ sessionId, transcriptPath, cwd: cwd(), mode: permissions.mode, ...child }),
      cwd,
      ...(touched && { touched }),
    },
    (event) => {
      if (event.type === "permission_denied") denials.push(event.denial);
      if (event.type === "tool_finished") display = event.display;
      emit?.(event);
    },
    signal,
  );
  run.offer({ type: "tool_use", id, name, input });
  const [result] = await run.finish();
  if (!result) throw new Error(`${name} gave no result.`);
  return { result, display, denials };
}
