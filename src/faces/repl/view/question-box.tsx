import { joinedLines } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import { textWidth } from "@quoll/terminal-text/text-width";
import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import { wrapText } from "@quoll/terminal-text/wrap-text";
import type { CommandRisk, DialogBody, Question } from "../../../contracts/question.ts";
import { joinedHints } from "../keymap/key-hint.ts";
import type { Block, Room } from "../layers/layer.ts";
import type { Asking } from "../layers/open-question.ts";
import { meansYes, questionOptions, standingChoice, typedYes } from "../layers/question-options.ts";
import { NO_PREVIEW, type PreviewView } from "../layers/ui-state.ts";
import { dialogLines } from "./dialog-box.tsx";
import { dialogRows, innerColumns } from "./layout.ts";
import { indented, joined, type OptionLines, optionLines } from "./option-lines.ts";
import { type PreviewLines, warningLines } from "./question-preview.ts";
import { revealLine } from "./reveal.ts";
import { scrolledLines } from "./scrolled-lines.ts";
import { GLYPHS, type Theme } from "./theme.ts";
import { hintsOf } from "./theme-hints.ts";
import { typedRows } from "./typed-rows.ts";

export type QuestionBlock = Block & { readonly preview: PreviewView };

export type QuestionView = {
  readonly asking: Asking;
  /** The number of waiting questions, including this question. */
  readonly count: number;
  /** True if an editor for files is available. */
  readonly canEdit: boolean;
  /** True if the draft still takes the keys. */
  readonly isHeld?: boolean;
};
type Style = Room;

/** In a lower window the draft is hidden. */
const MIN_ROWS_FOR_DRAFT = 12;

/**
 * The maximum rows for each part around the preview, and the minimum rows for the preview; both depend on the window's
 * height.
 */
type Caps = { readonly hazards: number; readonly reason: number; readonly rules: number; readonly preview: number };
const CAPS: readonly Caps[] = [
  // If everything fits, no part is cut or repeated.
  { hazards: 12, reason: 8, rules: 8, preview: Number.POSITIVE_INFINITY },
  { hazards: 6, reason: 3, rules: 4, preview: 4 },
  { hazards: 2, reason: 1, rules: 2, preview: 3 },
  { hazards: 1, reason: 1, rules: 1, preview: 2 },
  { hazards: 1, reason: 0, rules: 0, preview: 2 },
];
const WHY_LABEL = "no, because: ";
const SHORT_WHY_LABEL = "no: ";
const ANSWER_LABEL = "answer: ";
const MIN_WHY_COLUMNS = 8;
const MAX_WHY_ROWS = 6;
/** The share of a row that the command takes next to its danger. */
const MAX_COMMAND_SHARE = 0.45;
const MAX_PROBLEM_ROWS = 2;
/** The edges of the box. */
const EDGE_ROWS = 2;
/** The minimum number of rows of a change that are shown, even if the dialog then exceeds its share of the window. */
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
  const drawn = questions.draw(asking, { theme, columns: width, markdown });
  const place = count > 1 ? `1 of ${count}` : "";
  const box = (upper: readonly string[], lower: readonly string[], title = question.title) =>
    dialogLines(upper, lower, { title: revealLine(titleOf(question, title)), place, columns, theme });
  for (const caps of CAPS) {
    const parts = partsOf(view, caps, { theme, columns: width });
    const fixed = EDGE_ROWS + parts.above.length + parts.below.length;
    const all = [...drawn.lines, ...overflowOf(parts)];
    if (maxRows - fixed < Math.min(all.length, caps.preview)) continue;
    const rows = previewRows(question.body, maxRows - fixed, dialogRows(style.rows) - fixed);
    const shown = window_(asking, { ...drawn, lines: all }, { rows, width, theme });
    const isSeen = preview.kind !== "command" || shown.from + shown.rows >= drawn.lines.length;
    const isStanding = asking.choice === standingChoice(asking, isSeen);
    const { above, below, cursor } = isStanding
      ? parts
      : partsOf({ ...view, asking: { ...asking, choice: standingChoice(asking, isSeen) } }, caps, {
          theme,
          columns: width,
        });
    const y = 1 + shown.lines.length + above.length;
    const { from, maxScroll } = shown;
    // If the line with the file's name is not visible, the title shows the name.
    const named = preview.kind === "diff" && from > 0 ? `${question.title} ${preview.path}` : undefined;
    return {
      lines: box([...shown.lines, ...above], below, named),
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

/** A command is shown completely if the window allows it; other previews get the rows of a dialog. */
function previewRows({ preview }: DialogBody, most: number, share: number): number {
  return preview.kind === "command" ? most : Math.min(most, Math.max(share, MIN_PREVIEW_ROWS));
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

type Capped = {
  readonly lines: readonly string[] /** The full text, if it is not shown completely. */;
  readonly rest: readonly string[];
};
type Parts = {
  readonly above: readonly string[];
  readonly below: readonly string[];
  readonly rests: readonly (readonly string[])[];
  readonly cursor?: Block["cursor"];
};
type PartStyle = { readonly theme: Theme; readonly columns: number };

/** The parts between the preview and the answers, and the answers. */
function partsOf(view: QuestionView, caps: Caps, style: PartStyle): Parts {
  const { asking } = view;
  const { question, why } = asking;
  const hazards = hazardLines(question.body, caps.hazards, style);
  const reason = reasonLines(asking, caps.reason, style);
  const options = optionLines(questionOptions(asking), view.isHeld ? "" : asking.choice, style);
  const rules = ruleLines(asking, options, caps.rules, style);
  const above = [...hazards.lines, ...reason.lines];
  const rests = [hazards.rest, reason.rest, rules.rest].filter((rest) => rest.length > 0);
  if (why) {
    const answer = whyLines(why, asking, style);
    return { above, below: answer.lines, rests, ...(answer.cursor && { cursor: answer.cursor }) };
  }
  const hint = asking.problem !== undefined ? problemLines(asking.problem, style) : keyHint(view, style);
  const last = view.isHeld ? heldLines(style) : caps.reason > 0 ? hint : [];
  const below = [...options.lines, ...rules.lines, ...keptLines(asking, style), ...last];
  return { above, below, rests };
}

/** The parts that were cut around the preview are repeated below it in full. */
function overflowOf({ rests }: Parts): readonly string[] {
  return rests.flatMap((rest) => ["", ...rest]);
}

/** The dangers: for several commands, one row each with the dangers next to the command. */
function hazardLines(body: DialogBody, max: number, style: PartStyle): Capped {
  const { theme, columns } = style;
  const { hazards = [] } = body;
  const risks = body.kind === "permission" ? body.risks : undefined;
  if (hazards.length === 0) return { lines: [], rest: [] };
  const inOne = hazards.map((hazard) => `${theme.warning(GLYPHS.warning)} ${revealLine(hazard)}`).join("   ");
  if (!risks && textWidth(inOne) <= columns) return { lines: [inOne], rest: [] };
  const lines = risks
    ? riskLines(risks, style)
    : hazards.flatMap((hazard) => warningLines(revealLine(hazard), columns, theme));
  if (lines.length <= max) return { lines, rest: [] };
  const more = theme.warning(truncateText(`${GLYPHS.warning} … ${hazards.length} dangers in all: PgDn`, columns));
  return { lines: [...lines.slice(0, max - 1), more], rest: lines };
}

function riskLines(risks: readonly CommandRisk[], { theme, columns }: PartStyle): readonly string[] {
  const names = risks.map(({ command }) => revealLine(command));
  const most = Math.floor(columns * MAX_COMMAND_SHARE);
  const width = Math.min(most, Math.max(...names.map((name) => textWidth(name))));
  return risks.flatMap(({ risks: texts }, at) => {
    const name = padText(truncateText(names[at] ?? "", width), width);
    const lead = `${GLYPHS.warning} ${name}  `;
    const told = wrapText(texts.map(revealLine).join(", "), columns - textWidth(lead));
    return told.map((line, row) =>
      row === 0 ? `${theme.warning(GLYPHS.warning)} ${name}  ${line}` : " ".repeat(textWidth(lead)) + line,
    );
  });
}

/** Where the action would run, and why Quoll asks. */
function reasonLines(
  { question: { body }, isChoosingTerm }: Asking,
  max: number,
  { theme, columns }: PartStyle,
): Capped {
  const { kind, reason } = body;
  const confinement = kind === "permission" ? body.confinement : undefined;
  // These questions already contain their reason.
  if (kind === "spend" || kind === "wait") return { lines: [], rest: [] };
  // The previous step showed the reason, and the permission to be granted needs the room.
  if (isChoosingTerm) return { lines: [], rest: [] };
  const isOutside = kind === "permission" && body.isOutside === true;
  const place = confinement === undefined ? "" : `${capitalised(revealLine(confinement))}. `;
  const mark = isOutside ? `${GLYPHS.warning} ` : "";
  const wrapped = wrapText(`${mark}${place}${revealLine(reason)}`, columns).filter((line) => line !== "");
  const lines = wrapped.map((line, at) =>
    isOutside && at === 0 ? paintPlace(line, `${mark}${place}`.trimEnd(), theme) : theme.dim(line),
  );
  if (lines.length <= max) return { lines, rest: [] };
  if (max === 0) return { lines: [], rest: lines };
  const last = truncateText(`${lines[max - 1] ?? ""}${theme.dim(" …")}`, columns, "middle");
  return { lines: [...lines.slice(0, max - 1), last], rest: lines };
}

/** Leaving the sandbox is shown more prominently than the reason. */
function paintPlace(line: string, place: string, theme: Theme): string {
  return line.startsWith(place) ? theme.warning(place) + theme.dim(line.slice(place.length)) : theme.warning(line);
}

/** A question of a child agent names the agent. */
function titleOf({ agentLabel }: Question, title: string): string {
  return agentLabel === undefined ? title : `${title} asked by ${agentLabel}`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The permissions that the answer "yes" would add. */
function ruleLines({ question, why }: Asking, options: OptionLines, max: number, style: PartStyle): Capped {
  if (why) return { lines: [], rest: [] };
  const { theme, columns } = style;
  const planned = question.body.kind === "plan" ? question.body.rules : [];
  const lines = planned.length > 0 ? indented("  a yes also allows: ", joined(planned), style) : options.rules;
  if (lines.length <= max) return { lines, rest: [] };
  const note = theme.warning(truncateText(`  ${GLYPHS.warning} what is allowed is listed above: PgDn`, columns));
  return { lines: [note], rest: lines };
}

function problemLines(problem: string, { theme, columns }: PartStyle): readonly string[] {
  return wrapText(`${GLYPHS.failed} ${revealLine(problem)}`, columns)
    .slice(0, MAX_PROBLEM_ROWS)
    .map(theme.failed);
}

/** A form's text may be a password. */
function keptLines({ keptWhy, question: { body } }: Asking, { theme, columns }: PartStyle): readonly string[] {
  const text = body.kind === "form" ? "" : joinedLines(keptWhy?.text.trim() ?? "");
  return text === "" ? [] : [theme.dim(truncateText(`${GLYPHS.prompt} reason kept: ${text}`, columns))];
}

export function heldLines({ theme, columns }: PartStyle): readonly string[] {
  const words = ["You are typing: your draft has the keys until you pause for a second.", "Pause a second to answer."];
  const fitting = words.find((one) => textWidth(one) + 2 <= columns) ?? words.at(-1) ?? "";
  return [theme.warning(truncateText(`${GLYPHS.info} ${fitting}`, columns))];
}

function keyHint({ asking, canEdit }: QuestionView, { theme, columns }: PartStyle): readonly string[] {
  const { question, marks } = asking;
  const { preview } = question.body;
  const hasFile = preview.kind === "text" && preview.file !== undefined;
  const isYes = questionOptions(asking).some(({ key, isYes }) => isYes && key === asking.choice);
  const key = hintsOf(theme, "question");
  const enter = key(isYes ? "applies" : "answers", "question.accept");
  const hints = marks
    ? [
        joinedHints(
          key("take/leave", "question.toggle"),
          key("all", "question.takeAll"),
          key("none", "question.takeNone"),
          key("part", "question.up", "question.down"),
          enter,
        ),
        joinedHints(
          key("", "question.toggle", "question.takeAll", "question.takeNone"),
          key("", "question.up", "question.down"),
          enter,
        ),
      ]
    : hasFile && canEdit
      ? [joinedHints(key("edit the text", "question.edit"), key("answers", "question.accept"))]
      : [];
  const fitting = hints.find((hint) => textWidth(hint) + 2 <= columns) ?? hints.at(-1);
  return fitting === undefined ? [] : [theme.dim(truncateText(`  ${fitting}`, columns))];
}

function whyLines(why: NonNullable<Asking["why"]>, asking: Asking, { theme, columns }: PartStyle): Block {
  const isForm = asking.question.body.kind === "form";
  const isYes = !isForm && meansYes(why.text) && typedYes(asking, true) !== undefined;
  const refusal = columns < WHY_LABEL.length + MIN_WHY_COLUMNS ? SHORT_WHY_LABEL : WHY_LABEL;
  const label = isForm || isYes ? ANSWER_LABEL : refusal;
  const typed = typedRows(why, label, { theme, columns, maxRows: MAX_WHY_ROWS });
  const above = typed.above > 0 ? ` · ${plural(typed.above, "row")} above` : "";
  const key = hintsOf(theme, "reason");
  const keys = joinedHints(key(isYes ? "says yes" : "sends it", "reason.send"), key("goes back", "reason.back"));
  const hint = theme.dim(truncateText(`${keys}${above}`, columns));
  return { lines: [...typed.lines, hint], cursor: typed.cursor };
}
