import {
  anyBoolean,
  anyObject,
  anyString,
  arrayOf,
  at,
  type Check,
  type Fields,
  integerFrom,
  isObject,
  matching,
  nonEmptyString,
  nullable,
  numberFrom,
  object,
  oneOf,
  stringOr,
  tagged,
} from "../../shape.ts";
import { COMMON, FUNCTION_FIELDS, NAME, toolChoiceOf, toolsOf } from "../openai/common-fields.ts";
import { jsonSchemaFormat } from "../openai/json-format.ts";
import type { ChatQuirks, OpenAiOptions } from "../openai/options.ts";
import { topLevel } from "../openai/top-level.ts";

/** Tables of what fields and messages a Chat Completions request may have. Rules about more than one field are in `validate.ts`. */

const CALL_ID = /^[\s\S]{1,40}$/;
const NINE_LETTERS = /^[a-zA-Z0-9]{9}$/;
const MAX_STOPS = 4;

/** Every part's own `type` was already judged by `tagged`. */
const type = anyString;
const mark: Fields = { prompt_cache_breakpoint: anyObject };

const text = object({ type, text: anyString }, mark);
const PARTS: Fields = {
  text,
  refusal: object({ type, refusal: anyString }),
  image_url: object(
    { type, image_url: object({ url: nonEmptyString }, { detail: nullable(oneOf("auto", "low", "high")) }) },
    mark,
  ),
  input_audio: object({ type, input_audio: object({ data: nonEmptyString, format: oneOf("wav", "mp3") }) }, mark),
  file: object(
    { type, file: object({}, { file_data: nonEmptyString, file_id: nonEmptyString, filename: anyString }) },
    mark,
  ),
};

/** A string, or a list of the named kinds of parts that is not empty. */
function contentOf(role: string, ...kinds: readonly string[]): Check {
  const allowed = Object.fromEntries(Object.entries(PARTS).filter(([kind]) => kinds.includes(kind)));
  const hint = (found: string) =>
    Object.hasOwn(PARTS, found) ? `a "${found}" part cannot stand in a message of the role ${role}` : undefined;
  return stringOr(arrayOf(tagged("type", allowed, hint), { min: 1 }));
}

const name = matching(NAME);

function toolCall({ callIds }: ChatQuirks): Check {
  const id = matching(callIds === "nine_letters" ? NINE_LETTERS : CALL_ID);
  const call = object({ id, type, function: object({ name, arguments: anyString }) });
  return tagged("type", { function: call });
}

function assistantMessage(quirks: ChatQuirks): Check {
  const reasoning: Fields = { reasoning_content: nullable(anyString), reasoning: nullable(anyString) };
  const shape = object(
    { role: anyString },
    {
      content: nullable(contentOf("assistant", "text", "refusal")),
      refusal: nullable(anyString),
      name,
      tool_calls: arrayOf(toolCall(quirks), { min: 1 }),
      ...(quirks.returnedReasoning !== "refused" && reasoning),
    },
    (field) => (field === "function_call" ? "is not a field that is known here any more: use tool_calls" : undefined),
  );
  return (value, where, report) => {
    shape(value, where, report);
    if (!isObject(value)) return;
    const says = [value["content"], value["refusal"], value["tool_calls"]].some(
      (part) => part !== undefined && part !== null,
    );
    if (!says) report(at(where, "content"), "must be a string or a list, not null, in a message without tool_calls");
  };
}

function message(quirks: ChatQuirks): Check {
  const instruction = (role: string) => object({ role: anyString, content: contentOf(role, "text") }, { name });
  const { roles = "all" } = quirks;
  const refused = roles === "all" ? [] : roles === "no_developer" ? ["developer"] : ["developer", "system"];
  const variants: Fields = {
    system: instruction("system"),
    developer: instruction("developer"),
    user: object({ role: anyString, content: contentOf("user", "text", "image_url", "input_audio", "file") }, { name }),
    assistant: assistantMessage(quirks),
    tool: object({
      role: anyString,
      content: contentOf("tool", "text", ...(quirks.imagesInResults ? ["image_url"] : [])),
      tool_call_id: nonEmptyString,
    }),
  };
  const known = Object.fromEntries(Object.entries(variants).filter(([role]) => !refused.includes(role)));
  return tagged("role", known, (role) => {
    if (refused.includes(role)) return `the role "${role}" is not supported by this server`;
    return role === "function" ? 'the role "function" is of the past: use "tool"' : undefined;
  });
}

const functionTool = object({ type, function: object({ name }, FUNCTION_FIELDS) });

/** Source: OpenRouter's documentation, "Web Search" of the server tools. */
export const ROUTER_SEARCH = "openrouter:web_search";
const routerSearch = object(
  { type },
  {
    parameters: object(
      {},
      {
        engine: oneOf("auto", "native", "exa", "firecrawl", "parallel", "perplexity"),
        max_results: integerFrom(1, 25),
        max_total_results: integerFrom(1),
        search_context_size: oneOf("low", "medium", "high"),
        allowed_domains: arrayOf(nonEmptyString),
        excluded_domains: arrayOf(nonEmptyString),
        user_location: anyObject,
      },
    ),
  },
);

const stop: Check = (value, where, report) => {
  if (typeof value === "string") return;
  arrayOf(anyString, { min: 1 })(value, where, report);
  if (Array.isArray(value) && value.length > MAX_STOPS)
    report(where, `must hold at most ${MAX_STOPS} items, not ${value.length}`, "array_above_max_length");
};

const responseFormat = tagged("type", {
  text: object({ type }),
  json_object: object({ type }),
  json_schema: object({ type, json_schema: jsonSchemaFormat() }),
});

const OPTIONAL: Fields = {
  ...COMMON,
  tools: toolsOf(functionTool, 1),
  tool_choice: nullable(toolChoiceOf({ function: object({ name: nonEmptyString }) })),
  max_tokens: nullable(integerFrom(1)),
  max_completion_tokens: nullable(integerFrom(1)),
  response_format: nullable(responseFormat),
  stream_options: nullable(object({}, { include_usage: anyBoolean, include_obfuscation: anyBoolean })),
  presence_penalty: nullable(numberFrom(-2, 2)),
  frequency_penalty: nullable(numberFrom(-2, 2)),
  stop: nullable(stop),
  seed: nullable(integerFrom(Number.NEGATIVE_INFINITY)),
  n: nullable(integerFrom(1, 1)),
  logprobs: nullable(anyBoolean),
  logit_bias: nullable(anyObject),
  reasoning_effort: nullable(oneOf("none", "minimal", "low", "medium", "high", "xhigh")),
  verbosity: nullable(oneOf("low", "medium", "high")),
  modalities: nullable(arrayOf(oneOf("text"), { min: 1 })),
  prediction: nullable(anyObject),
};

const OTHER_NAMES: Readonly<Record<string, string>> = {
  functions: "tools",
  function_call: "tool_choice",
  max_output_tokens: "max_completion_tokens",
  input: "messages",
  instructions: "a message of the role system",
  reasoning: "reasoning_effort",
  text: "response_format",
};

/** Makes the check of a whole request body. */
export function requestShape(options: OpenAiOptions): Check {
  const quirks = options.chat ?? {};
  const { stream_options: streamOptions, ...others } = OPTIONAL;
  const fields = quirks.streamOptions === false || !streamOptions ? others : OPTIONAL;
  const optional = quirks.search
    ? { ...fields, tools: toolsOf(functionTool, 1, { [ROUTER_SEARCH]: routerSearch }) }
    : fields;
  return topLevel(
    { model: nonEmptyString, messages: arrayOf(message(quirks), { min: 1 }) },
    optional,
    options,
    (field) => {
      const other = OTHER_NAMES[field];
      return other && `is not a field that is known here: use ${other}`;
    },
  );
}
