import { isJsonObject, type JsonObject } from "../../../contracts/message.ts";
import { MAX_DESCRIPTION_CHARS } from "../mcp-limits.ts";

/** Deeper nested schemas become "anything". */
const MAX_DEPTH = 48;
/** These keywords name a dialect or a location, not a constraint; `$id` would also change the meaning of references. */
const DROPPED: ReadonlySet<string> = new Set(["$schema", "$id", "id", "$comment", "$anchor", "$dynamicAnchor"]);
/** Keywords whose values are data, not schemas. */
const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);
/** Descriptive texts, which may be cut. */
const PROSE: ReadonlySet<string> = new Set(["description", "title"]);
/** Keywords whose values are maps of schemas by name: the names are not keywords. */
const BY_NAME: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);

/**
 * Removes the parts of a server's schema that no API accepts: texts are made well-formed and cut, references to other documents become text, and
 * invalid schemas become "anything".
 */
export function sanitizeSchema(source: unknown): JsonObject {
  const schema = clean(source, 0);
  return isJsonObject(schema) ? schema : {};
}

function clean(value: unknown, depth: number): unknown {
  if (value === false) return { not: {} };
  if (!isJsonObject(value) || depth > MAX_DEPTH) return {};
  const reference = value["$ref"];
  if (typeof reference === "string" && !reference.startsWith("#"))
    return { description: `Its shape is described at ${reference.slice(0, 500)}`.toWellFormed() };
  const entries = Object.entries(value)
    .filter(([key, held]) => !(DROPPED.has(key) && typeof held === "string"))
    .map(([key, held]) => [key.toWellFormed(), cleanKeyword(key, held, depth)] as const);
  return Object.fromEntries(entries);
}

function cleanKeyword(key: string, value: unknown, depth: number): unknown {
  if (PROSE.has(key) && typeof value === "string") return cutText(value, MAX_DESCRIPTION_CHARS);
  if (DATA.has(key)) return wellFormed(value, depth);
  if (BY_NAME.has(key)) {
    if (!isJsonObject(value)) return {};
    return Object.fromEntries(
      Object.entries(value).map(([name, schema]) => [name.toWellFormed(), clean(schema, depth + 1)]),
    );
  }
  if (Array.isArray(value))
    return value.map((one: unknown) => (isJsonObject(one) ? clean(one, depth + 1) : wellFormed(one, depth + 1)));
  if (isJsonObject(value)) return clean(value, depth + 1);
  return wellFormed(value, depth);
}

function wellFormed(value: unknown, depth: number): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((one: unknown) => wellFormed(one, depth + 1));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, held]) => [key.toWellFormed(), wellFormed(held, depth + 1)]),
  );
}

/** Cuts a text to at most `limit` characters, with a notice if it was cut. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text.toWellFormed();
  const notice = ` … [cut: it has ${text.length} characters]`;
  const kept = text.slice(0, limit - notice.length);
  // The cut must not split a surrogate pair.
  return `${kept.replace(/[\ud800-\udbff]$/, "")}${notice}`.toWellFormed();
}
