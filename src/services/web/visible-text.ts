import { pasteableText } from "@quoll/terminal-text/plain-text";
import type { OutlineItem } from "../../contracts/web.ts";

/** Invisible characters that hide text from a person but not from a model: Unicode's tags and zero-width signs. */
const HIDDEN = /[\u{e0000}-\u{e007f}\u200b\u2060-\u2064\ufeff]/gu;

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
