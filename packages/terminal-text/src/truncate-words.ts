import { textWidth } from "./text-width.ts";
import { truncateText } from "./truncate-text.ts";

const MARK = " …";
/** If the words that fit fill a smaller share of the room, the next word is cut. */
const LEAST_SHARE = 0.5;

/** Cuts one line of plain words to `columns` after a word, with an ellipsis. Where a long word would leave most of the room empty, the word is cut. */
export function truncateWords(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  const head = headOf(text, columns - textWidth(MARK));
  return head === "" ? truncateText(text, columns) : head + MARK;
}

/** The words that `truncateWords` leaves out; a word that it cuts is one of them. */
export function leftOutWords(text: string, columns: number): string {
  if (textWidth(text) <= columns) return "";
  return text.slice(headOf(text, columns - textWidth(MARK)).length).replace(/^[\s,;:.–-]+/, "");
}

/** The words that fit, without the punctuation after the last one. */
function headOf(text: string, columns: number): string {
  let end = 0;
  for (const { index } of text.matchAll(/\s+/g)) {
    if (textWidth(text.slice(0, index)) > columns) break;
    end = index;
  }
  const head = text.slice(0, end).replace(/[\s,;:.–-]+$/, "");
  return textWidth(head) < columns * LEAST_SHARE ? "" : head;
}
