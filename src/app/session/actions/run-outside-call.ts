import type { AgentSource } from "../../../contracts/agent.ts";
import type { PermissionDenial } from "../../../contracts/event.ts";
import type { Hooks } from "../../../contracts/hook.ts";
import type { PermissionEngine } from "../../../contracts/permission.ts";
import type { ArtifactStore, Redactor, Workspace } from "../../../contracts/ports.ts";
import type { CallScope, OutsideCall, OutsideResult } from "../../../contracts/served-session.ts";
import type { Subject } from "../../../contracts/subject.ts";
import type { ToolPorts } from "../../../contracts/tool.ts";
import type { ModelTools } from "../../../engine/model-tools.ts";
import { ToolRun } from "../../../engine/tool-run.ts";
import type { App } from "../../open-app.ts";

/** The parts of a session that a call needs, and the agent that the call belongs to. */
export type OutsideParts = {
  readonly app: Pick<App, "clock" | "ids">;
  readonly hooks: Hooks;
  readonly main: {
    readonly permissions: PermissionEngine;
    readonly workspace: Pick<Workspace, "cwd">;
    readonly registry: ModelTools;
    readonly toolPorts: ToolPorts;
    /** Hooks identify a child agent by its id. */
    readonly source?: AgentSource;
  };
  readonly conversation: {
    readonly log: { readonly sessionId: string };
    /** Empty if the session is not saved. */
    readonly transcriptPath: string;
    readonly artifacts: ArtifactStore;
  };
  redactor(): Promise<Redactor>;
  /** Called before the call runs, with its subjects. */
  touched?(subjects: readonly Subject[]): Promise<void>;
};

/**
 * Runs one call that does not come from the session's model, with the same validation, hooks and permissions as a
 * model's call. The conversation does not contain the call.
 */
export async function runOutsideCall(
  session: OutsideParts,
  { id, name, input }: OutsideCall,
  { signal, tell }: CallScope,
): Promise<OutsideResult> {
  const { app, main, redactor, hooks, conversation } = session;
  const { permissions, workspace, registry: tools, toolPorts } = main;
  const { log, transcriptPath, artifacts } = conversation;
  const { sessionId } = log;
  const { clock, ids } = app;
  const denials: PermissionDenial[] = [];
  const { source } = main;
  const child = source && source.parentAgentId !== null ? { agentId: source.agentId } : {};
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
      ...(session.touched && { touched: session.touched }),
    },
    (event) => {
      if (event.type === "permission_denied") denials.push(event.denial);
      tell(event);
    },
    signal,
  );
  run.offer({ type: "tool_use", id, name, input });
  const [result] = await run.finish();
  if (!result) throw new Error(`${name} gave no result.`);
  return { result, denials };
}
