import type { Finder, SecretMatch } from "./secret-match.ts";

/** The maximum number of values that are searched. */
const MAX_VALUES = 200;
const MIN_CHARS = 8;

/** Finds values known to be secret, such as those of this process's environment, in any context and encoding. */
export function knownValueFinder(values: readonly string[]): Finder {
  const wanted = [...new Set(values)].filter((value) => value.length >= MIN_CHARS).slice(0, MAX_VALUES);
  return (text) => wanted.flatMap((value) => placesOf(text, value));
}

function placesOf(text: string, value: string): readonly SecretMatch[] {
  const found: SecretMatch[] = [];
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + value.length)) {
    found.push({ start: at, end: at + value.length, kind: "environment" });
  }
  return found;
}
