import type { PartRange } from "../../../contracts/documents.ts";
import { InvalidInputError } from "../../../contracts/errors.ts";

/** Which pages are wanted, and whether as pictures instead of text. */
export type PagesWanted = { readonly range?: PartRange; readonly asPictures: boolean };

const PAGES = /^(?:pages?|slides?|sheets?|chapters?)?\s*(\d{1,6})?\s*(?:([-–—:]|to)\s*(\d{1,6}|end)?)?$/i;
const AS_PICTURES = /\s*\bas\s+(?:pictures?|images?)$/i;

/**
 * Reads `1-5`, `3`, `2-`, `-4`, and `3 as pictures`.
 * @throws {InvalidInputError} anything else.
 */
export function pageRange(text: string | undefined): PagesWanted {
  const words = (text ?? "").trim().replace(/^\[(.*)\]$/s, "$1");
  const asPictures = AS_PICTURES.test(words);
  const bare = words.replace(AS_PICTURES, "").trim();
  if (bare === "" || /^(?:all|\*)$/i.test(bare)) return { asPictures };
  const [, from, dash, to] = PAGES.exec(bare) ?? [];
  const first = Number(from ?? 1);
  const last = dash === undefined ? first : to === undefined || /end/i.test(to) ? undefined : Number(to);
  const isRange = (from !== undefined || to !== undefined) && first > 0 && (last === undefined || last >= first);
  if (!isRange)
    throw new InvalidInputError(`pages takes one range, such as "1-5", "3" or "2-", and not ${JSON.stringify(text)}.`);
  return { range: { first, ...(last !== undefined && { last }) }, asPictures };
}
