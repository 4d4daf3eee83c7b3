import type { IBufferCell, Terminal } from "@xterm/headless";

/** The colours of a window; `#rrggbb`. */
export type WindowColors = { readonly background: string; readonly text: string; readonly frame: string };

type Look = {
  readonly fill: string;
  readonly back: string | undefined;
  readonly bold: boolean;
  readonly faint: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
};
/** Cells of one look beside each other: the first column, the number of columns, the text. */
type Run = Look & { readonly at: number; readonly columns: number; readonly text: string };

/** In pixels. A character of a usual monospaced font is 0.6 of its size wide. */
const FONT = 14;
const WIDTH = 8.4;
const HEIGHT = 17;
const MARGIN = 16;
const BAR = 28;
/** The 16 colours of a terminal, for programs that choose by number. */
const NAMED =
  "000000 cd3131 0dbc79 e5e510 2472c8 bc3fbc 11a8cd e5e5e5 666666 f14c4c 23d18b f5f543 3b8eea d670d6 29b8db ffffff";
const NO_LOOK = { fill: "", back: undefined, bold: false, faint: false, italic: false, underline: false } as const;

/**
 * The screen of a terminal as an SVG image with a title: its text, as far as the last row with text, in its colours and in a plain window.
 * @param steady Replaces text that differs from run to run. It gets the text of cells that look alike; what it returns may be shorter.
 */
export function screenSvg(
  xterm: Terminal,
  { colors, title }: { readonly colors: WindowColors; readonly title: string },
  steady: (text: string) => string,
): string {
  const { baseY, type } = xterm.buffer.active;
  const rows = Array.from({ length: xterm.rows }, (_, row) => runsOf(xterm, baseY + row, colors, steady));
  const used = type === "alternate" ? xterm.rows : rows.findLastIndex((runs) => runs.length > 0) + 1;
  const width = Math.ceil(xterm.cols * WIDTH) + 2 * MARGIN;
  const height = BAR + used * HEIGHT + MARGIN;
  const lights = [0, 1, 2].map((at) => `<circle cx="${MARGIN + 5 + at * 16}" cy="14" r="5" fill="${colors.frame}"/>`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${title}</title>`,
    `<style>text{font:${FONT}px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}</style>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6" fill="${colors.background}" stroke="${colors.frame}"/>`,
    ...lights,
    ...rows.slice(0, used).flatMap((runs, row) => runs.flatMap((run) => drawn(run, BAR + row * HEIGHT))),
    "</svg>",
    "",
  ].join("\n");
}

function runsOf(xterm: Terminal, y: number, colors: WindowColors, steady: (text: string) => string): readonly Run[] {
  const line = xterm.buffer.active.getLine(y);
  const runs: Run[] = [];
  for (let at = 0; at < xterm.cols; at += 1) {
    const cell = line?.getCell(at);
    // The second half of a wide character has no width of its own.
    if (!cell || cell.getWidth() === 0) continue;
    const look = lookOf(cell, colors);
    const text = cell.getChars() || " ";
    const last = runs.at(-1);
    const columns = cell.getWidth();
    if (last && sameLook(last, look))
      runs.splice(-1, 1, { ...last, columns: last.columns + columns, text: last.text + text });
    else runs.push({ ...look, at, columns, text });
  }
  return runs.map((run) => withText(run, steady(run.text))).filter(({ text, back }) => text.trim() !== "" || back);
}

/** Blanks at both ends are not drawn, unless they have a colour behind them. */
function withText(run: Run, text: string): Run {
  const columns = run.columns - (run.text.length - text.length);
  if (run.back) return { ...run, columns, text };
  const begin = text.length - text.trimStart().length;
  const end = text.length - text.trimEnd().length;
  return { ...run, at: run.at + begin, columns: columns - begin - end, text: text.trim() };
}

function lookOf(cell: IBufferCell, colors: WindowColors): Look {
  const front = colorOf(cell.isFgRGB(), cell.isFgDefault(), cell.getFgColor()) ?? colors.text;
  const back = colorOf(cell.isBgRGB(), cell.isBgDefault(), cell.getBgColor());
  const inverse = cell.isInverse() !== 0;
  return {
    ...NO_LOOK,
    fill: inverse ? (back ?? colors.background) : front,
    back: inverse ? front : back,
    bold: cell.isBold() !== 0,
    faint: cell.isDim() !== 0,
    italic: cell.isItalic() !== 0,
    underline: cell.isUnderline() !== 0,
  };
}

function colorOf(isRgb: boolean, isDefault: boolean, color: number): string | undefined {
  if (isDefault) return undefined;
  return `#${isRgb ? color.toString(16).padStart(6, "0") : numbered(color)}`;
}

/** One of xterm's 256 colours: 16 named ones, a cube of 6 × 6 × 6, 24 greys. */
function numbered(color: number): string {
  if (color < 16) return NAMED.split(" ")[color] ?? "ffffff";
  const hex = (part: number) => part.toString(16).padStart(2, "0");
  if (color >= 232) return hex(8 + (color - 232) * 10).repeat(3);
  const level = (part: number) => hex(part === 0 ? 0 : 55 + part * 40);
  const cube = color - 16;
  return level(Math.floor(cube / 36)) + level(Math.floor(cube / 6) % 6) + level(cube % 6);
}

function sameLook(a: Look, b: Look): boolean {
  return (Object.keys(NO_LOOK) as (keyof Look)[]).every((key) => a[key] === b[key]);
}

function drawn(run: Run, top: number): readonly string[] {
  const x = round(MARGIN + run.at * WIDTH);
  const width = round(run.columns * WIDTH);
  const marks = [
    run.bold && ' font-weight="bold"',
    run.faint && ' opacity="0.6"',
    run.italic && ' font-style="italic"',
    run.underline && ' text-decoration="underline"',
  ].filter((mark) => mark !== false);
  const back = run.back ? [`<rect x="${x}" y="${top}" width="${width}" height="${HEIGHT}" fill="${run.back}"/>`] : [];
  if (run.text.trim() === "") return back;
  if (/^[ ▀▄█]+$/.test(run.text)) return [...back, ...blocks(run, top)];
  // The length keeps the columns of a font that is wider or narrower.
  const place = `x="${x}" y="${top + FONT}" textLength="${width}"`;
  return [...back, `<text ${place} fill="${run.fill}"${marks.join("")}>${escaped(run.text)}</text>`];
}

/** Blocks as a terminal draws them: without the gaps between the rows of a font. */
function blocks({ text, at, fill }: Run, top: number): readonly string[] {
  return [...text].flatMap((block, n) => {
    if (block === " ") return [];
    const y = top + (block === "▄" ? HEIGHT / 2 : 0);
    const place = `x="${round(MARGIN + (at + n) * WIDTH)}" y="${y}"`;
    return [`<rect ${place} width="${WIDTH}" height="${block === "█" ? HEIGHT : HEIGHT / 2}" fill="${fill}"/>`];
  });
}

const round = (value: number) => Math.round(value * 10) / 10;

const escaped = (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
