/** One token of a request. `raw` is the typed text, quotes included. */
export type Token =
  | { readonly kind: "word"; readonly text: string; readonly raw: string }
  /** The text between quotes or backticks, without escapes. */
  | { readonly kind: "quoted"; readonly text: string; readonly raw: string }
  /** `/source/flags` */
  | { readonly kind: "regexp"; readonly text: string; readonly flags: string; readonly raw: string }
  /** The end of a step: a new line, `;`, `then`, or `and` before another verb. */
  | { readonly kind: "separator"; readonly text: string; readonly raw: string };

type Positioned = { readonly token: Token; readonly start: number; readonly end: number };

/** The quote opened at `at` is never closed. */
export class UnclosedQuoteError extends Error {
  override name = "UnclosedQuoteError";
  constructor(
    readonly quote: string,
    readonly at: number,
  ) {
    super(`the quote ${quote} is opened but never closed`);
  }
}

const CLOSING: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "`": "`",
  "“": "”",
  "”": "”",
  "„": "”“",
  "‘": "’",
  "«": "»",
};
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\" };
const QUOTES = "\"'`“”„‘’«»";
/** Characters that may follow a closing quote. Before any other character, the quote belongs to the text, as in 'don't'. */
const BOUNDARY = /[\s;,.:!?)\]]/;
const REGEXP_FLAGS = /[imsu]*/y;

/**
 * Reads one token.
 * @param allowRegexp True if a word that begins with `/` may be a regular expression instead of a path.
 * @returns undefined at the end of the text.
 * @throws {UnclosedQuoteError}
 */
export function readToken(text: string, from: number, allowRegexp: boolean): Positioned | undefined {
  const start = skipBlanks(text, from);
  const first = text[start];
  if (first === undefined) return undefined;
  if (first === "\n" || first === ";") return positioned({ kind: "separator", text: first, raw: first }, start);
  if (isQuote(first)) return readQuoted(text, start, first);
  if (first !== "/" || !allowRegexp) return readWord(text, start);
  // An unclosed class is an error to report; it does not make the word a path.
  return readRegexp(text, start, true) ?? readRegexp(text, start, false) ?? readWord(text, start);
}

/** True if a character at the start of a word opens a quote. */
export function isQuote(sign: string | undefined): sign is string {
  return sign !== undefined && Object.hasOwn(CLOSING, sign);
}

export function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== "\n" && /\s/.test(text[at] ?? "")) at += 1;
  return at;
}

function positioned(token: Token, start: number): Positioned {
  return { token, start, end: start + token.raw.length };
}

function readWord(text: string, start: number): Positioned {
  let end = start;
  while (end < text.length && !/\s/.test(text[end] ?? "")) {
    // A semicolon inside a word belongs to the word; only a semicolon at its end separates steps.
    if (text[end] === ";" && /^(?:\s|$)/.test(text.slice(end + 1, end + 2))) break;
    end += 1;
  }
  const raw = text.slice(start, end);
  return positioned({ kind: "word", text: raw, raw }, start);
}

function readQuoted(text: string, start: number, quote: string): Positioned {
  const closing = CLOSING[quote] ?? quote;
  const parts: string[] = [];
  for (let at = start + 1; at < text.length; at += 1) {
    const sign = text[at] ?? "";
    if (sign === "\\" && quote !== "`") {
      const next = text[at + 1] ?? "";
      const meant = next !== "" && QUOTES.includes(next) ? next : ESCAPES[next];
      // An unknown escape is literal: `\d` and `C:\dir` stay as they are.
      parts.push(meant ?? `\\${next}`);
      at += 1;
      continue;
    }
    if (closing.includes(sign) && BOUNDARY.test(text[at + 1] ?? " ")) {
      const raw = text.slice(start, at + 1);
      return positioned({ kind: "quoted", text: parts.join(""), raw }, start);
    }
    parts.push(sign);
  }
  throw new UnclosedQuoteError(quote, start);
}

function readRegexp(text: string, start: number, hasClasses: boolean): Positioned | undefined {
  let inClass = false;
  for (let at = start + 1; at < text.length && text[at] !== "\n"; at += 1) {
    const sign = text[at];
    if (sign === "\\") at += 1;
    else if (sign === "[") inClass = hasClasses;
    else if (sign === "]") inClass = false;
    else if (sign === "/" && !inClass && at > start + 1) {
      REGEXP_FLAGS.lastIndex = at + 1;
      const flags = REGEXP_FLAGS.exec(text)?.[0] ?? "";
      const end = at + 1 + flags.length;
      if (!BOUNDARY.test(text[end] ?? " ")) continue;
      const source = text.slice(start + 1, at).replaceAll("\\/", "/");
      return positioned({ kind: "regexp", text: source, flags, raw: text.slice(start, end) }, start);
    }
  }
  return undefined;
}

/**
 * Finds the end of a shell command: a new line or the word `then` outside its quotes, or the end of the text.
 * `;` belongs to the shell.
 * @throws {UnclosedQuoteError}
 */
export function commandEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at] ?? "";
    if (sign === "\n") return at;
    if (sign === "\\") at += 1;
    else if (sign === '"' || sign === "'" || sign === "`") at = shellQuoteEnd(text, at, sign);
    else if (sign === "“" || sign === "‘") at = shellQuoteEnd(text, at, sign === "“" ? "”" : "’");
    else if (/\s/.test(sign) && isThen(text, at + 1)) return at;
  }
  return text.length;
}

function shellQuoteEnd(text: string, start: number, closing: string): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === "\\" && closing === '"') at += 1;
    else if (text[at] === closing) return at;
  }
  throw new UnclosedQuoteError(text[start] ?? "", start);
}

const THEN = /(?:and\s+)?then(?=[\s,:]|$)/iy;

function isThen(text: string, at: number): boolean {
  THEN.lastIndex = at;
  return THEN.test(text);
}
