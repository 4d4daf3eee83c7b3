import { plainText, revealText } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import { hardWrapText, wrapText } from "@quoll/terminal-text/wrap-text";
import type { Preview } from "../../../contracts/tool.ts";
import { layoutEditor } from "../editor/editor-layout.ts";
import { questionOptions } from "../ui/question.ts";
import type { Asking } from "../ui/ui-state.ts";
import { diffLines } from "./diff-lines.ts";
import { oneLine } from "./layout.ts";
import { GLYPHS, type Theme } from "./theme.ts";

export type Block = { readonly lines: readonly string[]; readonly cursor?: { readonly x: number; readonly y: number } };
export type QuestionBlock = Block & {
  /** How far the preview can be scrolled. */
  readonly maxScroll: number;
};

const OPTION_GAP = "   ";
const MIN_PREVIEW_ROWS = 3;
/** Together these leave room for the preview in 24 rows, whatever they hold. */
const MAX_HAZARD_ROWS = 6;
const MAX_REASON_ROWS = 3;
const MAX_RULE_ROWS = 4;
const BORDER_COLUMNS = 4;

type Style = { readonly theme: Theme; readonly columns: number; readonly maxRows: number };

/** The box of a question: what would happen, what is dangerous in it, why it is asked, the answers. */
export function questionBox(asking: Asking, count: number, { theme, columns, maxRows }: Style): QuestionBlock {
  const { question, why } = asking;
  const width = Math.max(16, columns - BORDER_COLUMNS);
  const hazards = hazardLines(question.hazards, width, theme);
  const reason = capped(wrapText(oneLine(asked(question.reason)), width), MAX_REASON_ROWS, width).map(theme.dim);
  const answers = why ? whyLines(why, width, theme) : { lines: optionLines(asking, width, theme) };
  const fixed = 2 + hazards.length + reason.length + answers.lines.length;
  const preview = previewLines(question.preview, width, theme);
  const shown = window_(preview, asking.scroll, { rows: Math.max(MIN_PREVIEW_ROWS, maxRows - fixed), width }, theme);
  const inside = [...shown.lines, ...hazards, ...reason, ...answers.lines];
  const edge = theme.accent("│");
  const lines = [
    topEdge(question.title, count, columns, theme),
    ...inside.map((line) => `${edge} ${padText(line, width)} ${edge}`),
    theme.accent(`╰${"─".repeat(width + 2)}╯`),
  ];
  const { cursor } = answers;
  const above = 1 + shown.lines.length + hazards.length + reason.length;
  return { lines, maxScroll: shown.maxScroll, ...(cursor && { cursor: { x: cursor.x + 2, y: above + cursor.y } }) };
}

function capped(lines: readonly string[], max: number, width: number): readonly string[] {
  if (lines.length <= max) return lines;
  return [...lines.slice(0, max - 1), truncateText(`${lines[max - 1]} …`, width, "middle")];
}

function asked(reason: string): string {
  return /^asked\b/i.test(reason) ? reason : `asked because ${reason}`;
}

function topEdge(title: string, count: number, columns: number, theme: Theme): string {
  const place = count > 1 ? ` 1 of ${count} ` : "";
  const room = Math.max(16, columns - BORDER_COLUMNS) - textWidth(place);
  const shown = truncateText(oneLine(title), room - 1);
  const rule = "─".repeat(Math.max(0, room - textWidth(shown)));
  return `${theme.accent("╭")} ${theme.strong(shown)} ${theme.accent(`${rule}${place}╮`)}`;
}

/** Everything that would run or change, with nothing cut: what doesn't fit can be scrolled to. */
function previewLines(preview: Preview, width: number, theme: Theme): readonly string[] {
  switch (preview.kind) {
    case "command":
      return [
        ...hardWrapText(revealText(preview.command), width),
        ...wrapText(oneLine(preview.description), width)
          .filter((line) => line !== "")
          .map(theme.dim),
        ...preview.unclear.flatMap((what) => marked(`not understood: ${oneLine(what)}`, width, theme)),
      ];
    case "diff":
      return [
        theme.dim(truncateText(`${oneLine(preview.path)}${preview.isNew ? " (new file)" : ""}`, width, "middle")),
        ...diffLines(preview.hunks, { theme, columns: width, context: true, overflow: "wrap" }),
      ];
    case "text":
      return wrapText(plainText(preview.text), width);
  }
}

function window_(
  lines: readonly string[],
  scroll: number,
  { rows, width }: { rows: number; width: number },
  theme: Theme,
) {
  if (lines.length <= rows) return { lines, maxScroll: 0 };
  const body = Math.max(1, rows - 1);
  const maxScroll = lines.length - body;
  const from = Math.min(scroll, maxScroll);
  const note = `… lines ${from + 1}–${from + body} of ${lines.length} · PgDn, PgUp`;
  return { lines: [...lines.slice(from, from + body), theme.warning(truncateText(note, width))], maxScroll };
}

function hazardLines(hazards: readonly string[], width: number, theme: Theme): readonly string[] {
  if (hazards.length === 0) return [];
  const inOne = hazards.map((hazard) => `${theme.warning(GLYPHS.warning)} ${oneLine(hazard)}`).join(OPTION_GAP);
  if (textWidth(inOne) <= width) return [inOne];
  const lines = hazards.flatMap((hazard) => marked(oneLine(hazard), width, theme));
  if (lines.length <= MAX_HAZARD_ROWS) return lines;
  return [
    ...lines.slice(0, MAX_HAZARD_ROWS - 1),
    theme.warning(truncateText(`${GLYPHS.warning} … and more: ${hazards.length} in all`, width)),
  ];
}

function marked(text: string, width: number, theme: Theme): readonly string[] {
  return wrapText(text, width - 2).map((line, at) =>
    at === 0 ? `${theme.warning(GLYPHS.warning)} ${line}` : `  ${line}`,
  );
}

/** Two lines, yes and no, where they fit; else one line an answer. A rule that would be kept is wrapped, not cut. */
function optionLines({ question, choice }: Asking, width: number, theme: Theme): readonly string[] {
  const options = questionOptions(question).map(({ key, label }, at) => ({
    text: `${key} ${oneLine(label)}`,
    at,
    key,
  }));
  const yes = options.filter(({ key }) => key < "4");
  const no = options.filter(({ key }) => key >= "4");
  const row = (part: typeof options) => part.map(({ text }) => `  ${text}`).join(OPTION_GAP.slice(2));
  const fits = textWidth(row(yes)) <= width && textWidth(row(no)) <= width;
  const draw = ({ text, at }: (typeof options)[number]) =>
    at === choice ? `${theme.accent(GLYPHS.choice)} ${theme.strong(text)}` : `  ${text}`;
  if (fits) return [yes, no].map((part) => part.map(draw).join(OPTION_GAP.slice(2)));
  return options.flatMap((option) => {
    const [head = "", ...rest] = capped(hardWrapText(option.text, width - 4), MAX_RULE_ROWS, width - 4);
    return [draw({ ...option, text: head }), ...rest.map((line) => `    ${line}`)];
  });
}

function whyLines(why: NonNullable<Asking["why"]>, width: number, theme: Theme): Block {
  const label = "no, because: ";
  const room = Math.max(8, width - label.length);
  const layout = layoutEditor(why.text, why.cursor, room);
  const rows = layout.rows.map((row, at) => (at === 0 ? theme.accent(label) : " ".repeat(label.length)) + row.text);
  const hint = theme.dim("enter sends it · esc goes back");
  return { lines: [...rows, hint], cursor: { x: label.length + layout.column, y: layout.row } };
}
