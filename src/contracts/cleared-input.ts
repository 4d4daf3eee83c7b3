import { InvalidInputError } from "./errors.ts";
import type { ToolUseBlock } from "./message.ts";

/** A field of a call with fewer characters is not worth a line in its place. */
const MIN_CHARS = 240;
/** A command keeps its beginning, which tells what it did. */
const COMMAND_CHARS = 100;
/** The approved plan stays in the model's view. */
const KEPT_TOOLS: ReadonlySet<string> = new Set(["ExitPlanMode"]);

const CLEARED_FIELD = /\[Cleared to make room, id [^\s\]]+: \d+ characters/;

/**
 * The call with a line in place of each long field; undefined if no field is long. The signature is left out, because
 * it belongs to the original call.
 */
export function withClearedInput(use: ToolUseBlock, canRecall: boolean): ToolUseBlock | undefined {
  if (KEPT_TOOLS.has(use.name)) return undefined;
  const input = Object.fromEntries(
    Object.entries(use.input).map(([key, value]) => [key, clearedValue(key, value, use.id, canRecall)]),
  );
  const isChanged = Object.entries(input).some(([key, value]) => value !== use.input[key]);
  if (!isChanged) return undefined;
  const { type, id, name } = use;
  return { type, id, name, input };
}

/**
 * @throws {InvalidInputError} a text contains the line in place of a field of an earlier call: the model copied what it
 * sees of that call.
 */
export function assertNotCleared(...texts: readonly string[]): void {
  const found = texts.map((text) => CLEARED_FIELD.exec(text)?.[0]).find((match) => match !== undefined);
  if (found === undefined) return;
  throw new InvalidInputError(
    `The input contains "${found} …]", which only stands in your view of an earlier call. Nothing was changed. Write the real text: read the file, or bring the call back with Recall.`,
  );
}

function clearedValue(key: string, value: unknown, id: string, canRecall: boolean): unknown {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text === undefined || text.length < MIN_CHARS || CLEARED_FIELD.test(text)) return value;
  const recall = canRecall ? "; Recall brings them back" : "";
  const line = `[Cleared to make room, id ${id}: ${text.length} characters${recall}]`;
  return key === "command" ? `${text.slice(0, COMMAND_CHARS).toWellFormed()}… ${line}` : line;
}
