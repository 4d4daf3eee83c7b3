import { wrapText } from "@quoll/terminal-text/wrap-text";
import type { StartQuestion, TrustState } from "../layers/trust-state.ts";
import { NO_PREVIEW, type PreviewView } from "../layers/ui-state.ts";
import { boxLines, innerColumns, scrolledLines } from "./box.ts";
import { optionLines } from "./option-lines.ts";
import { warningLines } from "./question-preview.ts";
import { reveal, revealLine } from "./reveal.ts";
import type { Theme } from "./theme.ts";

type Style = { readonly theme: Theme; readonly columns: number; readonly rows: number };

const tooSmall = (noKey: string, label: string) =>
  `This window is too small: make it larger. ${noKey}: ${label}, esc: leave.`;
/** These keys can't be changed. */
const PAGE_KEYS = "PgDn PgUp";
/** The rows for the edges of the box, and an empty row for the cursor. */
const FRAME_ROWS = 3;
const MIN_SHOWN_ROWS = 3;

/** The lines of a question about trust or approval: the things that may run, and the answers. */
export function trustLines(
  question: StartQuestion<string>,
  { choice, scroll }: TrustState,
  { theme, columns, rows }: Style,
): { readonly lines: readonly string[]; readonly preview: PreviewView } {
  const { title, root, reasons, intro, notes, noKey } = question;
  const width = innerColumns(columns);
  const told = reasons.flatMap((reason) => warningLines(revealLine(reason), width, theme));
  const inside = [
    ...wrapText(reveal(root), width).map(theme.strong),
    "",
    ...(told.length > 0 ? [...wrapText(intro, width), ...told, ""] : []),
    ...notes.flatMap((line) => wrapText(line, width)).map(theme.dim),
  ];
  const options = question.options.map(({ key, label, isYes }) => ({ key, label, isYes, rules: [] }));
  const answers = optionLines(options, choice, { theme, columns: width }).lines;
  const room = rows - FRAME_ROWS - answers.length - 1;
  if (room < Math.min(inside.length, MIN_SHOWN_ROWS)) {
    const no = question.options.find(({ key }) => key === noKey)?.label ?? "";
    const words = wrapText(tooSmall(noKey, no), width);
    const lines = boxLines({ title, lines: words.slice(0, Math.max(1, rows - FRAME_ROWS)) }, columns, theme);
    return { lines, preview: { ...NO_PREVIEW, isReadable: false } };
  }
  const shown = scrolledLines(inside, scroll, { rows: room, width, theme, pages: PAGE_KEYS });
  return {
    lines: boxLines({ title, lines: [...shown.lines, "", ...answers] }, columns, theme),
    preview: { ...NO_PREVIEW, from: shown.from, maxScroll: shown.maxScroll, rows: shown.rows },
  };
}
