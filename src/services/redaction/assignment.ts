import { isPassphrase, isWordy, looksLikePassword, looksRandom, mayBePassword } from "./judge-value.ts";
import type { Finder, SecretMatch } from "./secret-match.ts";

const PASSWORD = "pass(?:word|wd|phrase|code)?|pwd|pw";
const KEY_OWNERS =
  "api|app|access|account|admin|auth|client|consumer|deploy|encryption|enc|hmac|jwt|license|master|private|secret|service|session|shared|signing|storage|subscription|webhook";
const SEPARATOR =
  ":[ \\t]{0,4}[&*]?[A-Za-z]\\w{0,24}[ \\t]{0,4}=(?![=>])|=>|:=|[:=](?![=:])|(?<=[\"'][ \\t]{0,4}),(?=[ \\t]{0,4}[\"'])";
/** A name that ends in a secret word, followed by the separator before the value. */
const NAMED = new RegExp(
  `(${PASSWORD}|secret|token|(?:${KEY_OWNERS})[_.-]?key|credentials?|_auth)(?:[_-]?(?:base64|b64|base|value|\\d{1,2}))?(?:\\\\?["'])?\\]?(?:\\[\\])?\\??[ \\t]{0,20}(${SEPARATOR})[ \\t]{0,20}`,
  "gi",
);
/** Names that look secret but mean an index, a source token or the like. */
const HARMLESS_NAME =
  /(?:next|prev|previous|page|paging|pagination|continuation|sync|cursor|cancel|cancellation|idempotency|request|change|snapshot|resume|scroll|marker|start|end|first|last|current|type|kind|public|css|lex|syntax|parse|design|color|theme|text)[_.-]?token$|public[_.-]?(?:access|api|app|auth|client)?[_.-]?key$/i;
const NAME_SIGN = /[\w.$-]/;
const MAX_NAME_CHARS = 80;
const MAX_LEAD_CHARS = 300;
const MAX_VALUE_CHARS = 8_192;
const VALUE_REST = /[^\s"'`]{1,1000000}/y;
const MAX_VALUES_PER_RUN = 16;
/** The minimum length of a random value with a secret's name that is quoted or on its own line. */
const MIN_TOKEN_CHARS = 12;
/** Text before a name that opens its line: tool prefixes, a list dash, `export`. */
const LINE_LEAD =
  /^(?:.*?[:-]\d{1,7}[:-]|[ \t]*\d{1,7}(?:\t|→|\|)|[+-])?[ \t]*(?:- +)?["']?(?:export +|set +|ENV +|ARG +|declare -x +|setx? +|\$env:|-e +)?$/;
const QUOTE = /[bruf@]?(\\?["'`])/iy;
const BARE_END = /[\s"'`,;(){}<>[\]|\\&]/g;
/** The end of a variable's value, as a shell or container reads it. */
const VARIABLE_END = /[\s"'`;]/g;
/** Source code that has a line for itself: a call, an index, a path through objects. */
const CALL = /^[\w.$]+(?:\(.*\)|[[{].*)[!?]?$/;
const MEMBER = /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+$/;
const LINE_COMMENT = /[ \t]+(?:#|\/\/|;).*$/;

type Named = {
  /** Where the value begins. */
  readonly at: number;
  readonly isPassword: boolean;
  /** True if the name is in capitals, like an environment variable. */
  readonly isVariable: boolean;
  readonly opensLine: boolean;
  /** `=` with nothing around it. */
  readonly isTight: boolean;
};
type Range = { readonly start: number; readonly end: number };

/**
 * Values of names such as `password`, `api_key` or `GH_TOKEN`, in any notation: environment files, JSON, YAML,
 * properties, Terraform, source code, options of commands, queries of URLs. The more certain the notation, the less
 * the value itself must look like a secret.
 */
export const assignmentFinder: Finder = (text) => {
  const found: SecretMatch[] = [];
  const bareEnd = bareEnds(text, BARE_END);
  const variableEnd = bareEnds(text, VARIABLE_END);
  for (const match of text.matchAll(NAMED)) {
    const named = readName(text, match);
    const value =
      named &&
      (quotedValue(text, named) ?? bareValue(text, named, named.isVariable && named.isTight ? variableEnd : bareEnd));
    if (named && value) found.push({ ...whole(text, value), kind: named.isPassword ? "password" : "token" });
  }
  return found;
};

/** A value that is longer than what was read is hidden to its end. */
function whole(text: string, { start, end }: Range): Range {
  if (end - start < MAX_VALUE_CHARS) return { start, end };
  VALUE_REST.lastIndex = end;
  return { start, end: end + (VALUE_REST.exec(text)?.[0].length ?? 0) };
}

function readName(text: string, match: RegExpExecArray): Named | undefined {
  const [whole, word = "", separator = ""] = match;
  let start = match.index;
  const floor = Math.max(0, start - MAX_NAME_CHARS);
  while (start > floor && NAME_SIGN.test(text[start - 1] ?? "")) start -= 1;
  const name = text.slice(start, match.index + word.length);
  if (HARMLESS_NAME.test(name) || !isOwnWord(text, match.index, word)) return undefined;
  const before = text.slice(Math.max(0, start - MAX_LEAD_CHARS - 1), start);
  const lineBreak = before.lastIndexOf("\n");
  const seesLineStart = lineBreak !== -1 || start <= MAX_LEAD_CHARS;
  return {
    at: match.index + whole.length,
    isPassword: /^p/i.test(word) && !/key$/i.test(word),
    isVariable: /^[A-Z][A-Z0-9_]*$/.test(name),
    opensLine: seesLineStart && LINE_LEAD.test(before.slice(lineBreak + 1)),
    isTight: separator === "=" && whole.endsWith("=") && !/[ \t]/.test(whole.slice(word.length)),
  };
}

/** `pass` and `pw` are the end of other words too: `bypass`. In `dbPass`, a capital starts the word. */
function isOwnWord(text: string, at: number, word: string): boolean {
  if (!/^(?:pass|pwd|pw)$/i.test(word)) return true;
  const before = text[at - 1] ?? "";
  return !/[A-Za-z]/.test(before) || (/[a-z]/.test(before) && /^[A-Z][a-z]/.test(word));
}

function quotedValue(text: string, { at, isPassword, isTight, isVariable, opensLine }: Named): Range | undefined {
  QUOTE.lastIndex = at;
  const opening = QUOTE.exec(text);
  if (!opening) return undefined;
  const quote = opening[1] ?? "";
  const start = at + opening[0].length;
  const end = closingQuote(text, start, quote);
  if (end === undefined) return undefined;
  const value = text.slice(start, end);
  if (!isPassword) return looksRandom(value, MIN_TOKEN_CHARS) ? { start, end } : undefined;
  return looksLikePassword(value) || (isTight && isVariable && opensLine && isPassphrase(value))
    ? { start, end }
    : undefined;
}

/** The offset of the quote that ends a value on the same line. */
function closingQuote(text: string, start: number, quote: string): number | undefined {
  const limit = Math.min(text.length, start + MAX_VALUE_CHARS);
  for (let at = start; at < limit; at += 1) {
    const sign = text[at];
    if (sign === "\n") return undefined;
    if (text.startsWith(quote, at)) return at;
    if (sign === "\\") at += 1;
  }
  return undefined;
}

function bareValue(text: string, named: Named, bareEnd: BareEnd): Range | undefined {
  const { at: start, isPassword, isTight, opensLine } = named;
  const whole = opensLine ? restOfLine(text, start) : "";
  if (whole !== "" && !/\s/.test(whole) && !/[,;)]$/.test(whole)) {
    return isSureValue(whole, named) ? { start, end: start + whole.length } : undefined;
  }
  const end = bareEnd(start);
  if (end === undefined || text[end] === "(" || text[end] === "[") return undefined;
  const value = text.slice(start, end);
  if (isPassword && isTight) return looksLikePassword(value) ? { start, end } : undefined;
  return looksRandom(value) && !isIdentifier(value) ? { start, end } : undefined;
}

/** Name and value have a line for themselves. */
function isSureValue(value: string, { isPassword, isTight, isVariable }: Named): boolean {
  if (CALL.test(value) || (MEMBER.test(value) && isWordy(value))) return false;
  if (!isPassword) return looksRandom(value, MIN_TOKEN_CHARS);
  return isVariable && isTight ? mayBePassword(value) : looksLikePassword(value);
}

function restOfLine(text: string, start: number): string {
  const ahead = text.slice(start, start + MAX_VALUE_CHARS);
  const found = ahead.indexOf("\n");
  const line = (found === -1 ? ahead : ahead.slice(0, found)).trimEnd();
  return line.replace(LINE_COMMENT, "").trimEnd();
}

/** A name in source code contains digits in at most one place: `base64Key`. */
function isIdentifier(value: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(value) && (value.match(/\d+/g) ?? []).length < 2;
}

type BareEnd = (at: number) => number | undefined;

/**
 * The end of an unquoted value. Values that share an end are scanned once, and only the first few are checked, so that
 * a text full of names takes no longer.
 */
function bareEnds(text: string, ending: RegExp): BareEnd {
  let known = -1;
  let asked = 0;
  return (at) => {
    if (at > known) {
      ending.lastIndex = at;
      known = ending.exec(text)?.index ?? text.length;
      asked = 0;
    }
    asked += 1;
    return asked > MAX_VALUES_PER_RUN ? undefined : Math.min(known, at + MAX_VALUE_CHARS);
  };
}
