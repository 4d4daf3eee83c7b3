import {
  anyBoolean,
  anyObject,
  anyString,
  anything,
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

/** Tables of what fields and blocks a Messages request may have. Rules about more than one field are in `validate.ts`. */

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const TOOL_USE_ID = /^[a-zA-Z0-9_-]+$/;
const COMBINATORS = ["anyOf", "oneOf", "allOf"];

const cacheControl = nullable(object({ type: oneOf("ephemeral") }, { ttl: oneOf("5m", "1h") }));
const cacheable: Fields = { cache_control: cacheControl };
/** Every block's own `type` was already judged by `tagged`. */
const type = anyString;

const text = object({ type, text: anyString }, { ...cacheable, citations: nullable(arrayOf(anyObject)) });

const url = object({ type, url: nonEmptyString });
const file = object({ type, file_id: nonEmptyString });

const image = object(
  {
    type,
    source: tagged("type", {
      base64: object({
        type,
        media_type: oneOf("image/jpeg", "image/png", "image/gif", "image/webp"),
        data: nonEmptyString,
      }),
      url,
      file,
    }),
  },
  { ...cacheable, transformations: nullable(anyObject) },
);

const document = object(
  {
    type,
    source: tagged("type", {
      base64: object({ type, media_type: oneOf("application/pdf"), data: nonEmptyString }),
      text: object({ type, media_type: oneOf("text/plain"), data: nonEmptyString }),
      url,
      file,
    }),
  },
  { ...cacheable, citations: nullable(anyObject), context: nullable(anyString), title: nullable(anyString) },
);

const searchResult = object(
  { type, content: arrayOf(tagged("type", { text })), source: anyString, title: anyString },
  { ...cacheable, citations: anyObject },
);

const resultContent: Fields = { text, image, document, search_result: searchResult };

const toolResult = object(
  { type, tool_use_id: matching(TOOL_USE_ID) },
  { ...cacheable, content: stringOr(arrayOf(tagged("type", resultContent))), is_error: anyBoolean },
);

const toolUse = object(
  { type, id: matching(TOOL_USE_ID), name: matching(TOOL_NAME), input: anyObject },
  { ...cacheable, caller: anyObject },
);

const USER_BLOCKS: Fields = { ...resultContent, tool_result: toolResult };
const ASSISTANT_BLOCKS: Fields = {
  text,
  thinking: object({ type, thinking: anyString, signature: anyString }),
  redacted_thinking: object({ type, data: nonEmptyString }),
  tool_use: toolUse,
};

function contentOf(role: "user" | "assistant", blocks: Fields, others: Fields): Check {
  const hint = (found: string) =>
    Object.hasOwn(others, found) ? `a "${found}" block cannot stand in a message of the ${role}` : undefined;
  return stringOr(arrayOf(tagged("type", blocks, hint)));
}

const userMessage = object({ role: anyString, content: contentOf("user", USER_BLOCKS, ASSISTANT_BLOCKS) });
const assistantMessage = object({ role: anyString, content: contentOf("assistant", ASSISTANT_BLOCKS, USER_BLOCKS) });

const message = tagged("role", { user: userMessage, assistant: assistantMessage }, (role) =>
  role === "system" ? 'a message cannot have the role "system": use the top-level field system' : undefined,
);

const inputSchema: Check = (value, where, report) => {
  if (!isObject(value)) return anyObject(value, where, report);
  if (value["type"] === undefined) report(at(where, "type"), "is required");
  else if (value["type"] !== "object") report(at(where, "type"), 'must be "object"');
  for (const name of COMBINATORS) {
    if (value[name] !== undefined)
      report(where, `anyOf, oneOf and allOf are not taken at the top level (found ${name})`);
  }
};

const customTool = object(
  { name: matching(TOOL_NAME), input_schema: inputSchema },
  {
    ...cacheable,
    type,
    description: anyString,
    strict: anyBoolean,
    defer_loading: anyBoolean,
    eager_input_streaming: nullable(anyBoolean),
    input_examples: arrayOf(anyObject),
    allowed_callers: arrayOf(anyString),
  },
);

const domain = matching(/^[^\s/:]+\.[^\s:]+$/);
const searchTool = object(
  { type, name: oneOf("web_search") },
  {
    max_uses: nullable(integerFrom(1)),
    allowed_domains: nullable(arrayOf(domain, { min: 1 })),
    blocked_domains: nullable(arrayOf(domain, { min: 1 })),
    user_location: nullable(anyObject),
    cache_control: cacheControl,
  },
);
const SEARCH_TOOL = "web_search_20250305";

/** The API names the kind of tool in the path: `tools.0.custom.name`. Of the tools that the API itself runs, the twin has the search. */
const tool: Check = (value, where, report) => {
  const kind = isObject(value) ? (value["type"] ?? "custom") : "custom";
  if (kind === "custom") customTool(value, at(where, "custom"), report);
  else if (kind === SEARCH_TOOL) {
    searchTool(value, at(where, SEARCH_TOOL), report);
    if (isObject(value) && value["allowed_domains"] && value["blocked_domains"])
      report(where, "allowed_domains and blocked_domains cannot both be given");
  } else
    report(at(where, "type"), `${JSON.stringify(kind)} is not a kind of tool that this server has; only "custom" is`);
};

const parallel: Fields = { disable_parallel_tool_use: anyBoolean };
const toolChoice = tagged("type", {
  auto: object({ type }, parallel),
  any: object({ type }, parallel),
  tool: object({ type, name: nonEmptyString }, parallel),
  none: object({ type }),
});

const display: Fields = { display: nullable(oneOf("summarized", "omitted")) };
const thinking = tagged("type", {
  enabled: object({ type, budget_tokens: integerFrom(1024) }, display),
  adaptive: object({ type }, display),
  between_tools: object({ type }),
  disabled: object({ type }),
});

const outputConfig = object(
  {},
  {
    effort: nullable(oneOf("low", "medium", "high", "xhigh", "max")),
    format: nullable(object({ type: oneOf("json_schema"), schema: anyObject })),
  },
);

const REQUIRED: Fields = { model: nonEmptyString, messages: arrayOf(message, { min: 1 }) };

/** Fields of both endpoints. */
const COMMON: Fields = {
  system: stringOr(arrayOf(tagged("type", { text }))),
  tools: arrayOf(tool),
  tool_choice: toolChoice,
  thinking,
  cache_control: cacheControl,
  output_config: outputConfig,
  speed: nullable(oneOf("standard", "fast")),
  user_profile_id: anyString,
  workspace_id: anyString,
};

const MESSAGES_ONLY: Fields = {
  stream: anyBoolean,
  temperature: numberFrom(0, 1),
  top_p: numberFrom(0, 1),
  top_k: integerFrom(0),
  stop_sequences: arrayOf(matching(/\S/)),
  metadata: object({}, { user_id: nullable(anyString) }),
  service_tier: oneOf("auto", "standard_only"),
  container: anything,
  diagnostics: nullable(anyObject),
  inference_geo: nullable(anyString),
};

/** Fields that exist only while a beta header asks for them: the field, and how the beta's name starts. */
const BETA_FIELDS: readonly { readonly field: string; readonly beta: string; readonly check: Check }[] = [
  { field: "context_management", beta: "context-management-", check: nullable(anyObject) },
  { field: "mcp_servers", beta: "mcp-client-", check: arrayOf(anyObject) },
];

function unknownField(name: string): string | undefined {
  if (name === "betas") return "is not a field of the request: betas are named in the header anthropic-beta";
  const gated = BETA_FIELDS.find(({ field }) => field === name);
  return gated && `is not a field of the request without a beta "${gated.beta}…" in the header anthropic-beta`;
}

export type Endpoint = "messages" | "count_tokens";

/** Makes the check of a whole request body, for one endpoint and the betas that its header names. */
export function requestShape(endpoint: Endpoint, betas: readonly string[]): Check {
  const granted = BETA_FIELDS.filter(({ beta }) => betas.some((name) => name.startsWith(beta)));
  const beta = Object.fromEntries(granted.map(({ field, check }) => [field, check]));
  return endpoint === "messages"
    ? object({ ...REQUIRED, max_tokens: integerFrom(1) }, { ...COMMON, ...MESSAGES_ONLY, ...beta }, unknownField)
    : object(REQUIRED, { ...COMMON, ...beta }, unknownField);
}
