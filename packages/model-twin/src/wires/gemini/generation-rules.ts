import type { Report } from "../../shape.ts";
import { requiresSignatures } from "./options.ts";
import type { GenerationConfig } from "./request.ts";
import type { Rule } from "./rule.ts";
import { judgeJsonSchema, judgeSchema } from "./schema-rules.ts";
import { declarationsOf } from "./tool-rules.ts";

const WHERE = "generation_config";
const MAX_STOP_SEQUENCES = 5;
const MAX_TEMPERATURE = 2;
const JSON_TYPE = "application/json";
const TEXT_TYPES = ["text/plain", JSON_TYPE, "text/x.enum"];

type Bounded = keyof GenerationConfig & ("temperature" | "topP" | "topK" | "maxOutputTokens" | "candidateCount");
const BOUNDS: readonly {
  readonly field: Bounded;
  readonly name: string;
  readonly min: number;
  readonly max: number;
}[] = [
  { field: "temperature", name: "temperature", min: 0, max: MAX_TEMPERATURE },
  { field: "topP", name: "top_p", min: 0, max: 1 },
  { field: "topK", name: "top_k", min: 1, max: Number.POSITIVE_INFINITY },
  { field: "maxOutputTokens", name: "max_output_tokens", min: 1, max: Number.POSITIVE_INFINITY },
  // The twin plays one answer.
  { field: "candidateCount", name: "candidate_count", min: 1, max: 1 },
];

export const generationConfigIsInRange: Rule = ({ request: { generationConfig: config = {} } }, report) => {
  for (const { field, name, min, max } of BOUNDS) {
    const value = config[field];
    if (value !== undefined && (value < min || value > max))
      report(`${WHERE}.${name}`, `${value} is out of range: from ${min} to ${max}`);
  }
  const { stopSequences = [] } = config;
  if (stopSequences.length > MAX_STOP_SEQUENCES)
    report(`${WHERE}.stop_sequences`, `at most ${MAX_STOP_SEQUENCES} are taken, not ${stopSequences.length}`);
  const empty = stopSequences.indexOf("");
  if (empty >= 0) report(`${WHERE}.stop_sequences[${empty}]`, "must not be empty");
};

export const thinkingConfigIsPossible: Rule = ({ model, request, options }, report) => {
  const { thinkingBudget, thinkingLevel } = request.generationConfig?.thinkingConfig ?? {};
  const where = `${WHERE}.thinking_config`;
  if (thinkingBudget !== undefined && thinkingLevel !== undefined)
    report(where, "only one of thinking_budget and thinking_level can be set");
  if (thinkingBudget !== undefined && thinkingBudget < -1)
    report(`${where}.thinking_budget`, `${thinkingBudget} is not a budget`);
  if (thinkingLevel !== undefined && !requiresSignatures(model, options))
    report(`${where}.thinking_level`, "is not supported for this model");
};

function judgeFormat(config: GenerationConfig, report: Report): void {
  const { responseMimeType: type, responseSchema: schema, responseJsonSchema: jsonSchema } = config;
  if (type !== undefined && !TEXT_TYPES.includes(type))
    report(`${WHERE}.response_mime_type`, `allowed are ${TEXT_TYPES.join(", ")}`);
  if (schema !== undefined && jsonSchema !== undefined)
    report(`${WHERE}.response_json_schema`, "cannot be set together with response_schema");
  const isStructured = schema !== undefined || jsonSchema !== undefined;
  if (isStructured && (type === undefined || type === "text/plain"))
    report(`${WHERE}.response_mime_type`, `must be ${JSON_TYPE} while a schema of the response is set`);
  if (schema) judgeSchema(schema, `${WHERE}.response_schema`, report);
  if (jsonSchema !== undefined) judgeJsonSchema(jsonSchema, `${WHERE}.response_json_schema`, report);
}

export const formatIsPossible: Rule = ({ model, request, options }, report) => {
  const config = request.generationConfig ?? {};
  judgeFormat(config, report);
  const isJson = config.responseMimeType === JSON_TYPE;
  if (isJson && declarationsOf(request).length > 0 && !requiresSignatures(model, options))
    report(`${WHERE}.response_mime_type`, `function calling with ${JSON_TYPE} is not supported for this model`);
};
