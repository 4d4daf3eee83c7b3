import { isCrlfLineEnd } from "./search-types.ts";

/** A pattern that our own search does not support, with the reason. */
type Untranslatable = { readonly refused: string };

const WORD = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}";
const IS_BOUNDARY = `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`;
const NO_BOUNDARY = `(?:(?<=[${WORD}])(?=[${WORD}])|(?<![${WORD}])(?![${WORD}]))`;
/** For use inside brackets; outside they get their own brackets. Unicode classes, like in ripgrep. */
const SETS: Readonly<Record<string, string>> = { d: "\\p{Nd}", w: WORD, s: "\\p{White_Space}" };
const CONTROLS: Readonly<Record<string, string>> = { n: "\\n", t: "\\t", r: "\\r", f: "\\f", v: "\\v" };

type Options = { readonly ignoreCase: boolean; readonly multiline: boolean };

/**
 * Translates the common part of ripgrep's regular expressions (Rust's regex crate) to JavaScript: letters,
 * `.`, classes, groups, alternatives, repetition, `^ $ \b \B \d \w \s` and their opposites, `(?i)` at the start. Rejects syntax with
 * another meaning in JavaScript, and patterns with exponential time (a repeated group that contains a repetition or alternatives).
 */
export function jsPattern(pattern: string, options: Options): RegExp | Untranslatable {
  const inlineCase = pattern.startsWith("(?i)");
  const reader = new PatternReader(inlineCase ? pattern.slice(4) : pattern, options.multiline, isCrlfLineEnd(pattern));
  const source = reader.read();
  if (typeof source !== "string") return source;
  try {
    return new RegExp(source, options.ignoreCase || inlineCase ? "giu" : "gu");
  } catch (error) {
    return { refused: error instanceof Error ? error.message : "it is not valid" };
  }
}

class Refusal extends Error {}

class PatternReader {
  #at = 0;
  #canRepeat = false;
  /** For each open group: whether it contains an unlimited repetition or alternatives. */
  readonly #groups: boolean[] = [];
  /** The same for the group that was just closed. */
  #closed = false;

  constructor(
    readonly pattern: string,
    readonly multiline: boolean,
    readonly isCrlf: boolean,
  ) {}

  read(): string | Untranslatable {
    try {
      const parts: string[] = [];
      while (this.#at < this.pattern.length) parts.push(this.#next());
      return parts.join("");
    } catch (error) {
      if (error instanceof Refusal) return { refused: error.message };
      throw error;
    }
  }

  #next(): string {
    const sign = String.fromCodePoint(this.pattern.codePointAt(this.#at) ?? 0);
    this.#at += sign.length;
    if (sign === "*" || sign === "+" || sign === "?" || sign === "{") return this.#repetition(sign);
    if (sign === ")") return this.#close();
    this.#closed = false;
    this.#canRepeat = sign !== "|" && sign !== "(" && sign !== "^" && sign !== "$";
    switch (sign) {
      case "\\":
        return this.#escape();
      case "[":
        return this.#set();
      case "(":
        return this.#open();
      case "|":
        this.#markGroup();
        return "|";
      case ".":
        return this.multiline ? "[^]" : "[^\\n]";
      case "^":
        return "(?<![^\\n])";
      case "$":
        return this.isCrlf ? "(?=\\r?\\n|$)(?<!\\r(?=\\n))" : "(?![^\\n])";
      case "\n":
        return this.#lineBreak();
      default:
        return literal(sign);
    }
  }

  #lineBreak(): string {
    if (!this.multiline) throw new Refusal('the literal "\\n" needs multiline');
    return "\\n";
  }

  #escape(): string {
    const sign = this.pattern[this.#at];
    if (sign === undefined) throw new Refusal("it ends in a backslash");
    this.#at += 1;
    if (sign === "b" || sign === "B") {
      if (/^\{/.test(this.pattern.slice(this.#at))) throw new Refusal("`\\b{…}` is not supported");
      this.#canRepeat = false;
      return sign === "b" ? IS_BOUNDARY : NO_BOUNDARY;
    }
    if (sign === "n") return this.#lineBreak();
    const lower = sign.toLowerCase();
    const set = SETS[lower];
    if (set) return sign === lower ? `[${set}]` : `[^${set}]`;
    return CONTROLS[sign] ?? literal(this.#plainSign(sign));
  }

  /** A character after a backslash that is only literal. */
  #plainSign(sign: string): string {
    if (/[\p{L}\p{N}<>]/u.test(sign)) throw new Refusal(`\`\\${sign}\` is not supported`);
    return sign;
  }

  #open(): string {
    const rest = this.pattern.slice(this.#at);
    if (rest.startsWith("?") && !rest.startsWith("?:"))
      throw new Refusal("look-around, flags and named groups are not supported");
    if (rest.startsWith("?:")) this.#at += 2;
    this.#groups.push(false);
    return "(?:";
  }

  #close(): string {
    const inside = this.#groups.pop();
    if (inside === undefined) throw new Refusal("a `)` has no `(`");
    if (inside) this.#markGroup();
    this.#closed = inside;
    this.#canRepeat = true;
    return ")";
  }

  #markGroup(): void {
    if (this.#groups.length > 0) this.#groups[this.#groups.length - 1] = true;
  }

  #repetition(sign: string): string {
    if (!this.#canRepeat) throw new Refusal(`\`${sign}\` repeats nothing; a plain one is written \`\\${sign}\``);
    const times = sign === "{" ? this.#times() : sign;
    const isEndless =
      times === "*" || times === "+" || times.endsWith(",}") || Number(/(\d+)\}$/.exec(times)?.[1] ?? 0) > 10;
    if (isEndless && this.#closed)
      throw new Refusal("a repeated group that holds a repetition or alternatives could take for ever");
    if (isEndless) this.#markGroup();
    this.#canRepeat = false;
    this.#closed = false;
    if (this.pattern[this.#at] !== "?") return times;
    this.#at += 1;
    return `${times}?`;
  }

  #times(): string {
    const counted = /^\d+(?:,\d*)?\}/.exec(this.pattern.slice(this.#at))?.[0];
    if (!counted) throw new Refusal("a `{` that begins no repetition is written `\\{`");
    this.#at += counted.length;
    return `{${counted}`;
  }

  #set(): string {
    const parts: string[] = [];
    if (this.pattern[this.#at] === "^") {
      this.#at += 1;
      parts.push("^");
    }
    for (let isFirst = true; ; isFirst = false) {
      const sign = String.fromCodePoint(this.pattern.codePointAt(this.#at) ?? 0);
      if (this.#at >= this.pattern.length) throw new Refusal("a `[` is not closed");
      this.#at += sign.length;
      if (sign === "]" && !isFirst) break;
      parts.push(this.#setItem(sign));
    }
    return `[${parts.join("")}]`;
  }

  #setItem(sign: string): string {
    const next = this.pattern[this.#at];
    if (sign === "[") throw new Refusal("sets within sets are not supported");
    if ((sign === "&" || sign === "~" || sign === "-") && next === sign)
      throw new Refusal("set operations are not supported");
    if (sign === "-") return next === "]" || this.pattern[this.#at - 2] === "[" ? "\\-" : "-";
    if (sign !== "\\") return literalInSet(sign);
    this.#at += 1;
    const lower = next?.toLowerCase() ?? "";
    const set = SETS[lower];
    if (set && next === lower) return set;
    if (set) throw new Refusal(`\`\\${next}\` in a set is not supported`);
    return CONTROLS[next ?? ""] ?? literalInSet(this.#plainSign(next ?? ""));
  }
}

function literal(sign: string): string {
  return /^[\\^$.*+?()[\]{}|/]$/.test(sign) ? `\\${sign}` : sign;
}

function literalInSet(sign: string): string {
  return sign === "-" ? "\\-" : literal(sign);
}
