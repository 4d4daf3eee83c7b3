import { ScenarioError } from "./scenario-json.ts";
import type { TwinOptions } from "./server.ts";
import {
  anyBoolean,
  arrayOf,
  type Check,
  explain,
  type Fields,
  integerFrom,
  nonEmptyString,
  object,
  oneOf,
  problemsOf,
} from "./shape.ts";

/** The options of the wires in a file; its scenario and its port are parsed separately. */
export type WireOptions = Omit<TwinOptions, "scenario" | "port" | "loop" | "keptBodies">;

const names = arrayOf(nonEmptyString, { min: 1 });

const chat: Fields = {
  reasoningField: oneOf("reasoning_content", "reasoning", "none"),
  returnedReasoning: oneOf("accepted", "required", "refused"),
  roles: oneOf("all", "no_developer", "no_system"),
  parallelCalls: anyBoolean,
  streamOptions: anyBoolean,
  callIds: oneOf("sent", "missing", "nine_letters"),
  callIndex: anyBoolean,
  argumentPieces: anyBoolean,
  imagesInResults: anyBoolean,
  jsonArguments: anyBoolean,
  usage: oneOf("on_request", "always", "with_finish", "never"),
  finishReasonOfCalls: oneOf("tool_calls", "stop"),
  refusals: oneOf("content_filter", "refusal_field"),
  errorsWithStatus200: oneOf("json", "event"),
};

const responses: Fields = {
  streamErrors: oneOf("response.failed", "error"),
  refusals: oneOf("refusal_part", "content_filter"),
  summaryParts: oneOf("one", "paragraphs"),
};

/** Options of every wire. */
const shared: Fields = { apiKey: nonEmptyString, models: names, contextWindowTokens: integerFrom(1) };

const openai: Fields = {
  ...shared,
  requireKey: anyBoolean,
  reasoningModels: names,
  refuseUnknownFields: anyBoolean,
  extraFields: names,
  missingFields: names,
  chat: object({}, chat),
  responses: object({}, responses),
};

const gemini: Fields = {
  ...shared,
  refusals: oneOf("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "OTHER"),
  callIds: oneOf("sent", "missing"),
  signatures: oneOf("by_model", "required", "optional"),
};

/** Options of every platform that serves Claude. */
const claude: Fields = { ...shared, promptCache: anyBoolean };

const bedrock: Fields = {
  ...claude,
  region: nonEmptyString,
  credentials: object(
    { accessKeyId: nonEmptyString, secretAccessKey: nonEmptyString },
    { sessionToken: nonEmptyString },
  ),
};

const wireOptions: Check = object(
  {},
  {
    ...claude,
    openai: object({}, openai),
    gemini: object({}, gemini),
    bedrock: object({}, bedrock),
    vertex: object({}, { ...claude, project: nonEmptyString }),
  },
);

/**
 * Reads the options of a twin's wires from parsed JSON, as in `server.ts` and each wire's `options.ts`.
 * @throws {ScenarioError} naming the first wrong field by its path (`options.openai.chat.usage`).
 */
export function parseOptions(json: unknown): WireOptions {
  const [first] = problemsOf((report) => wireOptions(json, "options", report));
  if (first) throw new ScenarioError(explain(first));
  return json as WireOptions;
}
