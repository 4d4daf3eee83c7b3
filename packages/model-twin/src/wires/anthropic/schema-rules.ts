import { at, isObject, type Report } from "../../shape.ts";
import { type Schema, subschemas } from "../subschemas.ts";
import type { Rule } from "./rule.ts";

/** Source: Anthropic's guide "Structured outputs", "JSON Schema limitations". */
const UNSUPPORTED = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
];
const PLACE = "output_config.format.schema";

/**
 * A schema for structured outputs closes each object, and contains neither unsupported keywords nor recursive parts.
 */
export const outputSchemaIsSupported: Rule = ({ request: { output_config: config } }, report) => {
  const schema = config?.format?.schema;
  if (!schema) return;
  for (const part of subschemas(schema, PLACE)) judgePart(part.schema, part.where, report);
  if (holdsItself(schema, schema, [])) report(PLACE, "Recursive schemas are not supported");
};

function judgePart(schema: Schema, where: string, report: Report): void {
  const { type, additionalProperties, minItems, $ref } = schema;
  const isOfObjects = type === "object" || (Array.isArray(type) && type.includes("object"));
  if (isOfObjects && additionalProperties !== false)
    report(where, "For 'object' type, 'additionalProperties' must be explicitly set to false");
  for (const name of UNSUPPORTED) {
    if (schema[name] !== undefined) report(at(where, name), "is not supported");
  }
  if (minItems !== undefined && minItems !== 0 && minItems !== 1) report(at(where, "minItems"), "must be 0 or 1");
  if (typeof $ref === "string" && !$ref.startsWith("#")) report(at(where, "$ref"), "must refer to the schema itself");
}

function holdsItself(root: Schema, schema: Schema, path: readonly string[]): boolean {
  for (const { schema: part } of subschemas({ ...schema, $defs: undefined, definitions: undefined }, "")) {
    const reference = part["$ref"];
    if (typeof reference !== "string") continue;
    if (path.includes(reference)) return true;
    const target = targetOf(root, reference);
    if (target && holdsItself(root, target, [...path, reference])) return true;
  }
  return false;
}

function targetOf(root: Schema, reference: string): Schema | undefined {
  let found: unknown = root;
  for (const key of reference.split("/").slice(1)) found = isObject(found) ? found[key] : undefined;
  return isObject(found) ? found : undefined;
}
