import type { Cursor } from "./cursor.ts";
import type { FormName, Step } from "./step.ts";

/**
 * The reason why a request with the first word of a form does not match the form: a clause without a full stop, for
 * people.
 */
export type Misfit = { readonly misfit: string };

/** One kind of request. The guide and "what can you do" are generated from the forms. */
export type Form = {
  readonly name: FormName;
  /** The syntax; capitals are placeholders. */
  readonly usage: string;
  /** One line: the effect. */
  readonly summary: string;
  /** Complete requests. */
  readonly examples: readonly string[];
  /** Possible first words. */
  readonly verbs: readonly string[];
  /** Related words, to find the most similar form of a request that matches none. */
  readonly keywords: readonly string[];
  /**
   * Parses the text after the verb.
   * @param block The text after a colon, for forms that accept one.
   * @returns undefined if the words are a request of another form with the same verb.
   */
  parse(cursor: Cursor, verb: string, block: string | undefined): Step | Misfit | undefined;
  /** An example with parts of the request: the quoted texts, the file names, or all of it. */
  adapt(found: FoundWords): string;
};

/** The parts of an unmatched request that an example can use. */
export type FoundWords = {
  readonly quoted: readonly string[];
  readonly files: readonly string[];
  /** The request without polite words, cut to a few words. */
  readonly all: string;
};

export function misfit(problem: string): Misfit {
  return { misfit: problem };
}

export function notUnderstood(cursor: Cursor): string {
  return `"${clip(cursor.rest(), 60)}" is not understood there`;
}

/** A text on one line, cut to a maximum number of characters. */
export function clip(text: string, maxChars: number): string {
  const line = text
    .slice(0, maxChars * 4)
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= maxChars && text.length <= maxChars * 4 ? line : `${line.slice(0, maxChars).trimEnd()}…`;
}
