import {
  anyBoolean,
  anyObject,
  anyString,
  arrayOf,
  type Check,
  type Fields,
  integerFrom,
  nullable,
  numberFrom,
  object,
  oneOf,
  tagged,
} from "../../shape.ts";

/** Fields that Chat Completions and Responses share. */

/** Names of functions. */
export const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_TOOLS = 128;

/** Fields that both APIs accept with the same meaning. */
export const COMMON: Fields = {
  parallel_tool_calls: nullable(anyBoolean),
  stream: nullable(anyBoolean),
  store: nullable(anyBoolean),
  temperature: nullable(numberFrom(0, 2)),
  top_p: nullable(numberFrom(0, 1)),
  top_logprobs: nullable(integerFrom(0, 20)),
  metadata: nullable(anyObject),
  service_tier: nullable(oneOf("auto", "default", "flex", "scale", "priority")),
  user: anyString,
  safety_identifier: anyString,
  prompt_cache_key: anyString,
  prompt_cache_retention: nullable(oneOf("in_memory", "24h")),
  prompt_cache_options: nullable(anyObject),
};

/** A function's fields besides its name. */
export const FUNCTION_FIELDS: Fields = {
  description: nullable(anyString),
  parameters: nullable(anyObject),
  strict: nullable(anyBoolean),
};

/** A list of functions, each judged by `tool`, and of tools that the server runs. */
export function toolsOf(tool: Check, least = 0, ofServer: Fields = {}): Check {
  const list = arrayOf(tagged("type", { function: tool, ...ofServer }), { min: least });
  return (value, where, report) => {
    list(value, where, report);
    if (Array.isArray(value) && value.length > MAX_TOOLS)
      report(where, `must hold at most ${MAX_TOOLS} items, not ${value.length}`, "array_above_max_length");
  };
}

/** How a tool is chosen: by a word, or by its name, which is in `named`. */
export function toolChoiceOf(named: Fields, ofServer: Fields = {}): Check {
  const chosen = tagged("type", { function: object({ type: anyString, ...named }), ...ofServer });
  return (value, where, report) => {
    if (typeof value === "string") oneOf("none", "auto", "required")(value, where, report);
    else chosen(value, where, report);
  };
}
