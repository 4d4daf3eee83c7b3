import { isJsonObject, type JsonObject } from "../../../contracts/message.ts";

/** Maximum depth of nested alternatives and chained references. */
const MAX_DEPTH = 16;

/** The constraints of one field: all of `every`, and one of `some`. */
export type Field = { readonly every: readonly unknown[]; readonly some: readonly unknown[] };

/** Alternatives: exactly one (`oneOf`) or at least one (`anyOf`) applies. */
export type Forms = { readonly kind: "anyOf" | "oneOf"; readonly shapes: readonly Shape[] };

/** An object schema with the alternatives at its top merged. */
export type Shape = {
  readonly fields: ReadonlyMap<string, Field>;
  /** Fields that every alternative requires. */
  readonly required: ReadonlySet<string>;
  readonly forms: readonly Forms[];
  /** True if no alternative allows other fields. */
  readonly isClosed: boolean;
};

/** The shape of an object schema. Follows references at its top, not inside fields. */
export function collectShape(root: JsonObject): Shape {
  return shapeOf(root, { root, depth: 0 });
}

type Place = { readonly root: JsonObject; readonly depth: number };

function shapeOf(schema: JsonObject, place: Place): Shape {
  const inside = { ...place, depth: place.depth + 1 };
  const fields = new Map<string, Field>();
  const required = new Set(stringsOf(schema["required"]));
  const forms: Forms[] = [];
  let isClosed = schema["additionalProperties"] === false;
  for (const [name, value] of Object.entries(objectOf(schema["properties"]))) addEvery(fields, name, [value]);
  if (place.depth >= MAX_DEPTH) return { fields, required, forms, isClosed };

  for (const part of [...partsOf(schema, place)]) {
    const shape = shapeOf(part, inside);
    for (const [name, field] of shape.fields) {
      addEvery(fields, name, field.every);
      addSome(fields, name, field.some);
    }
    for (const name of shape.required) required.add(name);
    forms.push(...shape.forms);
    isClosed ||= shape.isClosed;
  }
  for (const kind of ["anyOf", "oneOf"] as const) {
    const shapes = listOf(schema[kind])
      .filter(mayBeObject)
      .map((part) => shapeOf(part, inside));
    if (shapes.length === 0) continue;
    // A part that allows additional fields does not close the object; a list with such a part does not either.
    isClosed ||= shapes.every((shape) => shape.isClosed);
    addForms({ fields, required, forms }, { kind, shapes });
  }
  return { fields, required, forms, isClosed };
}

type Growing = { readonly fields: Map<string, Field>; readonly required: Set<string>; readonly forms: Forms[] };

function addForms({ fields, required, forms }: Growing, added: Forms): void {
  const [only] = added.shapes;
  for (const shape of added.shapes)
    for (const [name, { every, some }] of shape.fields) addSome(fields, name, [...every, ...some]);
  for (const name of only?.required ?? [])
    if (added.shapes.every((shape) => shape.required.has(name))) required.add(name);
  if (added.shapes.length > 1) forms.push(added);
  else forms.push(...(only?.forms ?? []));
}

/** The constraints besides the schema's own: the target of its reference, and all of `allOf`. */
function partsOf(schema: JsonObject, { root }: Place): readonly JsonObject[] {
  const target = typeof schema["$ref"] === "string" ? resolve(schema["$ref"], root) : undefined;
  return [...(target ? [target] : []), ...listOf(schema["allOf"])];
}

/** Resolves a JSON pointer within the same schema (RFC 6901). */
function resolve(reference: string, root: JsonObject): JsonObject | undefined {
  if (!reference.startsWith("#")) return undefined;
  let place: unknown = root;
  for (const step of reference.slice(1).split("/").slice(1)) {
    const key = decodeURIComponent(step.replace(/%(?![0-9A-Fa-f]{2})/g, "%25"))
      .replaceAll("~1", "/")
      .replaceAll("~0", "~");
    place =
      typeof place === "object" && place !== null && Object.hasOwn(place, key) ? Reflect.get(place, key) : undefined;
  }
  return isJsonObject(place) ? place : undefined;
}

function addEvery(fields: Map<string, Field>, name: string, schemas: readonly unknown[]): void {
  const known = fields.get(name);
  fields.set(name, { every: merged(known?.every, schemas), some: known?.some ?? [] });
}

function addSome(fields: Map<string, Field>, name: string, schemas: readonly unknown[]): void {
  const known = fields.get(name);
  fields.set(name, { every: known?.every ?? [], some: merged(known?.some, schemas) });
}

function merged(known: readonly unknown[] = [], added: readonly unknown[]): readonly unknown[] {
  const texts = new Set(known.map((schema) => JSON.stringify(schema)));
  return [...known, ...added.filter((schema) => !texts.has(JSON.stringify(schema)))];
}

function mayBeObject(schema: JsonObject): boolean {
  const type = schema["type"];
  return type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function stringsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
