import { type ParseError, parse, printParseErrorCode } from "jsonc-parser/lib/esm/main.js";
import { isJsonObject, type ToolUseBlock } from "../../../contracts/message.ts";
import { parsedJson } from "../../../contracts/parsed-json.ts";

/**
 * Parses the complete JSON of a call's input. An empty text is an empty input.
 * A text that is not a JSON object is kept, with the problem and its position.
 */
export function parseToolInput(text: string): Pick<ToolUseBlock, "input" | "malformed"> {
  if (text.trim() === "") return { input: {} };
  const value = parsedJson(text);
  if (value === undefined) return { input: {}, malformed: { text, problem: jsonProblem(text) } };
  if (isJsonObject(value)) return { input: value };
  const kind = value === null ? "null" : Array.isArray(value) ? "an array" : `a ${typeof value}`;
  return { input: {}, malformed: { text, problem: `it must be a JSON object, not ${kind}` } };
}

/** Characters shown from the position on. */
const CONTEXT_CHARS = 20;

/**
 * Describes where a text stops being JSON; the runtimes' own errors do not always say so.
 * @returns one phrase with 0-based positions: `value expected at position 7, found "}"`.
 */
function jsonProblem(text: string): string {
  const [first] = errorsIn(text);
  if (!first) return "it is not valid JSON";
  const { error, offset, length } = first;
  const words = printParseErrorCode(error)
    .replace(/\B[A-Z]/g, " $&")
    .toLowerCase();
  const place = length > 1 ? `from position ${offset} to ${offset + length}` : `at position ${offset}`;
  const found = text.slice(offset, offset + CONTEXT_CHARS);
  return `${words} ${place}${found === "" ? "" : `, found ${JSON.stringify(found)}`}`;
}

/** None for a text that is nested too deeply for the parser. */
function errorsIn(text: string): readonly ParseError[] {
  const errors: ParseError[] = [];
  try {
    parse(text, errors, { disallowComments: true });
    return errors;
  } catch {
    return [];
  }
}
