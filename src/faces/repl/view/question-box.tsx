import { joinedLines } from "@quoll/terminal-text/one-line";
import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import { wrapText } from "@quoll/terminal-text/wrap-text";
import type { Question } from "../../../contracts/question.ts";
import type { Block, Room } from "../layers/layer.ts";
import type { Asking } from "../layers/open-question.ts";
import { selectedChoice } from "../layers/question-options.ts";
import { NO_PREVIEW, type PreviewView } from "../layers/ui-state.ts";
import { dialogLines } from "./dialog-box.tsx";
import { dialogRows, innerColumns } from "./layout.ts";
import { ALL_DETAILS, type Caps, type Parts, partsOf, placeOf, type QuestionView } from "./question-parts.ts";
import type { PreviewLines } from "./question-preview.ts";
import { revealLine } from "./reveal.ts";
import { scrolledLines } from "./scrolled-lines.ts";
import { GLYPHS, type Theme } from "./theme.ts";
import { hintsOf } from "./theme-hints.ts";

export type QuestionBlock = Block & { readonly preview: PreviewView };

type Style = Room;

/** In a lower window the draft is hidden. */
const MIN_ROWS_FOR_DRAFT = 12;

/** The maximum rows of the parts, and the minimum rows for the preview; both depend on the window's height. */
const CAPS: readonly (Caps & { readonly preview: number })[] = [
  // If everything fits, no part is cut or repeated.
  { hazards: 12, reason: 8, details: ALL_DETAILS, grants: 20, preview: Number.POSITIVE_INFINITY },
  // The subject and its dangers rather than details, and a whole command rather than long answers.
  { hazards: 12, reason: 8, details: 0, grants: 20, preview: Number.POSITIVE_INFINITY },
  { hazards: 12, reason: 8, details: 0, grants: 20, preview: Number.POSITIVE_INFINITY, isBrief: true },
  { hazards: 6, reason: 3, details: 4, grants: 4, preview: 4 },
  // Few words for the answers rather than fewer dangers.
  { hazards: 6, reason: 3, details: 0, grants: 4, preview: 4, isBrief: true },
  { hazards: 2, reason: 1, details: 0, grants: 2, preview: 3, isBrief: true },
  { hazards: 1, reason: 1, details: 0, grants: 1, preview: 2, isBrief: true },
  { hazards: 1, reason: 0, details: 0, grants: 0, preview: 2, isBrief: true },
];
/** The columns between the title and the number of the question. */
const TITLE_GAP = 3;
/** With less room for it beside the title, the path of a change takes the place of the title. */
const MIN_PATH_COLUMNS = 16;
/** The edges of the box. */
const EDGE_ROWS = 2;
/**
 * The minimum number of rows of a change that are shown, even if the dialog then exceeds its share of the window. Commands
 * get all rows, and so does whatever then needs no scrolling.
 */
const MIN_PREVIEW_ROWS = 4;

/** The box of a question, and below it the stashed draft. */
export function questionBlock(view: QuestionView & { readonly draft: string }, room: Room): QuestionBlock {
  const draft = view.isHeld ? [] : draftLines(view.draft, room);
  const box = questionBox(view, { ...room, maxRows: room.maxRows - draft.length });
  return { ...box, lines: [...box.lines, ...draft] };
}

export function draftLines(draft: string, { theme, columns, rows }: Room): readonly string[] {
  const [first = ""] = draft.trim().split("\n");
  if (first === "" || rows < MIN_ROWS_FOR_DRAFT) return [];
  return [theme.dim(truncateText(`${GLYPHS.prompt} draft kept: ${joinedLines(first)}`, columns))];
}

/** The box of a question: the action, its dangers, the reason for the question, the answers. */
export function questionBox(view: QuestionView, style: Style): QuestionBlock {
  const { theme, columns, maxRows, markdown, questions } = style;
  const { asking, count } = view;
  const { question } = asking;
  const { preview } = question.body;
  const width = innerColumns(columns);
  const place = count > 1 ? `1 of ${count}` : "";
  const titleColumns = width - place.length - TITLE_GAP;
  const subject = questions.draw(asking, { theme, columns: width, markdown });
  const title = splitTitle(titleOf(question, question.title, titleColumns), { theme, width, titleColumns });
  const drawn = below(title.rest, subject);
  const box = (upper: readonly string[], lower: readonly string[], edge = title.edge) =>
    dialogLines(upper, lower, { title: revealLine(edge), place, columns, theme });
  for (const caps of CAPS) {
    if (!isFor(caps, asking)) continue;
    const parts = partsOf(view, caps, { theme, columns: width });
    const fixed = EDGE_ROWS + parts.above.length + parts.below.length;
    const overflow = overflowOf(parts);
    const all = [...drawn.lines, ...overflow];
    const most = maxRows - fixed;
    // Text that is repeated below the subject needs only the row that says so, and that row stands below another.
    const needed = overflow.length > 0 ? Math.max(2, drawn.lines.length + 1) : drawn.lines.length;
    if (most < Math.min(needed, caps.preview)) continue;
    const isWhole = preview.kind === "command" || needed <= most;
    const rows = isWhole ? most : Math.min(most, Math.max(dialogRows(style.rows) - fixed, MIN_PREVIEW_ROWS));
    const shown = window_(asking, { ...drawn, lines: all }, { rows, width, theme });
    const isSeen = preview.kind !== "command" || shown.from + shown.rows >= drawn.lines.length;
    const isSelected = asking.choice === selectedChoice(asking, isSeen);
    const { above, below, cursor } = isSelected
      ? parts
      : partsOf({ ...view, asking: { ...asking, choice: selectedChoice(asking, isSeen) } }, caps, {
          theme,
          columns: width,
        });
    const y = 1 + shown.lines.length + above.length;
    const { from, maxScroll } = shown;
    // If the line with the file's name is not visible, the title shows the name.
    const named =
      preview.kind === "diff" && from > 0 ? titleWithPath(question, preview.path, titleColumns) : title.edge;
    // Where no row is left for it, the title shows what leaves the sandbox.
    const outside = caps.reason === 0 ? placeOf(question.body) : undefined;
    return {
      lines: box(
        [...shown.lines, ...above],
        below,
        outside === undefined ? named : `${GLYPHS.warning} ${outside}: ${named}`,
      ),
      preview: { from, maxScroll, rows: shown.rows, anchors: drawn.anchors, isReadable: true, isSeen },
      ...(cursor && { cursor: { x: cursor.x + 2, y: y + cursor.y } }),
    };
  }
  // A question that cannot be read accepts no yes.
  const no = hintsOf(theme, "question")("says no", "question.reject");
  const small = "This window is too small for the question. Make it larger to answer";
  const words = wrapText(no === "" ? `${small}.` : `${small}; ${no}.`, width);
  const lines = box(words.slice(0, Math.max(1, maxRows - EDGE_ROWS)), []);
  return { lines, preview: { ...NO_PREVIEW, isReadable: false } };
}

/** Details that a person opened are not the first to go. Other subjects than commands may be cut. */
function isFor({ preview, details, isBrief }: (typeof CAPS)[number], { isExplained, question }: Asking): boolean {
  if (Number.isFinite(preview) || details > 0) return true;
  return !isExplained && (!isBrief || question.body.preview.kind === "command");
}

function window_(
  { scroll: wanted, marks }: Asking,
  { lines, anchors, firstChange = { from: 0, to: 0 } }: PreviewLines,
  { rows, width, theme }: { rows: number; width: number; theme: Theme },
) {
  // Before any scrolling, the first change is visible: completely if it fits, otherwise its beginning and two rows above it.
  const body = lines.length > rows ? Math.max(1, rows - 1) : rows;
  const { from, to } = firstChange;
  const start = Math.max(0, to - from <= body ? to - body : from - 2);
  const scroll = wanted === 0 ? start : wanted;
  const about = marks
    ? `${marks.left.has(marks.at) ? GLYPHS.left : GLYPHS.taken} ${marks.at + 1} of ${marks.count}`
    : "";
  const pages = hintsOf(theme, "question")("", "question.pageDown", "question.pageUp");
  // The note names the hunk only if its header is not visible.
  const head = marks ? anchors[marks.at] : undefined;
  const isHeadSeen = head === undefined || (head >= scroll && head < scroll + rows - 1);
  return scrolledLines(lines, scroll, { rows, width, theme, pages, ...(!isHeadSeen && { about }) });
}

/** The parts that were cut around the preview are repeated below it in full. */
function overflowOf({ rests }: Parts): readonly string[] {
  return rests.flatMap((rest) => ["", ...rest]);
}

type TitleStyle = { readonly theme: Theme; readonly width: number; readonly titleColumns: number };

/** A title that does not fit into the edge goes on in the rows below it. */
function splitTitle(title: string, { theme, width, titleColumns }: TitleStyle) {
  const shown = revealLine(title);
  const [edge = ""] = wrapText(shown, titleColumns);
  const rest = shown.slice(edge.length).trim();
  return { edge, rest: rest === "" ? [] : wrapText(rest, width).map(theme.strong) };
}

function below(head: readonly string[], { lines, anchors, firstChange }: PreviewLines): PreviewLines {
  const down = head.length;
  return {
    lines: [...head, ...lines],
    anchors: anchors.map((at) => at + down),
    ...(firstChange && { firstChange: { from: firstChange.from + down, to: firstChange.to + down } }),
  };
}

/** The path is cut in the middle, because its end matters most; without room for both, it takes the place of the title. */
function titleWithPath(question: Question, path: string, columns: number): string {
  const { title, agentLabel } = question;
  const most = agentLabel === undefined ? columns : columns - textWidth(`${agentLabel}: `);
  const shown = revealLine(path);
  const room = most - textWidth(title) - 1;
  const isBeside = room >= Math.min(textWidth(shown), MIN_PATH_COLUMNS);
  const named = isBeside ? `${title} ${truncateText(shown, room, "middle")}` : truncateText(shown, most, "middle");
  return titleOf(question, named, columns);
}

/** A question of a child agent names the agent, which comes first where the title is cut. */
function titleOf({ agentLabel }: Question, title: string, columns: number): string {
  if (agentLabel === undefined) return title;
  const whole = `${title} · asked by ${agentLabel}`;
  return textWidth(whole) <= columns ? whole : `${agentLabel}: ${title}`;
}
