import { isJsonObject, type ToolUseBlock } from "./message.ts";

/** The tool that calls another tool, which need not be declared to the model. */
export const TOOL_CALL = "ToolCall";
/** The tool that finds tools which are not declared to the model. */
export const TOOL_SEARCH = "ToolSearch";
/**
 * The tools for finding and calling deferred tools. Requests declare these tools only if a tool is, or may become,
 * deferred.
 */
export const SEARCHING_TOOLS: readonly string[] = [TOOL_SEARCH, TOOL_CALL];

/**
 * Resolves the call that a model means: a call of `ToolCall` stands for a call of the tool that it names. Rules, hooks,
 * events and screens see the tool that `ToolCall` names. A `ToolCall` without a name or an input, and any other call,
 * is returned as it is.
 */
export function callTarget(use: ToolUseBlock): ToolUseBlock {
  if (use.name !== TOOL_CALL || use.malformed) return use;
  const { name } = use.input;
  const input = objectOf(use.input["input"] ?? use.input["arguments"] ?? {});
  if (typeof name !== "string" || name === "" || name === TOOL_CALL || input === undefined) return use;
  return { ...use, name, input };
}

/** Models write an object as JSON text now and then. */
function objectOf(value: unknown): ToolUseBlock["input"] | undefined {
  if (isJsonObject(value)) return value;
  if (typeof value !== "string") return undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
