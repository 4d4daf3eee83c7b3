import { isJsonObject, type ToolUseBlock } from "./message.ts";
import { parsedObject } from "./parsed-json.ts";

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
  if (typeof value === "string") return parsedObject(value);
  return isJsonObject(value) ? value : undefined;
}

/** Input fields that describe a call, the most descriptive first. */
const TELLING_FIELDS = [
  "file_path",
  "notebook_path",
  "path",
  "command",
  "pattern",
  "url",
  "query",
  "task_id",
  "description",
] as const;

/**
 * Describes a call in a few words from its raw input, for a call whose input was never parsed or of which only the
 * input is kept.
 * @param cwd Paths below this folder are shown relative to it.
 * @returns "" if the input describes nothing.
 */
export function titleFromInput(input: Readonly<Record<string, unknown>>, cwd?: string): string {
  for (const key of TELLING_FIELDS) {
    const value = input[key];
    if (typeof value !== "string" || value === "") continue;
    if (key === "pattern") return JSON.stringify(value);
    return cwd !== undefined && value.startsWith(`${cwd}/`) ? value.slice(cwd.length + 1) : value;
  }
  return "";
}

/** The title of a call that was not prepared. A tool of a server is named as in the title of a prepared call. */
export function untitledCall({ name, input }: Pick<ToolUseBlock, "name" | "input">, cwd?: string): string {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? [];
  const told = titleFromInput(input, cwd);
  return server === undefined ? told || name : `${server} · ${tool} ${told}`.trimEnd();
}
