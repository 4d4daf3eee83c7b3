import { anything, type Check, type Fields, isObject, object } from "../../shape.ts";
import type { OpenAiOptions } from "./options.ts";

/** The check of a whole body. What the API doesn't know is refused, unless the options say otherwise. */
export function topLevel(
  required: Fields,
  optional: Fields,
  { refuseUnknownFields = true, extraFields = [] }: OpenAiOptions,
  hint: (name: string) => string | undefined,
): Check {
  return (value, where, report) => {
    const given = isObject(value) && !refuseUnknownFields ? Object.keys(value) : [];
    const strange = [...extraFields, ...given].filter((name) => !Object.hasOwn(optional, name));
    const accepted = Object.fromEntries(strange.map((name) => [name, anything]));
    object(required, { ...accepted, ...optional }, hint)(value, where, report);
  };
}
