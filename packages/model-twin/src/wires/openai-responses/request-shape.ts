import {
  anyBoolean,
  anyObject,
  anyString,
  arrayOf,
  type Check,
  type Fields,
  integerFrom,
  isObject,
  matching,
  nonEmptyString,
  nullable,
  object,
  oneOf,
  stringOr,
  tagged,
} from "../../shape.ts";
import { COMMON, FUNCTION_FIELDS, NAME, toolChoiceOf, toolsOf } from "../openai/common-fields.ts";
import { jsonSchemaFormat } from "../openai/json-format.ts";
import type { OpenAiOptions, ResponsesOptions } from "../openai/options.ts";
import { topLevel } from "../openai/top-level.ts";
import { ENCRYPTED_REASONING } from "./request.ts";

/** Tables of what fields and items a Responses request may have. Rules about more than one field are in `validate.ts`. */

const CALL_ID = /^[\s\S]{1,64}$/;
const MIN_OUTPUT_TOKENS = 16;
const MAX_DOMAINS = 100;
const MAX_XAI_DOMAINS = 5;

/** Every item's and part's own `type` was already judged by `tagged`. */
const type = anyString;
const mark: Fields = { prompt_cache_breakpoint: anyObject };
const status: Fields = { status: nullable(oneOf("in_progress", "completed", "incomplete")) };
/** The beginning of an item's id shows its kind. */
const itemId = (prefix: string) => matching(new RegExp(`^${prefix}`));

const INPUT_PARTS: Fields = {
  input_text: object({ type, text: anyString }, mark),
  input_image: object(
    { type },
    {
      image_url: nullable(nonEmptyString),
      file_id: nullable(nonEmptyString),
      detail: nullable(oneOf("auto", "low", "high", "original")),
      ...mark,
    },
  ),
  input_file: object(
    { type },
    {
      file_data: nonEmptyString,
      file_id: nullable(nonEmptyString),
      file_url: nonEmptyString,
      filename: anyString,
      ...mark,
    },
  ),
};
const OUTPUT_PARTS: Fields = {
  output_text: object({ type, text: anyString }, { annotations: arrayOf(anyObject), logprobs: arrayOf(anyObject) }),
  refusal: object({ type, refusal: anyString }),
};
const ALL_PARTS: Fields = { ...INPUT_PARTS, ...OUTPUT_PARTS };

function contentOf(role: string, parts: Fields): Check {
  const hint = (found: string) =>
    Object.hasOwn(ALL_PARTS, found)
      ? `a "${found}" part cannot stand in a message of the role ${role}: it takes ${Object.keys(parts).join(", ")}`
      : undefined;
  return stringOr(arrayOf(tagged("type", parts, hint)));
}

const messageOf = (role: string, parts: Fields, own: Fields = {}) =>
  object({ role: anyString, content: contentOf(role, parts) }, { type: oneOf("message"), ...status, ...own });

const { input_text: inputText } = INPUT_PARTS;
const instruction = (role: string) => messageOf(role, inputText ? { input_text: inputText } : {});

const message = tagged(
  "role",
  {
    user: messageOf("user", INPUT_PARTS),
    system: instruction("system"),
    developer: instruction("developer"),
    assistant: messageOf("assistant", OUTPUT_PARTS, {
      id: itemId("msg"),
      phase: nullable(oneOf("commentary", "final_answer")),
    }),
  },
  (role) =>
    role === "tool" ? 'there is no role "tool" here: use an item of the type function_call_output' : undefined,
);

const ITEMS: Fields = {
  message,
  function_call: object(
    { type, call_id: matching(CALL_ID), name: matching(NAME), arguments: anyString },
    { id: itemId("fc"), ...status },
  ),
  function_call_output: object(
    { type, call_id: matching(CALL_ID), output: stringOr(arrayOf(tagged("type", INPUT_PARTS))) },
    { id: nullable(itemId("fc")), ...status },
  ),
  reasoning: object(
    { type, summary: arrayOf(tagged("type", { summary_text: object({ type, text: anyString }) })) },
    { id: itemId("rs"), encrypted_content: nullable(nonEmptyString), content: nullable(arrayOf(anyObject)) },
  ),
  item_reference: object({ type, id: nonEmptyString }),
};

const typedItem = tagged("type", ITEMS);
/** A message may leave its type out. */
const item: Check = (value, where, report) =>
  isObject(value) && value["type"] === undefined && value["role"] !== undefined
    ? message(value, where, report)
    : typedItem(value, where, report);

const functionTool = object({ type, name: matching(NAME) }, FUNCTION_FIELDS, (name) =>
  name === "function"
    ? "is not a field that is known here: name, description and parameters stand beside type"
    : undefined,
);

const domainsOf =
  (most: number): Check =>
  (value, where, report) => {
    arrayOf(matching(/^[^\s/:]+\.[^\s/:]+$/), { min: 1 })(value, where, report);
    if (Array.isArray(value) && value.length > most)
      report(where, `must hold at most ${most} items, not ${value.length}`, "array_above_max_length");
  };
const domains = nullable(domainsOf(MAX_DOMAINS));
const fewDomains = domainsOf(MAX_XAI_DOMAINS);

/** Sources: OpenAI's guide "Web search", xAI's "Web Search". */
function searchTool({ search = "openai" }: ResponsesOptions): Check {
  if (search === "xai")
    return object(
      { type },
      { filters: object({}, { allowed_domains: fewDomains, excluded_domains: fewDomains }), user_location: anyObject },
    );
  return object(
    { type },
    {
      filters: nullable(object({}, { allowed_domains: domains, blocked_domains: domains })),
      search_context_size: oneOf("low", "medium", "high"),
      user_location: nullable(anyObject),
      external_web_access: anyBoolean,
    },
  );
}

const format = tagged("type", {
  text: object({ type }),
  json_object: object({ type }),
  json_schema: jsonSchemaFormat({ type }),
});

const reasoning = object(
  {},
  {
    effort: nullable(oneOf("none", "minimal", "low", "medium", "high", "xhigh", "max")),
    summary: nullable(oneOf("auto", "concise", "detailed")),
  },
);

const only =
  (allowed: unknown, why: string): Check =>
  (value, where, report) => {
    if (value !== allowed && value !== null) report(where, why, "unsupported_value");
  };

const OPTIONAL: Fields = {
  instructions: nullable(anyString),
  ...COMMON,
  tool_choice: nullable(toolChoiceOf({ name: nonEmptyString }, { web_search: object({ type }) })),
  max_output_tokens: nullable(integerFrom(MIN_OUTPUT_TOKENS)),
  max_tool_calls: nullable(integerFrom(1)),
  reasoning: nullable(reasoning),
  text: nullable(object({}, { format, verbosity: nullable(oneOf("low", "medium", "high")) })),
  include: nullable(
    arrayOf(
      oneOf(
        ENCRYPTED_REASONING,
        "message.output_text.logprobs",
        "message.input_image.image_url",
        "file_search_call.results",
        "web_search_call.action.sources",
        "code_interpreter_call.outputs",
        "computer_call_output.output.image_url",
      ),
    ),
  ),
  previous_response_id: nullable(nonEmptyString),
  truncation: nullable(oneOf("auto", "disabled")),
  stream_options: nullable(object({}, { include_obfuscation: anyBoolean })),
  background: only(false, "this server answers in the foreground only"),
};

/** Fields of Chat Completions that have moved. */
const MOVED: Readonly<Record<string, string>> = {
  messages: "input",
  max_tokens: "max_output_tokens",
  max_completion_tokens: "max_output_tokens",
  response_format: "text.format",
  reasoning_effort: "reasoning.effort",
  verbosity: "text.verbosity",
};

const input: Check = (value, where, report) => {
  if (typeof value === "string") nonEmptyString(value, where, report);
  else if (Array.isArray(value)) arrayOf(item, { min: 1 })(value, where, report);
  else stringOr(arrayOf(item))(value, where, report);
};

/** Makes the check of a whole request body. */
export function requestShape(options: OpenAiOptions): Check {
  const tools = toolsOf(functionTool, 0, { web_search: searchTool(options.responses ?? {}) });
  return topLevel({ model: nonEmptyString, input }, { ...OPTIONAL, tools }, options, (name) => {
    const moved = MOVED[name];
    return moved && `is not supported by this API: use ${moved}`;
  });
}
