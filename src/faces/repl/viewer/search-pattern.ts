import { markSpans, unstyled } from "../view/mark-spans.ts";
import type { Theme } from "../view/theme.ts";

const USUAL_WEIGHT = "\u001b[22m";

/** Words to search for, in the source of a block and in its drawn lines. The search ignores case. */
export type SearchPattern = {
  readonly query: string;
  /** Finds the words also across line breaks and between Markdown marks. */
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

/** True if the drawn line contains the words. */
export function lineMatches({ inLine }: SearchPattern, line: string): boolean {
  return unstyled(line).search(inLine) >= 0;
}

/**
 * Highlights the words in a drawn line and keeps its styles: in the accent colour turned around, whatever the colour of the text.
 * @param isCurrent True for the line to which the search has come: its words are bold and underlined too.
 */
export function markMatches(
  line: string,
  { inLine }: SearchPattern,
  theme: Pick<Theme, "accent" | "inverse" | "strong" | "underline" | "onTints">,
  isCurrent: boolean,
): string {
  const { inverse, strong, underline } = theme;
  const found = unstyled(line).matchAll(inLine);
  return markSpans(
    line,
    Array.from(found, ({ index, 0: words }) => ({ from: index, to: index + words.length })),
    (text, { color, weight, hasBackground }) => {
      const { accent } = (hasBackground && theme.onTints) || theme;
      const marked = inverse(accent(isCurrent ? strong(underline(text)) : text));
      return `${weight === "" ? "" : USUAL_WEIGHT}${marked}${color}${weight}`;
    },
  );
}
