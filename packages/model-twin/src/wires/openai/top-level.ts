import { anything, type Check, type Fields, isObject, object } from "../../shape.ts";
import type { OpenAiOptions } from "./options.ts";

/**
 * Makes the check of a whole request body. Fields that the API doesn't know are refused, unless the options say
 * otherwise.
 */
export function topLevel(
  required: Fields,
  optional: Fields,
  { refuseUnknownFields = true, extraFields = [], missingFields = [] }: OpenAiOptions,
  hint: (name: string) => string | undefined,
): Check {
  const known = Object.fromEntries(Object.entries(optional).filter(([name]) => !missingFields.includes(name)));
  return (value, where, report) => {
    const given = isObject(value) && !refuseUnknownFields ? Object.keys(value) : [];
    const strange = [...extraFields, ...given].filter((name) => !Object.hasOwn(known, name));
    const accepted = Object.fromEntries(strange.map((name) => [name, anything]));
    object(required, { ...accepted, ...known }, hint)(value, where, report);
  };
}
