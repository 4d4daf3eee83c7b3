import { parsedObject } from "../../contracts/parsed-json.ts";
import { holdsToken, TOKEN_SHAPES, withoutEscapes } from "../../platform/processes/token-shapes.ts";
import { findUrlPasswords } from "../../platform/processes/url-passwords.ts";
import { assignmentFinder } from "./assignment.ts";
import { contextFinder } from "./context-rules.ts";
import { isDummyValue } from "./judge-value.ts";
import { kubernetesSecretFinder } from "./kubernetes-secret.ts";
import { namedPairFinder } from "./named-pair.ts";
import { findPlaceholders, knownValueFinder } from "./placeholder.ts";
import { privateKeyFinder } from "./private-key.ts";
import type { Finder, SecretMatch } from "./secret-match.ts";

/** Finders, most specific first: the first that finds a credential names its kind. */
export function secretFinder(ruleSet: Finder, knownValues: readonly string[], remembered: Finder = () => []): Finder {
  const finders = [
    privateKeyFinder,
    tokenShapeFinder,
    ruleSet,
    jwtFinder,
    urlPasswordFinder,
    kubernetesSecretFinder,
    contextFinder,
    namedPairFinder,
    assignmentFinder,
  ];
  const byShape = [tokenShapeFinder, ruleSet, jwtFinder];
  const known = knownValueFinder(knownValues);
  const guess = (text: string) => {
    const plain = withoutEscapes(text);
    const guessed = [
      ...finders.flatMap((find) => find(text)),
      ...(plain === text ? [] : byShape.flatMap((find) => find(plain))),
    ];
    return guessed.filter((match) => !isPublished(text, match));
  };
  return (text) => {
    const found = [...guess(text), ...known(text), ...remembered(text)];
    return found.length === 0 ? found : merge(text, outsidePlaceholders(text, found));
  };
}

/** Drops matches that are placeholders or that match only because they contain one. */
function outsidePlaceholders(text: string, found: readonly SecretMatch[]): readonly SecretMatch[] {
  const taken = findPlaceholders(text);
  if (taken.length === 0) return found;
  let first = 0;
  return [...found]
    .sort((a, b) => a.start - b.start)
    .filter(({ start, end }) => {
      while (first < taken.length && (taken[first]?.end ?? 0) <= start) first += 1;
      const next = taken[first];
      return next === undefined || next.start >= end;
    });
}

/** Sorted and without overlap: two overlapping matches become one that covers both. */
function merge(text: string, found: readonly SecretMatch[]): readonly SecretMatch[] {
  const ranked = found.map((match, rank) => ({ match, rank }));
  ranked.sort((a, b) => a.match.start - b.match.start || b.match.end - a.match.end || a.rank - b.rank);
  const merged: SecretMatch[] = [];
  for (const { match } of ranked) {
    const last = merged.at(-1);
    if (!last || match.start >= last.end) merged.push(match);
    else if (match.end > last.end) merged[merged.length - 1] = { start: last.start, end: match.end, kind: last.kind };
  }
  return merged.filter(({ start, end }) => text.slice(start, end).trim() !== "");
}

/**
 * Keys published in their issuers' documentation, assembled here so that no scanner reports them as a leak: Stripe's
 * documents, AWS's documents, the example of jwt.io, the emulators of Azure Storage and Cosmos DB, the test keys of
 * reCAPTCHA, hCaptcha and Turnstile.
 */
const DOCUMENTED: ReadonlySet<string> = new Set(
  [
    ["sk_test_", "4eC39HqLyjWDarjtT1zdp7dc"],
    ["sk_test_", "BQokikJOvBiI2HlWgH4olfQ2"],
    ["sk_test_", "26PHem9AhJZvU623DfE1x4sd"],
    ["AKIAIOSFODNN7", "EXAMPLE"],
    ["wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYEXAMPLEKEY"],
    [
      "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ",
      ".SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
    ],
    ["Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/", "K1SZFPTOtr/KBHBeksoGMGw=="],
    ["C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPM", "bIZnqyMsEcaGQy67XIw/Jw=="],
    ["6LeIxAcTAAAAAGG-", "vFI1TnRWxMZNFuojJ4WifJWe"],
    ["6LeIxAcTAAAAAJcZ", "VRqyHh71UMIEGNQ_MXjiZKhI"],
    ["0x00000000000000000000", "00000000000000000000"],
    ["1x00000000000000000000", "00000000000AA"],
  ].map((parts) => parts.join("")),
);

/** The distance around a value in which signs of a public value are searched. */
const AROUND_CHARS = 400;
/** Names of settings that a bundler includes in web pages. */
const PUBLIC_NAME =
  /(?:NEXT_PUBLIC|NUXT_PUBLIC|EXPO_PUBLIC|REACT_APP|VITE|GATSBY|PUBLIC)_\w{0,60}(?:KEY|TOKEN|ID|DSN|URL)["']?[ \t]{0,4}[:=][ \t]{0,4}["']?$/;
/** Firebase's web settings identify the project and grant no access. */
const FIREBASE = /authDomain|messagingSenderId|firebaseapp\.com|"current_key"/;
/** Sentry's report URL: `https://<public key>@host/<project>`. */
const REPORT_ADDRESS = /^@[\w.-]{1,253}(?::\d{1,5})?\/\d{1,20}(?![\w/])/;
/** Kinds for which a public name is sufficient; a value in the form of a secret key stays secret. */
const UNSURE_KINDS: ReadonlySet<string> = new Set(["token", "google-api-key", "jwt"]);

/** True if a match is public: a value from an issuer's documentation, or a key or URL included in web pages. */
function isPublished(text: string, { start, end, kind }: SecretMatch): boolean {
  const value = text.slice(start, end);
  if (DOCUMENTED.has(value)) return true;
  const before = text.slice(Math.max(0, start - AROUND_CHARS), start);
  if (UNSURE_KINDS.has(kind) && PUBLIC_NAME.test(before)) return true;
  const behind = text.slice(end, end + AROUND_CHARS);
  if (value.startsWith("AIza")) return FIREBASE.test(before) || FIREBASE.test(behind);
  return kind === "url-password" && /:\/\/$/.test(before) && REPORT_ADDRESS.test(behind);
}

/** RFC 7515: three parts in base64url, the first a JSON object with an `alg`. */
const JWT = /(?<![\w-])eyJ[\w-]{8,2000}\.[\w-]{2,16000}\.[\w-]{8,2000}/g;
const MAX_HEADER_CHARS = 2_000;
const WORD_REST = /[\w-]{1,16384}/y;

/** Finds credentials by their form: the table in platform/processes/token-shapes.ts. */
const tokenShapeFinder: Finder = (text) =>
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
const jwtFinder: Finder = (text) =>
  text.includes("eyJ")
    ? [...text.matchAll(JWT)].flatMap(({ 0: token, index: start }) =>
        hasJwtHeader(token) ? [{ start, end: endOfWord(text, start + token.length), kind: "jwt" }] : [],
      )
    : [];

function hasJwtHeader(token: string): boolean {
  const [header = ""] = token.slice(0, MAX_HEADER_CHARS).split(".", 1);
  const value = parsedObject(Buffer.from(header, "base64url").toString("utf8"));
  return value !== undefined && "alg" in value;
}

const MIN_CHARS = 4;
/** Passwords of documentation and tests, besides one that repeats the user name. */
const EXAMPLE_PASSWORD =
  /^(?:pass(?:word|wd)?|pwd|pw|secret|token|postgres|mysql|root|admin|test|guest|user|mypassword|x-oauth-basic|basic|oauth2|\d{1,5})$/i;
/** A user name that is itself a token, as some git hosts accept. */
const TOKEN_AS_USER = /:\/\/([A-Za-z0-9_-]{30,256})(?::x-oauth-basic)?@/g;

/** Finds only the passwords in URLs and connection strings: the rest of the URL stays readable. */
const urlPasswordFinder: Finder = (text) => [
  ...findUrlPasswords(text).flatMap(({ start, end, user }) => {
    const password = text.slice(start, end);
    const isExample = password.length < MIN_CHARS || password === user || EXAMPLE_PASSWORD.test(password);
    return isExample || isDummyValue(password) ? [] : [{ start, end, kind: "url-password" }];
  }),
  ...[...text.matchAll(TOKEN_AS_USER)].flatMap((match) => {
    const token = match[1] ?? "";
    const start = match.index + 3;
    return isDummyValue(token) || !/\d/.test(token) ? [] : [{ start, end: start + token.length, kind: "url-password" }];
  }),
];
