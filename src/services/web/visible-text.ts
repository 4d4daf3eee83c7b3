import { pasteableText } from "@quoll/terminal-text/plain-text";
import type { OutlineItem } from "../../contracts/web.ts";

/**
 * Characters that hide or reorder text for a person but not for a model: Unicode's tags, zero-width signs, the selectors
 * of rare variants, and signs that turn the direction of what follows.
 */
const HIDDEN = /[\u{e0000}-\u{e007f}\u200b\u202a-\u202e\u2060-\u206f\ufeff]|[\u{e0100}-\u{e01ef}]/gu;

/** Without escape sequences, control characters and characters that a person does not see. */
export function visible(text: string): string {
  return pasteableText(text).replace(HIDDEN, "");
}

/** The headings of Markdown, with their places. */
export function outlineOf(markdown: string): readonly OutlineItem[] {
  const items: OutlineItem[] = [];
  let fence: string | undefined;
  for (const { 0: line, index: offset } of markdown.matchAll(/^(?:`{3,}|#{1,6} ).*$/gm)) {
    const ticks = /^`{3,}/.exec(line)?.[0];
    if (ticks !== undefined) {
      if (fence === undefined) fence = ticks;
      else if (line === fence) fence = undefined;
    } else if (fence === undefined) {
      const level = line.indexOf(" ");
      items.push({ offset, level, text: line.slice(level + 1, level + 121) });
    }
  }
  return items;
}
