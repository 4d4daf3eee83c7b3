import { revealText } from "@quoll/terminal-text/plain-text";

/**
 * Characters without a width, or that look like a plain space but have another meaning for a program: soft hyphen,
 * joiners, direction marks, fillers, the spaces of Unicode, tags. Also characters that combine several emoji into one
 * (joiners, variation selectors, skin tones, flag letters): terminals disagree about their width, and a line that is
 * wider than expected would push rows off the screen.
 */
const UNSEEN = new RegExp(
  [
    "[\\u00a0\\u00ad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f]",
    "[\\u2000-\\u200f\\u202f\\u205f\\u2800\\u3000\\u3164\\uffa0]",
    "[\\ufe00-\\ufe0f]",
    "[\\u{1f1e6}-\\u{1f1ff}\\u{1f3fb}-\\u{1f3ff}\\u{e0000}-\\u{e01ef}]",
  ].join("|"),
  "gu",
);

/**
 * Text that a person judges (a command, a path, a changed line): every character is visible, and none can be mistaken
 * for another.
 */
export function reveal(text: string): string {
  return revealText(text).replace(UNSEEN, nameOf);
}

/** Like `reveal`, for one line: line breaks are shown as `⏎`. */
export function revealLine(text: string): string {
  return reveal(text).replaceAll("\n", "⏎");
}

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
