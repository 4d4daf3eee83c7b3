import type { JsonObject } from "../../contracts/message.ts";

export type ForgivenInput = { readonly input: JsonObject; readonly forgiven: readonly string[] };

/**
 * An input with what models get wrong in its form put right, never in its meaning: a number, switch, list or object that was sent
 * as text where the schema takes no text, and null for a field that may be left out. Only for inputs that don't fit as they are.
 * @param schema As the model was given it.
 */
export function forgiveInput(input: JsonObject, schema: JsonObject): ForgivenInput {
  const fields = objectOf(schema["properties"]);
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const forgiven: string[] = [];
  const entries: [string, unknown][] = [];
  for (const [name, value] of Object.entries(input)) {
    const types = typesOf(Object.hasOwn(fields, name) ? fields[name] : undefined);
    if (value === null && !required.has(name) && !types.has("null")) {
      forgiven.push(`null for \`${name}\` was taken as absent`);
      continue;
    }
    const mended = typeof value === "string" && !types.has("string") ? parsedAs(value, types) : undefined;
    if (mended !== undefined) forgiven.push(`\`${name}\` was sent as a string and read as ${kindOf(mended)}`);
    entries.push([name, mended ?? value]);
  }
  return { input: Object.fromEntries(entries), forgiven };
}

/** A text as the value that it spells, if that is of a wanted type. */
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

/** The types that a field's schema names, also in alternatives; empty when it names none. */
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
