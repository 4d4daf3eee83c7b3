import { decodedEscapes } from "../../../contracts/decoded-escapes.ts";
import { isJsonObject, type JsonObject } from "../../../contracts/message.ts";
import { words } from "../../../contracts/words.ts";
import { sha256 } from "../../../platform/digest.ts";
import { sanitizeSchema } from "./sanitize-schema.ts";

/** Field names of a tool's input that model APIs accept. */
const FIELD_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
/** Keywords that APIs reject at the top of a schema and that become a description instead. */
const SAID_INSTEAD = words("anyOf oneOf not enum const if then else dependentRequired dependentSchemas dependencies");
const KEPT = ["description", "title", "additionalProperties", "patternProperties", "$defs", "definitions"];
const MAX_SAID_CHARS = 1_500;
/** Maximum depth of nested alternatives and chained references. */
const MAX_DEPTH = 16;
/** Maximum number of parts and alternatives that are read: of references to each other there would be thousands of millions. */
const MAX_PARTS = 1_000;

export type AdaptedSchema = {
  /** The object schema without `anyOf`, `oneOf` or `allOf` at its top level. */
  readonly schema: JsonObject;
  /** The constraints that the schema no longer expresses; empty if there are none. */
  readonly note: string;
  /** The server's name for each field that was renamed for the API. */
  readonly renamed: ReadonlyMap<string, string>;
};

/**
 * Converts the schema of a tool's input for model APIs (reads JSON Schema 2020-12 and draft-07). Alternatives at
 * the top become one object with all fields, and a note repeats them. The server still validates the input.
 */
export function adaptSchema(source: unknown): AdaptedSchema {
  const whole = sanitizeSchema(source);
  const root = followed(whole, whole);
  const shape = shapeOf(root, { whole, left: MAX_PARTS }, 0);
  const names = fieldNames([...shape.fields.keys()]);
  const nameOf = (field: string) => names.get(field) ?? field;
  const schema: Record<string, unknown> = { type: "object" };
  for (const key of KEPT) if (root[key] !== undefined) schema[key] = root[key];
  schema["properties"] = Object.fromEntries(
    [...shape.fields].map(([name, field]) => [nameOf(name), fieldSchema(field)]),
  );
  if (shape.required.size > 0) schema["required"] = [...shape.required].map(nameOf);
  const note = [
    ...sayInstead(root),
    ...[...names].filter(([from, to]) => from !== to).map(([from, to]) => `\`${to}\` is ${JSON.stringify(from)}.`),
  ].join("\n");
  const renamed = new Map([...names].filter(([from, to]) => from !== to).map(([from, to]) => [to, from]));
  return { schema, note: note.slice(0, MAX_SAID_CHARS).toWellFormed(), renamed };
}

/** The input with the server's own field names. */
export function restoreFields(input: JsonObject, renamed: AdaptedSchema["renamed"]): JsonObject {
  if (renamed.size === 0) return input;
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [renamed.get(name) ?? name, value]));
}

/** The fields of an object, each with every schema that is given for it, and the required ones. */
type Shape = { readonly fields: ReadonlyMap<string, readonly unknown[]>; readonly required: ReadonlySet<string> };

/** A server's schema, and how many of its parts may still be read. */
type Source = { readonly whole: JsonObject; left: number };

/** The shape of a schema with all parts and alternatives at its top. An alternative requires only what each of them does. */
function shapeOf(schema: JsonObject, source: Source, depth: number): Shape {
  const fields = new Map<string, readonly unknown[]>();
  const required = new Set(listOf(schema["required"]).filter((name) => typeof name === "string"));
  const add = (name: string, schemas: readonly unknown[]) =>
    fields.set(name, distinct([...(fields.get(name) ?? []), ...schemas]));
  const own = schema["properties"];
  for (const [name, field] of Object.entries(isJsonObject(own) ? own : {})) add(name, [field]);
  source.left -= 1;
  if (depth >= MAX_DEPTH || source.left <= 0) return { fields, required };
  for (const kind of ["allOf", "anyOf", "oneOf"]) {
    const shapes = listOf(schema[kind])
      .filter(isJsonObject)
      .map((part) => followed(part, source.whole))
      .filter(mayBeObject)
      .map((part) => shapeOf(part, source, depth + 1));
    for (const shape of shapes) for (const [name, schemas] of shape.fields) add(name, schemas);
    const isInAll = (name: string) => kind === "allOf" || shapes.every((shape) => shape.required.has(name));
    for (const name of shapes.flatMap((shape) => [...shape.required])) if (isInAll(name)) required.add(name);
  }
  return { fields, required };
}

/** The schema with the content that its reference names, within the same document. */
function followed(schema: JsonObject, whole: JsonObject): JsonObject {
  let at = schema;
  for (let count = 0; typeof at["$ref"] === "string" && count < MAX_DEPTH; count += 1) {
    const { $ref, ...own } = at;
    at = { ...resolved(String($ref), whole), ...own };
  }
  return at;
}

/** Resolves a JSON pointer (RFC 6901). */
function resolved(reference: string, whole: JsonObject): JsonObject | undefined {
  let place: unknown = whole;
  for (const step of reference.split("/").slice(1)) {
    const key = (decodedEscapes(step) ?? step).replaceAll("~1", "/").replaceAll("~0", "~");
    place =
      typeof place === "object" && place !== null && Object.hasOwn(place, key) ? Reflect.get(place, key) : undefined;
  }
  return isJsonObject(place) ? place : undefined;
}

function mayBeObject({ type }: JsonObject): boolean {
  return type === undefined || [type].flat().includes("object");
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function fieldSchema(schemas: readonly unknown[]): unknown {
  return schemas.length === 1 ? schemas[0] : { anyOf: schemas };
}

function distinct(schemas: readonly unknown[]): readonly unknown[] {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
}

function fieldNames(fields: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set(fields.filter((field) => FIELD_NAME.test(field)));
  const names = new Map<string, string>();
  for (const field of fields) {
    let name = field;
    if (!FIELD_NAME.test(field)) {
      const plain = field.replace(/[^A-Za-z0-9_.-]/g, "_").slice(0, 50);
      const hash = sha256(field).slice(0, 8);
      name = plain !== "" && plain.length < 50 && !taken.has(plain) ? plain : `${plain}_${hash}`;
      taken.add(name);
    }
    names.set(field, name);
  }
  return names;
}

function sayInstead(root: JsonObject): readonly string[] {
  const said = Object.fromEntries(SAID_INSTEAD.filter((key) => root[key] !== undefined).map((key) => [key, root[key]]));
  return Object.keys(said).length === 0 ? [] : [`The input as a whole must also fit ${JSON.stringify(said)}.`];
}
