import { keyedHash } from "../../platform/digest.ts";
import type { Finder, SecretMatch } from "./secret-match.ts";

/** Hexadecimal digits of a placeholder's name: 48 bits. */
const NAME_DIGITS = 12;
const MAX_KIND_CHARS = 32;
/**
 * Contains no character that JSON, a shell's double quotes or XML escape, or that a model changes when it repeats the
 * text.
 */
const PLACEHOLDER = new RegExp(`\\[\\[SECRET:[a-z0-9-]{1,${MAX_KIND_CHARS}}:([0-9a-f]{${NAME_DIGITS}})\\]\\]`, "g");

export type PlacedPlaceholder = {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The keyed hash in the placeholder. */
  readonly name: string;
};

/**
 * The name of a value: the start of its HMAC-SHA-256 (RFC 2104) under a key of this user. The same value has the same name
 * in every session; without the key, a guess at the value can't be checked.
 */
export function nameOf(identity: string, key: Uint8Array): string {
  return keyedHash(identity, key).slice(0, NAME_DIGITS);
}

/** The placeholder of a value: `[[SECRET:github:7f3a91c2d04e]]`. */
export function placeholderFor(kind: string, name: string): string {
  return `[[SECRET:${kind.slice(0, MAX_KIND_CHARS)}:${name}]]`;
}

/** All placeholder-like parts of a text, in order. */
export function findPlaceholders(text: string): readonly PlacedPlaceholder[] {
  if (!text.includes("[[SECRET:")) return [];
  return [...text.matchAll(PLACEHOLDER)].map((match) => ({
    text: match[0],
    start: match.index,
    end: match.index + match[0].length,
    name: match[1] ?? "",
  }));
}

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
