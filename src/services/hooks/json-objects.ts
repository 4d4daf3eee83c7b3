import type { JsonObject } from "../../contracts/message.ts";
import { parsedObject } from "../../contracts/parsed-json.ts";

/** The search ends after these many characters, counted each time that one is looked at. */
const MAX_STEPS = 20_000_000;
/** The beginning of a JSON object; a brace of other text rarely has this form. */
const START = /\{\s*["}]/g;

/** The JSON objects in a text, in their order, without the objects inside them; and the text without the objects. */
export function jsonObjectsIn(text: string): { readonly objects: readonly JsonObject[]; readonly rest: string } {
  const objects: JsonObject[] = [];
  const rest: string[] = [];
  let steps = 0;
  let next = 0;
  for (const { index } of text.matchAll(START)) {
    if (index < next || steps > MAX_STEPS) continue;
    const end = objectEnd(text, index);
    steps += (end ?? text.length) - index;
    const value = end === undefined ? undefined : parsedObject(text.slice(index, end));
    if (!value || end === undefined) continue;
    objects.push(value);
    rest.push(text.slice(next, index));
    next = end;
  }
  return { objects, rest: [...rest, text.slice(next)].join("") };
}

/** The object with which a text begins, and the text after it; undefined until the text holds all of the object. */
export function leadingObject(text: string): { readonly value: JsonObject; readonly rest: string } | undefined {
  const start = text.search(/\S/);
  const end = start >= 0 && text[start] === "{" ? objectEnd(text, start) : undefined;
  const value = end === undefined ? undefined : parsedObject(text.slice(start, end));
  return value && { value, rest: text.slice(end) };
}

/** The index after the brace that closes the one at `start`; undefined if the text ends before. */
function objectEnd(text: string, start: number): number | undefined {
  let depth = 0;
  let isInString = false;
  for (let at = start; at < text.length; at += 1) {
    const sign = text[at];
    if (isInString) {
      if (sign === "\\") at += 1;
      else if (sign === '"') isInString = false;
      // A string of JSON ends on its line.
      else if (sign === "\n") return undefined;
    } else if (sign === '"') isInString = true;
    else if (sign === "{") depth += 1;
    else if (sign === "}") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}
