import type { Cursor } from "./cursor.ts";
import type { FormName, Step } from "./step.ts";

/** Why words that begin like a form are not one: a clause without a full stop, for people. */
export type Misfit = { readonly misfit: string };

/** One thing that the offline engine can be asked for. The guide and "what can you do" are made from these. */
export type Form = {
  readonly name: FormName;
  /** How it is written; capitals stand for what a person fills in. */
  readonly usage: string;
  /** One line: what it does. */
  readonly summary: string;
  /** Requests that work as they stand. */
  readonly examples: readonly string[];
  /** First words that may begin it. */
  readonly verbs: readonly string[];
  /** Other words that people use for it: they find the nearest form of a request that is none. */
  readonly keywords: readonly string[];
  /**
   * Reads what follows the verb.
   * @param block The text after a colon, for forms that take one.
   * @returns undefined when the words ask for something else that begins with the same verb.
   */
  parse(cursor: Cursor, verb: string, block: string | undefined): Step | Misfit | undefined;
  /** An example with words of the request in it: the quoted texts, the names of files, all of it. */
  adapt(found: FoundWords): string;
};

/** What of a request that is no form could be filled into one. */
export type FoundWords = {
  readonly quoted: readonly string[];
  readonly files: readonly string[];
  /** The request without its politeness, cut to a few words. */
  readonly all: string;
};

export function misfit(problem: string): Misfit {
  return { misfit: problem };
}

export function notUnderstood(cursor: Cursor): string {
  return `"${clip(cursor.rest(), 60)}" is not understood there`;
}

/** A text on one line, cut to a number of characters. */
export function clip(text: string, maxChars: number): string {
  const line = text
    .slice(0, maxChars * 4)
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= maxChars && text.length <= maxChars * 4 ? line : `${line.slice(0, maxChars).trimEnd()}…`;
}
