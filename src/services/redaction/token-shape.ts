import { holdsToken, TOKEN_SHAPES } from "../../platform/processes/token-shapes.ts";
import { isDummyValue } from "./judge-value.ts";
import type { Finder, SecretMatch } from "./secret-match.ts";

/** RFC 7515: three parts in base64url, the first a JSON object with an `alg`. */
const JWT = /(?<![\w-])eyJ[\w-]{8,2000}\.[\w-]{2,16000}\.[\w-]{8,2000}/g;
const MAX_HEADER_CHARS = 2_000;
const WORD_REST = /[\w-]{1,16384}/y;

/** Finds credentials by their form: the table in platform/processes/token-shapes.ts. */
export const tokenShapeFinder: Finder = (text) =>
  holdsToken(text) ? TOKEN_SHAPES.flatMap((shape) => matchesOf(text, shape)) : [];

function matchesOf(text: string, { kind, pattern, group }: (typeof TOKEN_SHAPES)[number]): readonly SecretMatch[] {
  const found: SecretMatch[] = [];
  for (const match of text.matchAll(pattern)) {
    const value = match[group ?? 0] ?? "";
    const start = match.index + match[0].lastIndexOf(value);
    if (!isDummyValue(value)) found.push({ start, end: endOfWord(text, start + value.length), kind });
  }
  return found;
}

/** The end of the word that a token begins: a token that is longer than its shape must not keep its end. */
function endOfWord(text: string, from: number): number {
  WORD_REST.lastIndex = from;
  return from + (WORD_REST.exec(text)?.[0].length ?? 0);
}

/** Finds JSON web tokens by their header. */
export const jwtFinder: Finder = (text) =>
  text.includes("eyJ")
    ? [...text.matchAll(JWT)].flatMap(({ 0: token, index: start }) =>
        hasJwtHeader(token) ? [{ start, end: endOfWord(text, start + token.length), kind: "jwt" }] : [],
      )
    : [];

function hasJwtHeader(token: string): boolean {
  try {
    const [header = ""] = token.slice(0, MAX_HEADER_CHARS).split(".", 1);
    const value: unknown = JSON.parse(Buffer.from(header, "base64url").toString("utf8"));
    return typeof value === "object" && value !== null && "alg" in value;
  } catch {
    return false;
  }
}
