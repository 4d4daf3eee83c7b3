import type { Token } from "./prompt-tokens.ts";

/** Longest keyword; longer words are not examined character by character. */
const MAX_KEYWORD_CHARS = 40;

/** Walks over the tokens of one step. Each method that does not match leaves the position unchanged. */
export class Cursor {
  readonly #tokens: readonly Token[];
  #at = 0;

  /** @param tokens The tokens of one step, without separators. */
  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get atEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  get place(): number {
    return this.#at;
  }

  back(place: number): void {
    this.#at = place;
  }

  peek(ahead = 0): Token | undefined {
    return this.#tokens[this.#at + ahead];
  }

  next(): Token | undefined {
    const token = this.#tokens[this.#at];
    if (token) this.#at += 1;
    return token;
  }

  /** Takes the words of a phrase, ignoring case and commas. */
  phrase(text: string): boolean {
    const words = text.split(" ");
    if (!words.every((word, index) => plainWord(this.peek(index)) === word)) return false;
    this.#at += words.length;
    return true;
  }

  /** Takes the first matching phrase; put longer phrases first. */
  oneOf(phrases: readonly string[]): string | undefined {
    const first = plainWord(this.peek());
    return first === undefined ? undefined : phrases.find((text) => text.startsWith(first) && this.phrase(text));
  }

  /** Takes any number of these phrases, if more input follows. */
  skip(phrases: readonly string[]): void {
    for (;;) {
      const place = this.#at;
      if (this.oneOf(phrases) === undefined) return;
      if (!this.atEnd) continue;
      this.#at = place;
      return;
    }
  }

  /** Takes a literal text: quoted, or a single word. */
  text(): string | undefined {
    const token = this.peek();
    if (!token || token.kind === "separator") return undefined;
    this.#at += 1;
    return token.kind === "quoted" ? token.text : this.#bare(token.raw, this.#at - 1);
  }

  /** Takes a path or a glob: quoted, or a single word. */
  path(): string | undefined {
    const place = this.#at;
    const path = this.text();
    if (path !== undefined && path !== "" && !path.includes("\n")) return tidy(path);
    this.#at = place;
    return undefined;
  }

  /** Takes a whole number above 0. */
  number(): number | undefined {
    const token = this.peek();
    const digits = token?.kind === "word" ? /^\d{1,9}$/.exec(this.#bare(token.raw, this.#at))?.[0] : undefined;
    if (digits === undefined || Number(digits) < 1) return undefined;
    this.#at += 1;
    return Number(digits);
  }

  /** The remaining input, as typed. */
  rest(): string {
    return this.#tokens
      .slice(this.#at)
      .map(({ raw }) => raw)
      .join(" ");
  }

  /** A word without a comma after it and, at the end of the step, without the full stop. */
  #bare(raw: string, index: number): string {
    const word = raw.length > 1 ? raw.replace(/[,;:]$/, "") : raw;
    const isLast = index === this.#tokens.length - 1;
    const isDots = word === "." || word === ".." || word.endsWith("/.") || word.endsWith("/..");
    return !isLast || isDots ? word : withoutEnd(word, ".!") || word;
  }
}

/** A word for comparison with keywords: lower case, without punctuation at its end. Undefined for quoted text. */
export function plainWord(token: Token | undefined): string | undefined {
  if (token?.kind !== "word" || token.text.length > MAX_KEYWORD_CHARS) return undefined;
  const word = token.text.toLowerCase();
  return withoutEnd(word, ",.:!?") || word;
}

/** A regular expression is not used, because it takes quadratic time on long runs of punctuation. */
function withoutEnd(text: string, signs: string): string {
  let end = text.length;
  while (end > 0 && signs.includes(text[end - 1] ?? "")) end -= 1;
  return text.slice(0, end);
}

function tidy(path: string): string {
  return path.replace(/^(?:\.\/+)+/, "") || ".";
}
