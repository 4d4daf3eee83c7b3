import { nextBoundary, previousBoundary } from "@quoll/terminal-text/graphemes";
import { lineEnd, lineStart } from "./vim-lines.ts";

const KEYWORD = /[\p{L}\p{N}\p{M}_]/u;

/** `blank` includes line breaks and the end of the text. In a WORD, all non-blank characters have the same class. */
export type CharacterClass = "blank" | "word" | "mark";

export function classAt(text: string, at: number, isBig: boolean): CharacterClass {
  const char = text.slice(at, nextBoundary(text, at));
  if (char === "" || /^[ \t\n]/.test(char)) return "blank";
  return isBig || KEYWORD.test(char) ? "word" : "mark";
}

/** An empty line counts as a word. */
function isEmptyLine(text: string, at: number): boolean {
  return lineStart(text, at) === at && lineEnd(text, at) === at;
}

type Way = { readonly count: number; readonly isBig: boolean };

/**
 * The start of a later word.
 * @param staysInLine True if the last word ends at the end of its line, as for an operator.
 */
export function wordForward(text: string, from: number, { count, isBig, staysInLine }: Way & { staysInLine: boolean }) {
  let at = from;
  for (let left = count; left > 0 && at < text.length; left -= 1) {
    const stops = () => staysInLine && left === 1 && (at === text.length || text[at] === "\n" || text[at - 1] === "\n");
    const kind = classAt(text, at, isBig);
    at = nextBoundary(text, at);
    if (stops()) return at;
    while (kind !== "blank" && at < text.length && classAt(text, at, isBig) === kind) {
      at = nextBoundary(text, at);
      if (stops()) return at;
    }
    while (at < text.length && classAt(text, at, isBig) === "blank" && !isEmptyLine(text, at)) {
      at = nextBoundary(text, at);
    }
  }
  return at;
}

/** The start of a word before `from`. */
export function wordBack(text: string, from: number, { count, isBig }: Way): number {
  let at = from;
  for (let left = count; left > 0 && at > 0; left -= 1) {
    at = previousBoundary(text, at);
    while (at > 0 && classAt(text, at, isBig) === "blank" && !isEmptyLine(text, at)) at = previousBoundary(text, at);
    const kind = classAt(text, at, isBig);
    if (kind === "blank") continue;
    while (at > 0 && classAt(text, previousBoundary(text, at), isBig) === kind) at = previousBoundary(text, at);
  }
  return at;
}

/** The last character of a later word. @param mayStay True if a word that ends at `from` counts, as in `cw`. */
export function wordEndForward(
  text: string,
  from: number,
  { count, isBig, mayStay = false }: Way & { mayStay?: boolean },
) {
  let at = from;
  for (let left = count; left > 0; left -= 1) {
    if (!(mayStay && left === count && classAt(text, at, isBig) !== "blank")) {
      at = nextBoundary(text, at);
      while (at < text.length && classAt(text, at, isBig) === "blank") at = nextBoundary(text, at);
    }
    if (at >= text.length) return text.length;
    const kind = classAt(text, at, isBig);
    while (classAt(text, nextBoundary(text, at), isBig) === kind) at = nextBoundary(text, at);
  }
  return at;
}

/** The last character of a word before `from`. */
export function wordEndBack(text: string, from: number, { count, isBig }: Way): number {
  let at = from;
  for (let left = count; left > 0 && at > 0; left -= 1) {
    const kind = classAt(text, at, isBig);
    at = previousBoundary(text, at);
    while (at > 0 && kind !== "blank" && classAt(text, at, isBig) === kind) at = previousBoundary(text, at);
    while (at > 0 && classAt(text, at, isBig) === "blank" && !isEmptyLine(text, at)) at = previousBoundary(text, at);
  }
  return at;
}
