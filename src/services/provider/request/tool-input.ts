import { isJsonObject, type ToolUseBlock } from "../../../contracts/message.ts";
import { jsonProblem } from "./json-problem.ts";

/**
 * Parses the complete JSON of a call's input. An empty text is an empty input.
 * A text that is not a JSON object is kept, with the problem and its position.
 */
export function parseToolInput(text: string): Pick<ToolUseBlock, "input" | "malformed"> {
  if (text.trim() === "") return { input: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { input: {}, malformed: { text, problem: jsonProblem(text) ?? "it is not valid JSON" } };
  }
  if (isJsonObject(value)) return { input: value };
  const kind = value === null ? "null" : Array.isArray(value) ? "an array" : `a ${typeof value}`;
  return { input: {}, malformed: { text, problem: `it must be a JSON object, not ${kind}` } };
}
