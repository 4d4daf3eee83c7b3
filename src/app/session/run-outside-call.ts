import type { PermissionDenial } from "../../contracts/event.ts";
import type { CallScope, OutsideCall, OutsideResult } from "../../contracts/served-session.ts";
import { ToolRun } from "../../engine/tool-run.ts";
import type { Session } from "./open-session.ts";

/**
 * Runs one call that does not come from the session's model, with the validation, hooks and permissions of a model's
 * call. The conversation does not contain the call.
 */
export async function runOutsideCall(
  session: Session,
  { id, name, input }: OutsideCall,
  { signal, tell }: CallScope,
): Promise<OutsideResult> {
  const { app, main, artifacts, redactor, watch, hooks, conversation, transcriptPath } = session;
  const { permissions, workspace, registry: tools, toolPorts } = main;
  const { sessionId } = conversation.log;
  const { clock, ids } = app;
  const denials: PermissionDenial[] = [];
  const cwd = () => workspace.cwd;
  const run = new ToolRun(
    ids.next(),
    {
      tools,
      toolPorts,
      permissions: watch.permissions(permissions),
      conversation: { append: () => "", sync: () => Promise.resolve() },
      artifacts,
      clock,
      redactor,
      hooks,
      hookCommon: () => ({ sessionId, transcriptPath, cwd: cwd(), mode: permissions.mode }),
      cwd,
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
