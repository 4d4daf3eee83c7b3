import { joinedLines } from "@quoll/terminal-text/one-line";
import { textWidth } from "@quoll/terminal-text/text-width";
import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import { wrapText } from "@quoll/terminal-text/wrap-text";
import { Box } from "ink";
import type { ChoiceQuestion } from "../../../contracts/question.ts";
import { joinedHints } from "../keymap/key-help.ts";
import { answerOf, answersOf, markedRow, shownQuestion, writtenLine } from "../layers/choice.ts";
import type { Block, Room } from "../layers/layer.ts";
import type { AnswerDraft, Choosing } from "../layers/open-question.ts";
import { NO_PREVIEW } from "../layers/ui-state.ts";
import { ChoiceOptions, type Detail, type ShownRow } from "./choice-options.tsx";
import { choicePreview } from "./choice-preview.ts";
import { DialogBox, dialogLines, Lines } from "./dialog-box.tsx";
import { drawComponent, LastDrawn } from "./draw-component.ts";
import { dialogRows, innerColumns } from "./layout.ts";
import { draftLines } from "./question-box.tsx";
import { heldLines } from "./question-parts.ts";
import { scrolledLines } from "./scrolled-lines.ts";
import { GLYPHS, type Theme } from "./theme.ts";
import { hintsOf } from "./theme-hints.ts";
import { typedRows } from "./typed-rows.ts";

type View = {
  readonly choosing: Choosing;
  /** The number of waiting questions of all kinds, including these. */
  readonly count: number;
  /** True if the draft still takes the keys. */
  readonly isHeld: boolean;
  readonly draft: string;
};
type Style = { readonly theme: Theme; readonly columns: number };

const OWN_LABEL = "Another answer";
const TALK_LABEL = "Talk about it instead";
const NO_PREVIEW_TEXT = "no preview of this answer";
const NO_ANSWER = "no answer: the model decides";
const EDGE_ROWS = 2;
/** The columns before and after the text of a row. */
const ROW_INDENT = 4;
const MAX_LINE_ROWS = 4;
/** With less room for the words, the label before them is left out. */
const MIN_LINE_COLUMNS = 20;
/** From this inner width on, a preview is shown beside the options. */
const MIN_COLUMNS_BESIDE = 64;
const OPTIONS_SHARE = 0.45;
const MIN_OPTION_COLUMNS = 26;
const MIN_PREVIEW_ROWS = 3;
/** The rows of a question's text in a low window: one line, and one that says where it goes on. */
const MIN_TEXT_ROWS = 2;
const DETAILS: readonly Detail[] = ["whole", "line", "none"];

const lastDrawn = new LastDrawn<Block>();

/** The box of the model's questions: their tabs, the shown question with its options, and a preview beside them. */
export function choiceBlock(view: View, room: Room): Block {
  const { theme, columns, rows, maxRows } = room;
  const { choosing, count, isHeld } = view;
  return lastDrawn.draw([choosing, count, isHeld, isHeld ? "" : view.draft, theme, columns, rows, maxRows], () => {
    const draft = isHeld ? [] : draftLines(view.draft, room);
    const box = choiceBox(view, { ...room, maxRows: maxRows - draft.length });
    return { ...box, lines: [...box.lines, ...draft] };
  });
}

function choiceBox(view: View, { theme, columns, maxRows, rows: allRows }: Room): Block {
  const { choosing, count } = view;
  const width = innerColumns(columns);
  const style = { theme, columns: width };
  const head = [...tabLines(choosing, style), ...questionLines(choosing, style)];
  const foot = view.isHeld ? heldLines(style) : hintLines(choosing, style);
  const room = maxRows - EDGE_ROWS - head.length - foot.length;
  const title = { title: titleOf(choosing), place: count > 1 ? `1 of ${count}` : "" };
  for (const detail of DETAILS) {
    const rows = shownQuestion(choosing) ? optionRows(view, detail, style) : reviewRows(choosing, style);
    if (rows.lines.length > room) continue;
    const share = dialogRows(allRows) - (maxRows - room);
    const body = withPreview(rows, choosing, { ...style, rows: Math.min(room, Math.max(rows.lines.length, share)) });
    const cursor = rows.cursor && { x: rows.cursor.x + 2, y: rows.cursor.y + head.length + 1 };
    return {
      lines: drawComponent(
        <DialogBox {...title} columns={columns} theme={theme}>
          <Lines lines={head} />
          {body.node}
          <Lines lines={foot} />
        </DialogBox>,
        columns,
      ),
      preview: { ...NO_PREVIEW, ...body.preview },
      ...(cursor && !view.isHeld && { cursor }),
    };
  }
  const low = lowBody(view, { ...style, rows: maxRows - EDGE_ROWS - foot.length });
  if (low) {
    const place = low.place ?? title.place;
    return { ...low.block, lines: dialogLines(low.block.lines, foot, { ...title, place, columns, theme }) };
  }
  const small = wrapText("This window is too small for the question. Make it larger to answer.", width);
  const lines = dialogLines(small.slice(0, Math.max(1, maxRows - EDGE_ROWS)), [], { ...title, columns, theme });
  return { lines, preview: { ...NO_PREVIEW, isReadable: false } };
}

/**
 * The question and its rows for a window in which not all of them fit: the text scrolls, and of the rows those around the
 * marked one are shown. Undefined if not even that fits.
 */
function lowBody(view: View, { rows, ...style }: PreviewRoom) {
  const { choosing, isHeld } = view;
  const tabs = tabLines(choosing, style).slice(0, 1);
  const shown = shownQuestion(choosing);
  const head = questionLines(choosing, style);
  const text = shown ? head : [...head, ...answerLines(choosing, style)];
  const options = shown ? shownRows(view, style) : reviewOptions(choosing, style);
  const typed = options.findIndex((row) => "typed" in row);
  const at = typed < 0 ? (shown?.draft.at ?? choosing.reviewAt) : typed;
  const drawn = options.map((row) => drawnRows([row], "none", style).lines.length);
  const room = rows - tabs.length;
  const around = (most: number) => rangeAround(drawn, at, room - Math.min(text.length, most));
  // A question that fits into half of the room is read whole.
  const range = (text.length <= room / 2 ? around(text.length) : undefined) ?? around(MIN_TEXT_ROWS);
  if (!range) return undefined;
  const textRows = Math.min(text.length, room - range.lines);
  const pages = hintsOf(style.theme, "choice")("", "choice.pageDown", "choice.pageUp");
  const window = scrolledLines(text, choosing.scroll, { ...style, rows: textRows, width: style.columns, pages });
  const some = drawnRows(options.slice(range.from, range.to), "none", style);
  const above = [...tabs, ...window.lines];
  const { from, maxScroll } = window;
  const isCut = range.to - range.from < options.length;
  return {
    ...(isCut && { place: `${range.from + 1}–${range.to} of ${options.length}` }),
    block: {
      lines: [...above, ...some.lines],
      preview: { ...NO_PREVIEW, from, maxScroll, rows: window.rows },
      ...(some.cursor && !isHeld && { cursor: { x: some.cursor.x + 2, y: some.cursor.y + above.length + 1 } }),
    },
  };
}

/** The most rows up to and after the row `at` that fit into `room` lines; undefined if this row alone does not fit. */
function rangeAround(heights: readonly number[], at: number, room: number) {
  const sum = (from: number, to: number) => heights.slice(from, to).reduce((lines, height) => lines + height, 0);
  let from = 0;
  while (from < at && sum(from, at + 1) > room) from += 1;
  if (sum(from, at + 1) > room) return undefined;
  let to = at + 1;
  while (to < heights.length && sum(from, to + 1) <= room) to += 1;
  return { from, to, lines: sum(from, to) };
}

/** A question of a child agent names the agent. */
function titleOf({ question: { title, body, agentLabel } }: Choosing): string {
  const { length } = body.questions;
  const what = length === 1 ? title : `${length} questions`;
  return agentLabel === undefined ? what : `${what} · asked by ${agentLabel}`;
}

/** Which question is shown, and which have an answer; nothing for a single question. */
function tabLines({ question: { body }, drafts, tab }: Choosing, { theme, columns }: Style): readonly string[] {
  if (body.questions.length === 1) return [];
  const names = body.questions.map((asked, at) => {
    const isAnswered = hasAnswer(asked, drafts[at]);
    return { name: asked.header, mark: isAnswered ? GLYPHS.passed : GLYPHS.info };
  });
  const tabs = [...names, { name: "Review", mark: GLYPHS.next }].map(({ name, mark }, at) => {
    const text = `${mark} ${name}`;
    return at === tab ? theme.inverse(` ${text} `) : theme.dim(` ${text} `);
  });
  return [truncateText(tabs.join(" "), columns), ""];
}

function hasAnswer(asked: ChoiceQuestion, draft: AnswerDraft | undefined): boolean {
  const { labels, words } = draft ? answerOf(asked, draft) : { labels: [], words: undefined };
  return labels.length > 0 || words !== undefined;
}

function questionLines(choosing: Choosing, { theme, columns }: Style): readonly string[] {
  const shown = shownQuestion(choosing);
  if (!shown) return [theme.strong("Your answers")];
  const { question, isMultiple } = shown.asked;
  const more = isMultiple ? ["Choose any number of them."] : [];
  return [
    ...wrapText(question, columns).map(theme.strong),
    ...more.map((line) => theme.dim(truncateText(line, columns))),
  ];
}

type Rows = {
  readonly lines: readonly string[];
  /** The columns that the lines take. */
  readonly columns: number;
  readonly cursor?: Block["cursor"];
};

function optionRows({ choosing, isHeld }: View, detail: Detail, { theme, columns }: Style): Rows {
  const shown = shownQuestion(choosing);
  if (!shown) return { lines: [], columns };
  const { asked } = shown;
  const hasPreview = asked.options.some(({ preview }) => preview !== undefined);
  // A line that is typed gets the whole width: no option is marked then, so that there is no preview.
  const isBeside = hasPreview && !choosing.writing && columns >= MIN_COLUMNS_BESIDE;
  const room = isBeside ? Math.max(MIN_OPTION_COLUMNS, Math.floor(columns * OPTIONS_SHARE)) : columns;
  const style = { theme, columns: room };
  return drawnRows(shownRows({ choosing, isHeld }, style), detail, style);
}

/** The options of the shown question, and the rows for the person's own words. */
function shownRows({ choosing, isHeld }: Pick<View, "choosing" | "isHeld">, style: Style): readonly ShownRow[] {
  const shown = shownQuestion(choosing);
  if (!shown) return [];
  const { asked, draft } = shown;
  const options = asked.options.map(({ label, description }, index): ShownRow => {
    const isChosen = draft.chosen.includes(index);
    const isMarked = index === draft.at && !isHeld;
    return {
      number: index + 1,
      label: `${boxOf(isChosen, asked.isMultiple)}${label}`,
      description,
      isMarked,
      isChosen,
    };
  });
  const { length } = options;
  const isMarked = (at: number) => at === draft.at && !isHeld;
  const words = ownRow(choosing, "words", { number: length + 1, isMarked: isMarked(length), ...style });
  const talk = ownRow(choosing, "talk", { number: length + 2, isMarked: isMarked(length + 1), ...style });
  return [...options, words, talk];
}

/** The rows, and the cursor in the one that is typed: each row below it has one line. */
function drawnRows(rows: readonly ShownRow[], detail: Detail, { theme, columns }: Style): Rows {
  const lines = drawComponent(<ChoiceOptions rows={rows} detail={detail} theme={theme} columns={columns} />, columns);
  const at = rows.findIndex((row) => "typed" in row);
  const row = rows[at];
  if (!row || !("typed" in row)) return { lines, columns };
  const { x, y } = row.typed.cursor;
  const below = rows.length - 1 - at;
  return { lines, columns, cursor: { x, y: lines.length - below - row.typed.lines.length + y } };
}

/** Several can be chosen: a box before each. Of one, the chosen one is checked. */
function boxOf(isChosen: boolean, isMultiple: boolean): string {
  if (isMultiple) return `${isChosen ? GLYPHS.taken : GLYPHS.left} `;
  return isChosen ? `${GLYPHS.passed} ` : "";
}

type Mark = Style & { readonly number: number; readonly isMarked: boolean };

/** A row for the person's words, with the beginning of what was typed; the open one is the line that is typed. */
function ownRow(choosing: Choosing, kind: "words" | "talk", { number, isMarked, ...style }: Mark): ShownRow {
  const name = kind === "talk" ? TALK_LABEL : OWN_LABEL;
  if (choosing.writing === kind) return { typed: writtenRows(choosing, `${number} ${name}: `, style) };
  const { text } = kind === "talk" ? choosing.talk : (shownQuestion(choosing)?.draft.words ?? choosing.talk);
  const shown = text.trim() === "" ? name : `${name}: ${joinedLines(text)}`;
  const label = truncateText(shown, style.columns - ROW_INDENT - 2);
  return { number, label, description: "", isMarked, isChosen: false };
}

/** The line that is being typed, with its cursor. */
function writtenRows(choosing: Choosing, label: string, { theme, columns }: Style) {
  const isShort = columns - textWidth(label) < MIN_LINE_COLUMNS;
  const lead = `  ${isShort ? `${label.slice(0, 1)} ` : label}`;
  return typedRows(writtenLine(choosing), lead, { theme, columns, maxRows: MAX_LINE_ROWS });
}

/** The answers as they will be sent. */
function reviewRows(choosing: Choosing, style: Style): Rows {
  const { cursor, ...rows } = drawnRows(reviewOptions(choosing, style), "none", style);
  const above = [...answerLines(choosing, style), ""];
  const y = above.length + (cursor?.y ?? 0);
  const { columns } = style;
  return { lines: [...above, ...rows.lines], columns, ...(cursor && { cursor: { x: cursor.x, y } }) };
}

function reviewOptions(choosing: Choosing, style: Style): readonly ShownRow[] {
  const { reviewAt } = choosing;
  const send = { number: 1, label: "Send these answers", description: "", isMarked: reviewAt === 0, isChosen: false };
  return [send, ownRow(choosing, "talk", { number: 2, isMarked: reviewAt === 1, ...style })];
}

function answerLines(choosing: Choosing, { theme, columns }: Style): readonly string[] {
  const { question } = choosing;
  const answers = answersOf(choosing);
  const { questions } = question.body;
  const width = Math.max(...questions.map(({ header }) => textWidth(header)));
  return questions.flatMap(({ header }, at) => {
    const { labels = [], words = "" } = answers[at] ?? {};
    const said = [...labels, ...(words === "" ? [] : [`“${joinedLines(words)}”`])].join(", ");
    const [first = "", ...rest] = wrapText(said === "" ? NO_ANSWER : said, columns - width - 4);
    const paint = said === "" ? theme.warning : (text: string) => text;
    const indent = " ".repeat(width + 4);
    return [`  ${theme.dim(padText(header, width))}  ${paint(first)}`, ...rest.map((line) => indent + paint(line))];
  });
}

type PreviewRoom = Style & { readonly rows: number };

/** The preview of the marked option, beside the options, or below them in a narrow window. */
function withPreview(rows: Rows, choosing: Choosing, { theme, columns, rows: room }: PreviewRoom) {
  const shown = shownQuestion(choosing);
  const text = shown?.asked.options[shown.draft.at]?.preview;
  const none = { node: <Lines lines={rows.lines} />, preview: {} };
  if (!shown || rows.columns === columns) {
    const below = room - rows.lines.length - 1;
    if (text === undefined || below < MIN_PREVIEW_ROWS) return none;
    const drawn = scrolledPreview(text, choosing, { theme, columns: columns - 2, rows: below });
    const node = (
      <Box flexDirection="column" rowGap={1}>
        <Lines lines={rows.lines} />
        <Box paddingLeft={2}>
          <Lines lines={drawn.lines} />
        </Box>
      </Box>
    );
    return { node, preview: drawn.preview };
  }
  const edge = theme.dim("│");
  const width = columns - rows.columns - 3;
  const most = Math.max(rows.lines.length, room);
  const drawn = text === undefined ? undefined : scrolledPreview(text, choosing, { theme, columns: width, rows: most });
  const beside = drawn?.lines ?? [theme.dim(truncateText(NO_PREVIEW_TEXT, width))];
  const count = Math.max(rows.lines.length, beside.length);
  const node = (
    <Box columnGap={1}>
      <Box width={rows.columns} flexShrink={0}>
        <Lines lines={rows.lines} />
      </Box>
      <Lines lines={Array.from({ length: count }, () => edge)} />
      <Lines lines={beside} />
    </Box>
  );
  return { node, preview: drawn?.preview ?? {} };
}

function scrolledPreview(text: string, { scroll }: Choosing, { theme, columns, rows }: PreviewRoom) {
  const pages = hintsOf(theme, "choice")("", "choice.pageDown", "choice.pageUp");
  const drawn = scrolledLines(choicePreview(text, { theme, columns }), scroll, { rows, width: columns, theme, pages });
  return { lines: drawn.lines, preview: { from: drawn.from, maxScroll: drawn.maxScroll, rows: drawn.rows } };
}

function hintLines(choosing: Choosing, { theme, columns }: Style): readonly string[] {
  const { problem } = choosing;
  if (problem !== undefined) return [theme.warning(truncateText(`${GLYPHS.info} ${problem}`, columns))];
  if (choosing.writing) {
    const of = hintsOf(theme, "words");
    const does = choosing.writing === "talk" ? "says it" : "takes it";
    return [
      theme.dim(truncateText(`  ${joinedHints(of(does, "words.send"), of("goes back", "words.back"))}`, columns)),
    ];
  }
  const of = hintsOf(theme, "choice");
  const isMany = choosing.question.body.questions.length > 1;
  const asked = shownQuestion(choosing)?.asked;
  const isOption = asked ? markedRow(choosing)?.kind === "option" : choosing.reviewAt === 0;
  const tabs = isMany ? of("question", "choice.previous", "choice.next") : "";
  const does = !isOption ? "lets you write" : !asked ? "sends them" : isMany ? "goes on" : "sends it";
  const enter = of(does, "choice.accept");
  const marks = asked?.isMultiple && isOption ? of("chooses", "choice.toggle") : "";
  const hints = [
    joinedHints(marks, enter, tabs, asked ? "type your own answer" : "type to talk about it"),
    joinedHints(marks, enter, tabs),
    joinedHints(marks, enter),
  ];
  const fitting = hints.find((hint) => textWidth(hint) + 2 <= columns) ?? "";
  return [theme.dim(truncateText(`  ${fitting}`, columns))];
}
