import { resolve } from "node:path";
import type { ToolUseBlock } from "../contracts/message.ts";
import type { Subject } from "../contracts/subject.ts";

const ACTIONS: Readonly<Record<string, "read" | "write">> = { Read: "read", Edit: "write", Write: "write" };
/** The names that models give to the field with the path. */
const PATH_FIELDS = ["file_path", "path", "file", "filename", "absolute_path", "target_file"] as const;

/**
 * The file that a call names, although the call can't be prepared: its file is missing or was not read, or its input
 * is invalid.
 * @returns undefined if the file is not certain.
 */
export function namedFile({ name, input }: Pick<ToolUseBlock, "name" | "input">, cwd: string): Subject | undefined {
  const action = ACTIONS[name];
  const path = PATH_FIELDS.map((field) => input[field]).find((value) => value !== undefined);
  if (!action || typeof path !== "string" || path.trim() === "" || path.startsWith("~")) return undefined;
  return { action, path: resolve(cwd, path) };
}
