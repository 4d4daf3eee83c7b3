import { at, isObject, type Report } from "../../shape.ts";
import { type Schema, subschemas } from "../subschemas.ts";

const TOP_LEVEL_BANS = ["anyOf", "oneOf", "allOf", "enum", "not"];
const PARAMETERS = "invalid_function_parameters";

/**
 * The parameters of a function: the schema of an object, without combinations at its top, whose arrays define their
 * items. Source: the API's refusals, as reported by its clients.
 */
export function judgeParameters(schema: Schema, where: string, report: Report): void {
  if (schema["type"] !== "object") report(at(where, "type"), 'must be "object"', PARAMETERS);
  else if (!isObject(schema["properties"]))
    report(where, "the schema of an object must have properties, if only empty ones", PARAMETERS);
  for (const name of TOP_LEVEL_BANS) {
    if (schema[name] !== undefined)
      report(where, `anyOf, oneOf, allOf, enum and not are not taken at the top level (found ${name})`, PARAMETERS);
  }
  for (const part of subschemas(schema, where)) {
    if (part.schema["type"] === "array" && part.schema["items"] === undefined)
      report(part.where, "the schema of an array must have items", PARAMETERS);
  }
}

/**
 * With `strict`, each object of a schema must be closed and require all of its properties. Source: OpenAI's guide
 * "Structured outputs".
 */
export function judgeStrict(schema: Schema, where: string, report: Report, code = PARAMETERS): void {
  if (schema["type"] !== "object") report(where, 'a strict schema must be of the type "object"', code);
  for (const part of subschemas(schema, where)) {
    const { properties, additionalProperties, required } = part.schema;
    if (part.schema["type"] !== "object" && !isObject(properties)) continue;
    if (additionalProperties !== false)
      report(part.where, "a strict schema must have additionalProperties, and it must be false", code);
    const names = Object.keys(isObject(properties) ? properties : {});
    const missing = names.filter((name) => !(Array.isArray(required) && required.includes(name)));
    if (missing.length > 0)
      report(part.where, `a strict schema must require all of its properties; missing: ${missing.join(", ")}`, code);
  }
}

type FunctionTool = {
  readonly name: string;
  readonly parameters?: Schema | null | undefined;
  readonly strict?: boolean | null | undefined;
};

/** Judges one function's schema. */
export function judgeFunction({ parameters, strict }: FunctionTool, where: string, report: Report): void {
  if (!parameters) return;
  const place = at(where, "parameters");
  judgeParameters(parameters, place, report);
  if (strict) judgeStrict(parameters, place, report);
}

export function judgeUniqueNames(tools: readonly { readonly name: string; readonly where: string }[], report: Report) {
  const seen = new Set<string>();
  for (const { name, where } of tools) {
    if (seen.has(name)) report(where, `names of tools must be unique, and "${name}" was declared before`);
    seen.add(name);
  }
}
