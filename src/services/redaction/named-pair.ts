import { looksLikePassword, looksRandom, mayBePassword } from "./judge-value.ts";
import type { Finder, SecretMatch } from "./secret-match.ts";

/** A secret's name with its value at some distance. Each repetition is bounded. */
type PairRule = {
  /** Global; group 1 is the name, group 2 the value. */
  readonly pattern: RegExp;
  /** Texts without this lower-case word are skipped. */
  readonly word: string;
};

const PASSWORD_NAME = "[\\w.-]{0,60}(?:password|passwd|passphrase|pwd)[\\w.-]{0,20}";
const SECRET_NAME = `(?:${PASSWORD_NAME}|[\\w.-]{0,60}(?:secret|token|api[_-]?key|access[_-]?key|private[_-]?key)(?:[_-]?\\d)?)`;
const VALUE = "([^\\s\"'<>]{6,4096})";

const RULES: readonly PairRule[] = [
  // `- name: X` and `value: y` of Kubernetes and compose, `{"name": "X", "value": "y"}` of ECS and Docker, CloudFormation.
  {
    word: "value",
    pattern: new RegExp(
      `(?:name|key|parameterkey)["']?[ \\t]{0,4}[:=][ \\t]{0,4}["']?(${SECRET_NAME})["']?[ \\t]{0,20},?(?:\\r?\\n)?[ \\t]{0,60}["']?(?:value|parametervalue)["']?[ \\t]{0,4}[:=][ \\t]{0,4}["']?${VALUE}["']?`,
      "gi",
    ),
  },
  {
    word: "default",
    pattern: new RegExp(
      `\\bvariable[ \\t]{1,4}"(${SECRET_NAME})"[ \\t]{0,4}\\{[^{}]{0,400}?\\bdefault[ \\t]{0,20}=[ \\t]{0,4}"([^"\\n]{4,1024})"`,
      "gi",
    ),
  },
  // The value is on the next line, possibly in a block: `password: |`.
  {
    word: ":",
    pattern: new RegExp(
      `(?<![^\\n])[ \\t]{0,60}(?:- )?["']?(${SECRET_NAME})["']?:[ \\t]{0,4}(?:[|>][+-]?\\d?)?[ \\t]{0,4}\\r?\\n[ \\t]{1,60}["']?([^\\s"':#-][^\\s"']{4,1024}[^\\s"':])["']?[ \\t]{0,4}(?=\\r?\\n|$)`,
      "gi",
    ),
  },
  // A row of a table.
  {
    word: "|",
    pattern: new RegExp(
      `\\|[ \\t]{0,20}(${SECRET_NAME})[ \\t]{0,60}\\|[ \\t]{0,20}([^\\s|]{6,1024})[ \\t]{0,200}\\|`,
      "gi",
    ),
  },
  {
    word: "  ",
    pattern: new RegExp(
      `(?<![^\\n])[ \\t]{0,8}(${SECRET_NAME})[ \\t]{2,60}(\\S{8,1024})[ \\t]{0,8}(?=\\r?\\n|$)`,
      "gi",
    ),
  },
];

/** The minimum length of a random value that has a secret's name. */
const MIN_TOKEN_CHARS = 12;

/** Finds values whose name is on another line, or in another element or column. */
export const namedPairFinder: Finder = (text) => {
  const lower = text.toLowerCase();
  if (!/passw|passphrase|pwd|secret|token|key/.test(lower)) return [];
  return RULES.filter(({ word }) => lower.includes(word)).flatMap(({ pattern }) => matchesOf(text, pattern));
};

function matchesOf(text: string, pattern: RegExp): readonly SecretMatch[] {
  const found: SecretMatch[] = [];
  for (const match of text.matchAll(pattern)) {
    const [whole, name = "", value = ""] = match;
    const isPassword = /passw|passphrase|pwd/i.test(name);
    if (!(isPassword ? mayBeGiven(value) : looksRandom(value, MIN_TOKEN_CHARS))) continue;
    const start = match.index + whole.lastIndexOf(value);
    found.push({ start, end: start + value.length, kind: isPassword ? "password" : "token" });
  }
  return found;
}

function mayBeGiven(value: string): boolean {
  return looksLikePassword(value) || (/^\d{8,}$/.test(value) && mayBePassword(value));
}
