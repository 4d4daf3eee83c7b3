import type { JsonObject } from "../../../contracts/message.ts";

export type CoercedInput = { readonly input: JsonObject; readonly corrections: readonly string[] };

/**
 * Corrects the form of an input, never its meaning: a number, boolean, list or object that the model sent as text where
 * the schema accepts no text, and null for an optional field. This applies only to inputs that do not match the schema.
 * @param schema The schema that the model got.
 */
export function coerceToSchema(input: JsonObject, schema: JsonObject): CoercedInput {
  const fields = objectOf(schema["properties"]);
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const corrections: string[] = [];
  const entries: [string, unknown][] = [];
  for (const [name, value] of Object.entries(input)) {
    const types = typesOf(Object.hasOwn(fields, name) ? fields[name] : undefined);
    if (value === null && !required.has(name) && !types.has("null")) {
      corrections.push(`null for \`${name}\` was treated as absent`);
      continue;
    }
    const fixed = typeof value === "string" && !types.has("string") ? parsedAs(value, types) : undefined;
    if (fixed !== undefined) corrections.push(`\`${name}\` was sent as a string and read as ${kindOf(fixed)}`);
    entries.push([name, fixed ?? value]);
  }
  return { input: Object.fromEntries(entries), corrections };
}

/** Parses a text as a value of one of the wanted types. */
function parsedAs(text: string, types: ReadonlySet<string>): unknown {
  const trimmed = text.trim();
  const json = trimmed === "True" ? "true" : trimmed === "False" ? "false" : trimmed;
  try {
    const value: unknown = JSON.parse(json);
    const kind = kindOf(value);
    const fits = types.has(kind) || (kind === "number" && types.has("integer") && Number.isInteger(value));
    return fits && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The types of a field's schema, including alternatives; empty if it names none. */
function typesOf(schema: unknown, depth = 0): ReadonlySet<string> {
  const { type, anyOf, oneOf } = objectOf(schema);
  const own = [type].flat().filter((one) => typeof one === "string");
  const alternatives = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) && depth < 4 ? list : []));
  return new Set([...own, ...alternatives.flatMap((one) => [...typesOf(one, depth + 1)])]);
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return value === null ? "null" : typeof value;
}

function objectOf(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
