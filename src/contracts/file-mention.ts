/** A word of a prompt that may name a file or a folder: `@src/a.ts`, `@"a b.ts"`, `@src/a.ts#L10-20`, `@src/a.ts:10-20`, `@a.pdf#p3-5`. */
export type FileMention = {
  /** The mention as written, with `@`, quotes and range. */
  readonly written: string;
  /** The path, first as written, then with less and less of the punctuation of the sentence around it. */
  readonly paths: readonly string[];
  /** The named lines, from 1, both included. */
  readonly lines?: { readonly first: number; readonly last: number };
  /** The paths with the range, for files whose names end so: `log-10:30`. */
  readonly withRange?: readonly string[];
  /** The named pages of a document: `3-5`. */
  readonly pages?: string;
};

/** An `@` in the middle of a word, as in a mail address, is not a mention. */
const MENTION = /(?<=^|[\s("'`[])@(?:"([^"\n]+)"(#(?:L|p(?:ages?=)?)\d+(?:-L?\d+)?|:\d+(?:[-:]\d+)?)?|([^\s"]+))/g;
/** Also as compilers and editors name a line, with or without a column: `:12`, `:12:5`. */
const RANGE = /(?:#L(\d+)(?:-L?(\d+))?|:(\d+)(?:-(\d+)|:\d+)?)$/;
/** Also as links into PDFs name a page: `#page=3`. */
const PAGES = /#p(?:ages?=)?(\d+(?:-\d+)?)$/;
const PUNCTUATION = /[.,;:!?)\]"'`]+$/;
/** More punctuation than a sentence has is taken off at once. */
const MAX_FORMS = 8;

/**
 * The words of a prompt that may name files, without duplicates, in order. The caller checks which of the paths exist.
 */
export function fileMentions(words: string): readonly FileMention[] {
  const found = new Map<string, FileMention>();
  for (const [written, quoted, range = "", plain = ""] of words.matchAll(MENTION)) {
    const whole = quoted === undefined ? plain : `${quoted}${range}`;
    const forms = quoted === undefined ? withoutPunctuation(plain) : [whole];
    const lines = forms.map(linesOf).find((one) => one !== undefined);
    const pages = forms.map((one) => PAGES.exec(one)?.[1]).find((one) => one !== undefined);
    const bare = forms.map((one) => one.replace(RANGE, "").replace(PAGES, ""));
    const paths = [...new Set(bare)].filter((path) => path !== "");
    const ranged = lines && { lines, withRange: forms.filter((one) => RANGE.test(one)) };
    if (paths.length > 0) found.set(whole, { written, paths, ...ranged, ...(pages && { pages }) });
  }
  return [...found.values()];
}

/** `app/(auth)),` → also without `,`, `)`, `)`: names such as `(auth)` and `[id]` end with such characters. */
function withoutPunctuation(word: string): readonly string[] {
  const bare = word.replace(PUNCTUATION, "");
  const count = Math.min(word.length - bare.length, MAX_FORMS);
  return [...Array.from({ length: count }, (_, index) => word.slice(0, word.length - index)), bare];
}

function linesOf(word: string): FileMention["lines"] {
  const [, hashFrom, hashTo, colonFrom, colonTo] = RANGE.exec(word) ?? [];
  const [from, to] = [hashFrom ?? colonFrom, hashTo ?? colonTo];
  if (from === undefined) return undefined;
  const first = Math.max(1, Number(from));
  return { first, last: Math.max(first, Number(to ?? from)) };
}

/** A file or folder for the list of mentions. */
export type FoundFile = {
  /** As a prompt writes it after `@`: relative to the working folder, absolute, or with `~/`. A folder ends with `/`. */
  readonly path: string;
  /** The indices of the typed letters in the path. */
  readonly marks: readonly number[];
};

/**
 * Finds files for the text typed after `@`, the best match first. Calls `onFound` whenever the results improve, until
 * `signal` aborts; never throws. `note`: one line about files that the list leaves out.
 */
export type FindFiles = (
  typed: string,
  onFound: (found: readonly FoundFile[], note?: string) => void,
  signal: AbortSignal,
) => void;
