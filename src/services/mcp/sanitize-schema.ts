import type { JsonObject } from "../../contracts/message.ts";
import { MAX_DESCRIPTION_CHARS } from "./limits.ts";

/** Schemas nested deeper are taken as "anything". */
const MAX_DEPTH = 48;
/** They name a dialect or a place of the schema, not its meaning; `$id` would also change what references mean. */
const DROPPED: ReadonlySet<string> = new Set(["$schema", "$id", "id", "$comment", "$anchor", "$dynamicAnchor"]);
/** Their values are data, not schemas. */
const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);
/** For readers: may be cut. */
const PROSE: ReadonlySet<string> = new Set(["description", "title"]);
/** Their values are schemas by name: the names are not keywords. */
const BY_NAME: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);

/**
 * A server's schema without what no API takes: texts are well-formed and cut, references to other documents become words, what
 * is no schema becomes "anything".
 */
export function sanitizeSchema(source: unknown): JsonObject {
  const schema = clean(source, 0);
  return isObject(schema) ? schema : {};
}

function clean(value: unknown, depth: number): unknown {
  if (value === false) return { not: {} };
  if (!isObject(value) || depth > MAX_DEPTH) return {};
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
    if (!isObject(value)) return {};
    return Object.fromEntries(
      Object.entries(value).map(([name, schema]) => [name.toWellFormed(), clean(schema, depth + 1)]),
    );
  }
  if (Array.isArray(value))
    return value.map((one: unknown) => (isObject(one) ? clean(one, depth + 1) : wellFormed(one, depth + 1)));
  if (isObject(value)) return clean(value, depth + 1);
  return wellFormed(value, depth);
}

function wellFormed(value: unknown, depth: number): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((one: unknown) => wellFormed(one, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, held]) => [key.toWellFormed(), wellFormed(held, depth + 1)]),
  );
}

/** A text of at most `limit` characters; a cut is said at its end. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text.toWellFormed();
  const notice = ` … [cut: it has ${text.length} characters]`;
  const kept = text.slice(0, limit - notice.length);
  // Not through the middle of a surrogate pair.
  return `${kept.replace(/[\ud800-\udbff]$/, "")}${notice}`.toWellFormed();
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
