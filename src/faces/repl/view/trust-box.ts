import { wrapText } from "@quoll/terminal-text/wrap-text";
import type { TrustRequest } from "../../../contracts/permission.ts";
import { TRUST_OPTIONS, type TrustState } from "../layers/trust-state.ts";
import { NO_PREVIEW, type PreviewView } from "../layers/ui-state.ts";
import { boxLines, innerColumns, scrolledLines } from "./box.ts";
import { optionLines } from "./option-lines.ts";
import { warningLines } from "./question-preview.ts";
import { reveal, revealLine } from "./reveal.ts";
import type { Theme } from "./theme.ts";

type Style = { readonly theme: Theme; readonly columns: number; readonly rows: number };

const TITLE = "Do you trust this folder?";
const ONCE_TRUSTED = "If you trust it, this takes effect:";
const TRUST_ONLY = "Trust only what you would run yourself.";
const NOTHING_NOW = [
  "Nothing in this folder needs trust yet.",
  "If you trust it, settings and servers that come later take effect,",
  "and git and similar programs run without a question.",
  TRUST_ONLY,
] as const;
const WITHOUT = [
  "If not, these files have no effect; only rules that deny or ask hold.",
  "Git and similar programs ask before they run.",
  TRUST_ONLY,
] as const;
const TOO_SMALL = "This window is too small: make it larger. 3 continues without trust, esc leaves.";
/** The edges of the box, and an empty row for the cursor. */
const FRAME_ROWS = 3;
const MIN_SHOWN_ROWS = 3;

/** The lines of the trust question: the things that may run in a trusted folder, and the answers. */
export function trustLines(
  { root, reasons }: TrustRequest,
  { choice, scroll }: TrustState,
  { theme, columns, rows }: Style,
): { readonly lines: readonly string[]; readonly preview: PreviewView } {
  const width = innerColumns(columns);
  const told = reasons.flatMap((reason) => warningLines(revealLine(reason), width, theme));
  const inside = [
    ...wrapText(reveal(root), width).map(theme.strong),
    "",
    ...(told.length > 0 ? [...wrapText(ONCE_TRUSTED, width), ...told, ""] : []),
    ...(told.length > 0 ? WITHOUT : NOTHING_NOW).flatMap((line) => wrapText(line, width)).map(theme.dim),
  ];
  const options = TRUST_OPTIONS.map(({ key, label }, at) => ({ key, label, isYes: at < 2, rules: [] }));
  const answers = optionLines(options, choice, { theme, columns: width }).lines;
  const room = rows - FRAME_ROWS - answers.length - 1;
  if (room < Math.min(inside.length, MIN_SHOWN_ROWS)) {
    const words = wrapText(TOO_SMALL, width);
    const lines = boxLines({ title: TITLE, lines: words.slice(0, Math.max(1, rows - FRAME_ROWS)) }, columns, theme);
    return { lines, preview: { ...NO_PREVIEW, isReadable: false } };
  }
  const shown = scrolledLines(inside, scroll, { rows: room, width, theme });
  return {
    lines: boxLines({ title: TITLE, lines: [...shown.lines, "", ...answers] }, columns, theme),
    preview: { ...NO_PREVIEW, from: shown.from, maxScroll: shown.maxScroll, rows: shown.rows },
  };
}
