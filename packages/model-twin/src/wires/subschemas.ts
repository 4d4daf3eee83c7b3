import { at, isObject } from "../shape.ts";

export type Schema = Readonly<Record<string, unknown>>;

/** The schemas inside a schema, with their places. */
export function* subschemas(
  schema: Schema,
  where: string,
): Generator<{ readonly schema: Schema; readonly where: string }> {
  yield { schema, where };
  for (const name of ["properties", "$defs", "definitions"]) {
    const group = schema[name];
    if (!isObject(group)) continue;
    for (const [key, value] of Object.entries(group)) {
      if (isObject(value)) yield* subschemas(value, at(at(where, name), key));
    }
  }
  if (isObject(schema["items"])) yield* subschemas(schema["items"], at(where, "items"));
  for (const name of ["anyOf", "oneOf", "allOf"]) {
    const list = schema[name];
    if (!Array.isArray(list)) continue;
    for (const [index, value] of list.entries()) {
      if (isObject(value)) yield* subschemas(value, at(at(where, name), index));
    }
  }
}
