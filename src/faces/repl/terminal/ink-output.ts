import type { Place } from "./frame-writer.ts";
import { isPlace } from "./row-places.ts";

/** Ink's wish to write to the terminal, as data. */
export type InkOutput =
  | {
      readonly kind: "frame";
      /** Lines that Ink prints above its frame. */
      readonly above: readonly string[];
      /** The lines of the frame and the empty one below it; undefined: they stay, and only the cursor moves. */
      readonly rows: readonly string[] | undefined;
      /** The cursor's place, with its row counted up from the row below the frame; undefined: it is hidden. */
      readonly cursor: Place | undefined;
    }
  | { readonly kind: "erase" | "leave" | "show" | "hide" | "other" };

const SHOW = "\u001b[?25h";
const HIDE = "\u001b[?25l";
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences begin with one.
const MOVES = /^(?:\u001b\[(?:\?25[lh]|[\d;]*[ABDGHJK]))+/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences begin with one.
const CURSOR = /(?:\u001b\[(\d+)A)?\u001b\[(\d+)G\u001b\[\?25h$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences begin with one.
const ERASES = /\u001b\[\d*[JK]/;

/**
 * Reads what Ink writes between the marks of a frame's begin and end.
 * @param chunks What Ink has written, one by one.
 */
export function frameOf(chunks: readonly string[]): InkOutput {
  const cursor = CURSOR.exec(chunks.at(-1) ?? "");
  const place = cursor ? { x: Number(cursor[2]) - 1, y: Number(cursor[1] ?? 0) } : undefined;
  const texts = chunks.map((chunk) => chunk.replace(MOVES, "").replace(CURSOR, "")).filter((text) => text !== "");
  const rows = texts.pop()?.split("\n");
  const printed = rows ? rows.findLastIndex(isPlace) + 1 : 0;
  const before = texts.join("").split("\n").slice(0, -1);
  return {
    kind: "frame",
    above: [...before, ...(rows ?? []).slice(0, printed)],
    rows: rows?.slice(printed),
    cursor: place,
  };
}

/** Reads what Ink writes outside a frame. */
export function outputOf(text: string): InkOutput {
  if (text === SHOW) return { kind: "show" };
  if (text === HIDE) return { kind: "hide" };
  if (text.replace(MOVES, "") !== "" || text === "") return { kind: "other" };
  if (ERASES.test(text)) return { kind: "erase" };
  return CURSOR.test(text) ? frameOf([text]) : { kind: "leave" };
}
