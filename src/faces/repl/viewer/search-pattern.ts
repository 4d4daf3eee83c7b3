import { stripAnsi } from "@quoll/terminal-text/plain-text";

/** Words to look for, in the source of a block and in its drawn lines. Upper and lower case are the same. */
export type SearchPattern = {
  readonly query: string;
  /** Finds the words also across line breaks and between marks of Markdown. */
  readonly inSource: RegExp;
  readonly inLine: RegExp;
};

/** @returns undefined for an empty query. */
export function searchPattern(query: string): SearchPattern | undefined {
  if (query.trim() === "") return undefined;
  const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  const words = query.trim().split(/\s+/);
  const loose = words.map((word) => Array.from(word, literal).join("[*_`~]*"));
  return {
    query,
    inSource: new RegExp(loose.join("[*_`~]*\\s+[*_`~]*"), "i"),
    inLine: new RegExp(words.map(literal).join("\\s+"), "gi"),
  };
}

/** True if the drawn line holds the words. */
export function lineMatches({ inLine }: SearchPattern, line: string): boolean {
  return stripAnsi(line).search(inLine) >= 0;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: styles and links begin with one.
const SEQUENCE = /\u001b\[[\d;]*m|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g;

/** Marks the words in a drawn line; its styles stay. */
export function markMatches(line: string, { inLine }: SearchPattern, mark: (text: string) => string): string {
  const sequences = [...line.matchAll(SEQUENCE)];
  const plain = line.replace(SEQUENCE, "");
  const spans = Array.from(plain.matchAll(inLine), ({ index, 0: found }) => ({
    from: index,
    to: index + found.length,
  }));
  if (spans.length === 0) return line;
  let shown = "";
  let at = 0;
  let removed = 0;
  const addPlain = (to: number) => {
    while (at < to) {
      const span = spans.find((one) => one.to > at);
      const isInside = span !== undefined && span.from <= at;
      const end = Math.min(to, span === undefined ? to : isInside ? span.to : span.from);
      shown += isInside ? mark(plain.slice(at, end)) : plain.slice(at, end);
      at = end;
    }
  };
  for (const { index, 0: sequence } of sequences) {
    addPlain(index - removed);
    shown += sequence;
    removed += sequence.length;
  }
  addPlain(plain.length);
  return shown;
}
