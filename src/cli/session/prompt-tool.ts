import type { Session } from "../../app/session/session.ts";
import { keepRules } from "../../app/session/settings/connect-settings.ts";
import { callContext } from "../../contracts/call-context.ts";
import { nearestName } from "../../contracts/did-you-mean.ts";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import { type JsonObject, textOf } from "../../contracts/message.ts";
import type { RuleChange } from "../../contracts/permission.ts";
import type { PermissionMode } from "../../contracts/permission-mode.ts";
import { makeGrant } from "../../contracts/subject.ts";
import type { Tool } from "../../contracts/tool.ts";
import type { BridgeDeps } from "../../faces/headless/permission-bridge.ts";
import type { SessionOptions } from "../invocation.ts";

/** The name that stands for the program at the other end of stdin and stdout. */
export const STDIO_PROMPTS = "stdio";
const OPTION = "--permission-prompt-tool";

type Decide = (request: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

/**
 * Lets an MCP tool decide about calls. The tool gets `tool_name`, `input` and `tool_use_id`, and answers with JSON
 * text: `{"behavior":"allow",…}` or `{"behavior":"deny",…}`. The call of this tool needs no permission, since the
 * person named the tool.
 * @throws {UserFacingError} (exit 2) there is no such tool.
 */
function promptTool(name: string, { main: { registry, workspace, toolPorts } }: Pick<Session, "main">): Decide {
  const tool = toolNamed(name, registry);
  let calls = 0;
  return async (request, signal) => {
    calls += 1;
    const toolUseId = `permission-prompt-${calls}`;
    const { tool_name, input, tool_use_id } = request;
    const context = callContext(toolPorts, { toolUseId, cwd: workspace.cwd, signal, emit: () => undefined });
    const call = await tool.prepare({ tool_name, input, tool_use_id }, context);
    const grant = makeGrant({ toolUseId, confinement: "none", decidedBy: { kind: "person" }, notes: [] });
    const result = await call.run(grant, () => undefined);
    const text = textOf(result.content);
    if (result.isError) throw new Error(`${name} failed: ${text}`);
    return parseAnswer(name, text);
  };
}

/** Decides about calls by the named tool, and applies the permission changes in its answers. */
export function decider(name: string, session: Session, options: SessionOptions): Decider {
  return { ask: promptTool(name, session), ...permissionChanges(session, options) };
}

export type Decider = Pick<BridgeDeps, "ask" | "changeRules" | "setMode">;

/** The permission changes that a program may make besides its decision. */
export function permissionChanges(
  session: Session,
  options: SessionOptions,
): Pick<BridgeDeps, "changeRules" | "setMode"> {
  const { main, environment } = session;
  const { permissions } = main;
  return {
    changeRules: async (change, isKept) => {
      const refused = permissions.changeRules(change, "an answer to a question");
      const taken = change.rules.filter((rule) => !refused.includes(rule));
      const told = refused.length === 0 ? [] : [`${refusal(change)}: ${refused.join(", ")}.`];
      if (!isKept || taken.length === 0) return told;
      if (change.kind === "add" && change.decision === "allow") await keepRules(environment, taken);
      else told.push("The rules were changed for this session only. To change them permanently, edit a settings file.");
      return told;
    },
    setMode: (mode) => enterMode(mode, session, options),
  };
}

function refusal({ kind, decision }: RuleChange): string {
  if (kind !== "remove") return "Not added as a rule";
  return decision === "allow"
    ? "There is no such rule to remove"
    : "Not removed, since it was not added in this session";
}

/** @throws {UserFacingError} the mode is not allowed. */
function enterMode(mode: PermissionMode, { main: { engine } }: Session, options: SessionOptions): void {
  const { allowDangerouslySkipPermissions, dangerouslySkipPermissions, permissionMode } = options;
  const isAllowed =
    allowDangerouslySkipPermissions || dangerouslySkipPermissions || permissionMode === "bypassPermissions";
  if (mode === "bypassPermissions" && !isAllowed) {
    throw new UserFacingError(
      "Switching to bypassPermissions during a session needs --allow-dangerously-skip-permissions.",
    );
  }
  engine.setMode(mode);
}

function toolNamed(name: string, registry: Session["main"]["registry"]): Tool {
  if (/^mcp__.+__/.test(name) && registry.names.includes(name)) return registry.get(name).tool;
  const known = registry.names.filter((one) => one.startsWith("mcp__"));
  const nearest = nearestName(name, known);
  const some = nearest === undefined ? `there are ${known.join(", ")}.` : `did you mean ${nearest}?`;
  const hint = known.length === 0 ? "no server of --mcp-config has tools." : some;
  throw new UserFacingError(
    `${OPTION}: "${name}" is neither an MCP tool (mcp__<server>__<tool>) nor stdio; ${hint}`,
    2,
  );
}

function parseAnswer(name: string, text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`The answer of ${name} is not JSON (${errorMessage(error)})`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error(`The answer of ${name} is not an object`);
  return { ...value };
}
