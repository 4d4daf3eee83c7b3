import type { ImageProtocol } from "../../../contracts/terminal-settings.ts";
import { MARK_COLUMNS } from "../view/layout.ts";
import type { Picture } from "./terminal-picture.ts";

/** Pixels of a character's cell. */
export type Cell = { readonly width: number; readonly height: number };

/** A terminal that does not tell its cell has one that is about twice as high as wide. */
const USUAL_CELL: Cell = { width: 10, height: 20 };
/** A picture takes at most so many rows, and this part of the window. */
const MAX_ROWS = 12;
const WINDOW_SHARE = 3;
/** The most characters of base64 in one sequence of kitty's protocol. */
const CHUNK_CHARS = 4_096;
/** Keeps the cursor's place, and returns to it (DECSC, DECRC). */
const KEEP = "\u001b7";
const RETURN = "\u001b8";

/** Columns and rows of characters. */
type Cells = { readonly columns: number; readonly rows: number };

/** The window, and the pixels of its cells if the terminal told them. */
export type PictureWindow = Cells & { readonly cell?: Cell | undefined };

/**
 * The rows that a picture takes in the transcript, as text: blank ones, and one below them that draws the picture over them. So it
 * never scrolls the window, and the cursor ends where the text does.
 */
export function pictureRows(picture: Picture, window: PictureWindow, protocol: ImageProtocol): readonly string[] {
  const { columns, rows } = pictureSize(picture, window);
  const draw = protocol === "kitty" ? kittyImage : itermImage;
  const place = `\u001b[${rows}A\u001b[${MARK_COLUMNS + 1}G`;
  const blank = Array.from({ length: rows }, () => "");
  return [...blank, KEEP + place + draw(picture.bytes.toString("base64"), { columns, rows }) + RETURN];
}

/** True for the row that draws a picture. */
export function drawsPicture(row: string): boolean {
  return row.startsWith(KEEP);
}

/** The cells of a picture: its own size if it fits, with its shape kept as closely as whole rows allow. */
export function pictureSize(
  picture: Pick<Picture, "width" | "height">,
  { cell = USUAL_CELL, ...window }: PictureWindow,
): Cells {
  const columns = picture.width / cell.width;
  const rows = picture.height / cell.height;
  const mostColumns = Math.max(1, window.columns - 2 * MARK_COLUMNS);
  const mostRows = Math.max(1, Math.min(MAX_ROWS, Math.floor(window.rows / WINDOW_SHARE)));
  const scale = Math.min(1, mostColumns / columns, mostRows / rows);
  // The product of a rounded share may be just below a whole row.
  const height = Math.max(1, Math.floor(rows * scale + 0.001));
  return { columns: Math.min(mostColumns, Math.max(1, Math.round((columns / rows) * height))), rows: height };
}

/** The graphics protocol of kitty: `C=1` leaves the cursor, `q=2` asks for no answer, which would count as typed. */
function kittyImage(base64: string, { columns, rows }: Cells): string {
  const chunks = base64.match(new RegExp(`.{1,${CHUNK_CHARS}}`, "g")) ?? [];
  const control = `a=T,f=100,q=2,C=1,c=${columns},r=${rows},`;
  return chunks
    .map((chunk, at) => `\u001b_G${at === 0 ? control : "q=2,"}m=${at < chunks.length - 1 ? 1 : 0};${chunk}\u001b\\`)
    .join("");
}

/** The inline images of iTerm2. WezTerm would move the cursor below the picture without `doNotMoveCursor`; iTerm2 does not know it. */
function itermImage(base64: string, { columns, rows }: Cells): string {
  const size = Buffer.byteLength(base64, "base64");
  const control = `inline=1;size=${size};width=${columns};height=${rows};preserveAspectRatio=1;doNotMoveCursor=1`;
  return `\u001b]1337;File=${control}:${base64}\u0007`;
}
