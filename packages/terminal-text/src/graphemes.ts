import { NARROW_SIGNS } from "./narrow-signs.ts";

let segmenter: Intl.Segmenter | undefined;

/** Each of these characters is a grapheme of its own. */
const NARROW_ONLY = new RegExp(`^[\\n${NARROW_SIGNS}]*$`);

/** The user-perceived characters of a text: a letter with its marks, an emoji with its joiners. */
export function graphemes(text: string): readonly string[] {
  if (NARROW_ONLY.test(text)) return text.split("");
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Where the grapheme after `index` ends, in UTF-16 units; the length of the text at its end. */
export function nextBoundary(text: string, index: number): number {
  const start = lineStart(text, index);
  for (let at = start; at < text.length; ) {
    if (text[at] === "\n") {
      at += 1;
      if (at > index) return at;
      continue;
    }
    for (const grapheme of graphemes(lineAt(text, at))) {
      at += grapheme.length;
      if (at > index) return at;
    }
  }
  return text.length;
}

/** Where the grapheme before `index` begins, in UTF-16 units; 0 at the start of the text. */
export function previousBoundary(text: string, index: number): number {
  if (index <= 0) return 0;
  if (text[index - 1] === "\n") return index - 1;
  const start = lineStart(text, index);
  let at = start;
  for (const grapheme of graphemes(lineAt(text, start))) {
    if (at + grapheme.length >= index) return at;
    at += grapheme.length;
  }
  return at;
}

/** The nearest boundary at or before `index`. */
export function snapToBoundary(text: string, index: number): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  const start = previousBoundary(text, index);
  return nextBoundary(text, start) === index ? index : start;
}

/** A line break always ends a grapheme, so that looking at one line is enough. */
function lineStart(text: string, index: number): number {
  return index <= 0 ? 0 : text.lastIndexOf("\n", index - 1) + 1;
}

function lineAt(text: string, start: number): string {
  const end = text.indexOf("\n", start);
  return text.slice(start, end < 0 ? text.length : end);
}
