import type { JsonObject } from "../../../contracts/message.ts";
import { sha256 } from "../../../platform/digest.ts";
import { sanitizeSchema } from "./sanitize-schema.ts";
import { collectShape, type Field, type Forms, type Shape } from "./schema-shape.ts";

/** Field names of a tool's input that model APIs accept. */
const FIELD_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
/** Keywords that APIs reject at the top of a schema and that become a description instead. */
const SAID_INSTEAD = [
  "not",
  "enum",
  "const",
  "if",
  "then",
  "else",
  "dependentRequired",
  "dependentSchemas",
  "dependencies",
];
const KEPT = ["description", "title", "additionalProperties", "patternProperties", "$defs", "definitions"];
const MAX_SAID_CHARS = 1_500;

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
 * the top become one object with all fields, and a note lists the valid combinations. The server still validates the input.
 */
export function adaptSchema(source: unknown): AdaptedSchema {
  const root = sanitizeSchema(source);
  const shape = collectShape(root);
  const names = fieldNames([...shape.fields.keys()]);
  const nameOf = (field: string) => names.get(field) ?? field;
  const schema: Record<string, unknown> = { type: "object" };
  for (const key of KEPT) if (root[key] !== undefined) schema[key] = root[key];
  if (shape.isClosed && schema["additionalProperties"] === undefined) schema["additionalProperties"] = false;
  schema["properties"] = Object.fromEntries(
    [...shape.fields].map(([name, field]) => [nameOf(name), fieldSchema(field)]),
  );
  if (shape.required.size > 0) schema["required"] = [...shape.required].map(nameOf);
  const note = [
    ...shape.forms.map((forms) => describeForms(forms, nameOf)),
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

function fieldSchema({ every, some }: Field): unknown {
  const alternatives = some.length > 1 ? [{ anyOf: some }] : some;
  const parts = distinct([...every, ...alternatives]);
  return parts.length === 1 ? parts[0] : parts.length === 0 ? {} : { allOf: parts };
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

function describeForms({ kind, shapes }: Forms, nameOf: (field: string) => string): string {
  const head =
    kind === "oneOf" ? "Give exactly one of these sets of fields" : "Give at least one of these sets of fields";
  const sets = shapes.map((shape, index) => `(${index + 1}) ${describeShape(shape, nameOf)}`);
  return `${head} (? marks what may be left out): ${sets.join("; ")}.`;
}

function describeShape(shape: Shape, nameOf: (field: string) => string): string {
  const names = new Set([...shape.required, ...shape.fields.keys()]);
  const fields = [...names].map((name) => {
    const fixed = [...(shape.fields.get(name)?.every ?? [])].flatMap(fixedValue);
    return `\`${nameOf(name)}\`${shape.required.has(name) ? "" : "?"}${fixed.length > 0 ? ` = ${fixed[0]}` : ""}`;
  });
  const inner = shape.forms.map((forms) => describeForms(forms, nameOf));
  return [fields.join(", ") || "no field of its own", ...inner].join("; ");
}

function fixedValue(schema: unknown): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  if ("const" in schema) return [JSON.stringify(schema.const)];
  if ("enum" in schema && Array.isArray(schema.enum) && schema.enum.length === 1)
    return [JSON.stringify(schema.enum[0])];
  return [];
}

function sayInstead(root: JsonObject): readonly string[] {
  const said = Object.fromEntries(SAID_INSTEAD.filter((key) => root[key] !== undefined).map((key) => [key, root[key]]));
  return Object.keys(said).length === 0 ? [] : [`The input as a whole must also fit ${JSON.stringify(said)}.`];
}
