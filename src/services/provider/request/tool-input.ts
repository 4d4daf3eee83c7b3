import type { ToolUseBlock } from "../../../contracts/message.ts";
import { jsonProblem } from "./json-problem.ts";

/**
 * Parses the JSON that a model sent as a call's input, once it is complete. No text at all is an empty input.
 * What is no JSON object is kept as text, with what is wrong and where.
 */
export function parseToolInput(text: string): Pick<ToolUseBlock, "input" | "malformed"> {
  if (text.trim() === "") return { input: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { input: {}, malformed: { text, problem: jsonProblem(text) ?? "it is not valid JSON" } };
  }
  if (isRecord(value)) return { input: value };
  const kind = value === null ? "null" : Array.isArray(value) ? "an array" : `a ${typeof value}`;
  return { input: {}, malformed: { text, problem: `it must be a JSON object, not ${kind}` } };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
