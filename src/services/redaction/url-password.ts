import { findUrlPasswords } from "../../platform/processes/url-passwords.ts";
import { isDummyValue } from "./judge-value.ts";
import type { Finder } from "./secret-match.ts";

const MIN_CHARS = 4;
/** Passwords of documentation and tests, besides one that repeats the user name. */
const EXAMPLE_PASSWORD =
  /^(?:pass(?:word|wd)?|pwd|pw|secret|token|postgres|mysql|root|admin|test|guest|user|mypassword|x-oauth-basic|basic|oauth2|\d{1,5})$/i;
/** A user name that is itself a token, as some git hosts accept. */
const TOKEN_AS_USER = /:\/\/([A-Za-z0-9_-]{30,256})(?::x-oauth-basic)?@/g;

/** Finds only the passwords in URLs and connection strings: the rest of the URL stays readable. */
export const urlPasswordFinder: Finder = (text) => [
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
