import type { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { isJsonObject, type JsonObject } from "../../../contracts/message.ts";
import { words } from "../../../contracts/words.ts";
import { sanitizeSchema } from "./sanitize-schema.ts";

/** Describes the errors of an input by the server's own schema; undefined if it fits. */
export type CheckInput = (input: JsonObject) => string | undefined;

/** Formats that the validator knows; it prints a warning to the terminal for any other. */
const FORMATS: ReadonlySet<string> = new Set(
  words(`
  date time date-time iso-time iso-date-time duration uri uri-reference uri-template url email hostname ipv4
  ipv6 regex uuid json-pointer json-pointer-uri-fragment relative-json-pointer byte int32 int64 float double
  password binary
`),
);

/**
 * Compiles input checks from schemas. If the validator can't compile a schema (a broken reference), or the schema has
 * more than `maxParts` objects, no check is made; the server itself then validates.
 */
export function inputChecker(
  validator: AjvJsonSchemaValidator,
  maxParts = Number.POSITIVE_INFINITY,
): (schema: unknown) => CheckInput {
  return (schema) => {
    if (!hasParts(schema, maxParts)) return () => undefined;
    try {
      const validate = validator.getValidator(withoutPatterns(withoutUnknownFormats(sanitizeSchema(schema))));
      return (input) => {
        const result = validate(input);
        return result.valid ? undefined : result.errorMessage.replace(/(^|, )data(?=[/ ])/g, "$1input");
      };
    } catch {
      return () => undefined;
    }
  };
}

/** True if a JSON value has at most this many objects. Stops counting there. */
function hasParts(value: unknown, max: number): boolean {
  if (max === Number.POSITIVE_INFINITY) return true;
  const left = [value];
  for (let count = 0; left.length > 0; ) {
    const next = left.pop();
    if (Array.isArray(next)) left.push(...next.filter(isJsonObject).slice(0, max + 1));
    if (!isJsonObject(next)) continue;
    count += 1;
    if (count > max) return false;
    for (const key of Object.keys(next)) left.push(next[key]);
  }
  return true;
}

/** Removes unknown formats from a schema, for which the validator would print warnings to the terminal. */
export function withoutUnknownFormats(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema)
    .filter(([key, value]) => !(key === "format" && typeof value === "string" && !FORMATS.has(value)))
    .map(([key, value]) => [key, key === "const" || key === "enum" ? value : within(value)] as const);
  return Object.fromEntries(entries);
}

function within(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(within);
  return typeof value === "object" && value !== null ? withoutUnknownFormats({ ...value }) : value;
}

/** Keywords whose values are maps of schemas by name. */
const BY_NAME: ReadonlySet<string> = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);

/**
 * Removes regular expressions from a server's schema, because catastrophic backtracking would block the whole program.
 */
export function withoutPatterns(schema: JsonObject): JsonObject {
  const dropped = new Set(["pattern", "patternProperties"]);
  // Properties that a pattern allows would otherwise count as additional properties.
  if (schema["patternProperties"] !== undefined) dropped.add("additionalProperties").add("unevaluatedProperties");
  const entries = Object.entries(schema)
    .filter(([key]) => !dropped.has(key))
    .map(([key, value]) => [key, key === "const" || key === "enum" ? value : inner(value, BY_NAME.has(key))] as const);
  return Object.fromEntries(entries);
}

function inner(value: unknown, isByName: boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => inner(one, false));
  if (!isJsonObject(value)) return value;
  if (!isByName) return withoutPatterns(value);
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, inner(schema, false)]));
}
