import type { HookSettings } from "../../contracts/hook-settings.ts";
import { isJsonObject, type JsonObject } from "../../contracts/message.ts";
import { textAnswer } from "./text-answer.ts";

/** `${tool_input.file_path}` in the input of a tool. */
const FIELD = /\$\{([\w.]+)\}/g;

/** Calls a tool of an MCP server. @returns the text of its result. @throws {Error} one phrase. */
export type CallServerTool = (server: string, tool: string, input: JsonObject, signal: AbortSignal) => Promise<string>;

/** Calls a tool of a connected MCP server; the text of its result is the answer. @throws {Error} one phrase. */
export async function runToolHook(
  { server = "", tool = "", input: given = {} }: HookSettings,
  input: JsonObject,
  call: CallServerTool,
  signal: AbortSignal,
): Promise<JsonObject> {
  const filled = fill(given, input);
  const text = await call(server, tool, isJsonObject(filled) ? filled : {}, signal);
  return textAnswer(String(input["hook_event_name"]), text);
}

function fill(value: unknown, input: JsonObject): unknown {
  if (typeof value === "string") return value.replace(FIELD, (_, path: string) => fieldText(input, path));
  if (Array.isArray(value)) return value.map((item) => fill(item, input));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, fill(part, input)]));
}

/** The text of a field; JSON for other values, empty for a missing field. */
function fieldText(input: JsonObject, path: string): string {
  let value: unknown = input;
  for (const key of path.split(".")) value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
