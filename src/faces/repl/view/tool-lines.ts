import { formatDuration, formatSeconds } from "@quoll/terminal-text/format-amount";
import { joinedLines } from "@quoll/terminal-text/one-line";
import { lastOverwrite, plainText } from "@quoll/terminal-text/plain-text";
import { plural } from "@quoll/terminal-text/plural";
import { textWidth } from "@quoll/terminal-text/text-width";
import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import { withoutMarks } from "@quoll/terminal-text/without-marks";
import { hardWrapText, wrapText } from "@quoll/terminal-text/wrap-text";
import type { DeciderKind } from "../../../contracts/decided-by.ts";
import type { DiffHunk, Preview } from "../../../contracts/display.ts";
import type { DiffLayout } from "../../../contracts/terminal-settings.ts";
import { isExploration } from "../../../protocol/transcript/reduce-tools.ts";
import { resultBody } from "../../../protocol/transcript/result-body.ts";
import { elapsedOf, type FinishedTool, type RunningTool } from "../../../protocol/transcript/transcript.ts";
import type { MarkdownRenderer } from "../markdown/markdown-renderer.ts";
import { bodyLines } from "./body-lines.ts";
import { diffLines, splitAt } from "./diff-lines.ts";
import { BODY_COLUMNS, MARK_COLUMNS, spread, VERB_COLUMNS, wrapIndented } from "./layout.ts";
import { linkedTitle } from "./linked-files.ts";
import { GLYPHS, spinnerAt, type Theme } from "./theme.ts";
import { opensTranscript } from "./theme-hints.ts";
import { todoChangeLines, todoCount } from "./todo-lines.ts";
import { verbOf } from "./tool-verbs.ts";
import { commandEnd, noText, shownRefusal } from "./transcript-text.ts";

type Style = {
  readonly theme: Theme;
  readonly columns: number;
  readonly markdown?: MarkdownRenderer;
  readonly diff?: DiffLayout | undefined;
};

const MAX_DIFF_LINES = 30;
const MAX_NEW_FILE_LINES = 8;
/** The rows of one long line of a change. */
const MAX_LINE_ROWS = 3;
const MAX_REFUSED_LINES = 8;
const MAX_OUTPUT_LINES = 3;
const MAX_FAILED_OUTPUT_LINES = 6;
/** The maximum number of output lines for a command that the person typed. */
const MAX_OWN_OUTPUT_LINES = 40;
const MAX_ERROR_LINES = 4;
/** The room for the duration of a call, with the gap before it. */
const TIME_COLUMNS = 11;
/** The minimum duration that is shown. */
const MIN_SHOWN_MS = 50;

/** An ended call: one row, with its result below. */
export function toolLines(tool: FinishedTool, style: Style): readonly string[] {
  const width = style.columns - BODY_COLUMNS;
  const body = bodyOf(tool, style, width).map((line) => " ".repeat(BODY_COLUMNS) + line);
  const fact = hasFactInHead(tool, style) ? style.theme.dim(summaryText(tool)) : "";
  return [headOf(tool, fact, style), ...body, ...imageLines([tool], style)];
}

/** The row of an ended call without its result. */
export function toolHead(tool: FinishedTool, style: Style): string {
  return headOf(tool, "", style);
}

function headOf(tool: FinishedTool, fact: string, style: Style): string {
  const { theme } = style;
  const mark = tool.isError ? theme.failed(GLYPHS.failed) : " ";
  return headLine(mark, tool, [fact, amounts(tool, theme)].filter(Boolean).join(theme.dim(" · ")), style);
}

/** True if the summary of a result fits beside the whole title. */
function hasFactInHead(tool: FinishedTool, { columns }: Style): boolean {
  const { use, title, isError, display } = tool;
  const text = summaryText(tool);
  const width = BODY_COLUMNS + textWidth(joinedLines(title)) + textWidth(text) + TIME_COLUMNS;
  const isLined = display?.kind === "summary" && LINED.has(use.name) && display.text.includes("\n");
  return text !== "" && !isError && !isLined && use.name !== QUESTION_TOOL && width <= columns;
}

function summaryText({ display }: FinishedTool): string {
  return display?.kind === "summary" ? joinedLines(display.text) : "";
}

/** The tool whose summary has what the person said. */
const QUESTION_TOOL = "AskUserQuestion";

/** A running call; with `hasRow`, a row below the prompt shows its time. */
export type ShownCall = RunningTool & { readonly hasRow?: boolean };

/** A running call: its time at the right, the last lines of its output below. */
export function runningToolLines(tool: ShownCall, nowMs: number, style: Style): readonly string[] {
  if (tool.finished) return toolLines(tool.finished, style);
  const { theme, columns } = style;
  const elapsed = elapsedOf(tool.watch, nowMs);
  const clock = tool.hasRow || elapsed < 1_000 ? "" : theme.dim(formatSeconds(elapsed));
  // A call that waits for the person does nothing meanwhile.
  const mark = tool.watch.waitingSince === undefined ? spinnerAt(nowMs, theme) : GLYPHS.running;
  const head = headLine(theme.accent(mark), tool, clock, style);
  const width = columns - BODY_COLUMNS;
  const { lines } = outputLines(tool.progress?.tail ?? [], MAX_OUTPUT_LINES);
  return [head, ...lines.map((line) => " ".repeat(BODY_COLUMNS) + theme.dim(truncateText(line, width)))];
}

/** Neighbouring reads and searches: `read  a.ts, b.ts · searched "x" (3)`. */
export function explorationLines(tools: readonly FinishedTool[], { theme, columns }: Style): readonly string[] {
  const first = tools[0];
  if (!first) return [];
  const total = timeOf(tools);
  const runs = runsOf(tools);
  const facts = [readFact(runs), total < MIN_SHOWN_MS ? "" : formatDuration(total)].filter((fact) => fact !== "");
  const right = theme.dim(facts.join(" · "));
  const room = columns - BODY_COLUMNS - textWidth(right) - 3;
  const parts = runs.map(({ tool, times }, at) => {
    const before = runs[at - 1]?.tool;
    const isNewVerb = before !== undefined && before.use.name !== tool.use.name;
    const lead = before === undefined ? "" : isNewVerb ? ` · ${PAST[tool.use.name] ?? verbOf(tool.use.name)} ` : ", ";
    return { text: lead + linkedTitle(tool.use, lookTitle(tool), theme) + (times > 1 ? ` ×${times}` : ""), times };
  });
  let shown = "";
  let left = tools.length;
  for (const { text, times } of parts) {
    if (shown !== "" && textWidth(shown + text) > room - (left > times ? 10 : 0)) break;
    shown += text;
    left -= times;
  }
  if (left > 0) shown += `, +${left} more`;
  const verb = padText(verbOf(first.use.name), VERB_COLUMNS);
  const head = spread(`${" ".repeat(MARK_COLUMNS)}${theme.dim(verb)}${shown}`, right, columns);
  return [head, ...imageLines(tools, { theme, columns })];
}

/** The number of lines that the only read of a row returned. Among others, the names need the room. */
function readFact([first, ...others]: readonly Run[]): string {
  const isAlone = first !== undefined && others.length === 0 && first.tool.use.name === "Read";
  return isAlone ? summaryText(first.tool) : "";
}

/** Milliseconds in which at least one of the calls ran: calls of one answer run together. */
function timeOf(tools: readonly FinishedTool[]): number {
  let total = 0;
  let latest = 0;
  for (const { startedAt = latest, durationMs } of tools.toSorted((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0))) {
    const end = startedAt + durationMs;
    total += Math.max(0, end - Math.max(startedAt, latest));
    latest = Math.max(latest, end);
  }
  return total;
}

/** Names the images and documents of results, whether the terminal can show them or not; a file by its path. */
function imageLines(tools: readonly FinishedTool[], { theme, columns }: Style): readonly string[] {
  const room = columns - BODY_COLUMNS;
  return tools.flatMap(({ use, title, images = [] }) =>
    images.map((image) => {
      const [kind = "", ...facts] = image.split(" ");
      const size = facts.join(" ");
      const name = use.name === "Read" ? joinedLines(title) : kind;
      const lead = truncateText(name, Math.max(8, room - textWidth(size) - 1), "middle");
      return " ".repeat(BODY_COLUMNS) + theme.dim(truncateText(`${lead} ${size}`, room));
    }),
  );
}

type Run = { readonly tool: FinishedTool; readonly times: number };

/** Neighbours with the same subject are shown once. */
function runsOf(tools: readonly FinishedTool[]): readonly Run[] {
  const runs: { tool: FinishedTool; times: number }[] = [];
  for (const tool of tools) {
    const last = runs.at(-1);
    if (last && last.tool.use.name === tool.use.name && lookTitle(last.tool) === lookTitle(tool)) last.times += 1;
    else runs.push({ tool, times: 1 });
  }
  return runs;
}

const PAST: Readonly<Record<string, string>> = { Read: "read", Grep: "searched", Glob: "looked for" };

function lookTitle({ use, title, display }: FinishedTool): string {
  const shown = joinedLines(title);
  if (use.name === "Read" || display?.kind !== "summary") return shown;
  return `${shown} (${display.count ?? joinedLines(display.text)})`;
}

type Call = Pick<FinishedTool, "use" | "title"> & Partial<Pick<FinishedTool, "display">>;

function headLine(mark: string, { use, title, display }: Call, right: string, { theme, columns }: Style): string {
  const { name } = use;
  const verb = verbOf(name);
  const lead = `${mark} ${theme.dim(padText(verb, VERB_COLUMNS))}`;
  const gap = textWidth(verb) >= VERB_COLUMNS ? " " : "";
  const room = columns - textWidth(lead) - gap.length - (right === "" ? 0 : textWidth(right) + 2);
  // A path is cut in the middle, because its end matters most; a command is cut at its end. A call without a title has
  // its tool's name as title, which the verb already shows.
  const told = display?.kind === "todos" ? todoCount(display.todos) : title === name ? "" : title;
  const shown = truncateText(joinedLines(told), Math.max(8, room), verb === "$" || verb === "mcp" ? "end" : "middle");
  return spread(`${lead}${gap}${linkedTitle(use, shown, theme)}`, right, columns);
}

function amounts({ use, durationMs, display, isError }: FinishedTool, theme: Theme): string {
  if (display?.kind === "diff" && !isError) {
    const added = display.added > 0 ? theme.added(`+${display.added}`) : "";
    const removed = display.removed > 0 ? theme.removed(`−${display.removed}`) : "";
    return [added, removed].filter((part) => part !== "").join(" ");
  }
  return durationMs < MIN_SHOWN_MS || (isExploration(use.name) && isError) ? "" : theme.dim(formatDuration(durationMs));
}

function bodyOf(tool: FinishedTool, style: Style, width: number): readonly string[] {
  const { theme } = style;
  if (tool.answer?.kind === "refused") return refusedLines(tool.answer, theme, width);
  const refusal = shownRefusal(tool);
  if (refusal !== undefined) return refusalLines(joinedLines(refusal), tool.refusedBy?.kind, theme, width);
  const { display } = tool;
  if (display?.kind === "command") return commandLines(display, tool, theme, width);
  if (tool.isError) return errorLines(tool.excerpt, theme, width);
  if (display?.kind === "diff") {
    const lines = changeLines(display, display.isNew ? MAX_NEW_FILE_LINES : MAX_DIFF_LINES, style);
    return [...partLines(tool.answer, theme, width), ...lines];
  }
  if (display?.kind === "todos") return todoChangeLines(tool.todoChanges ?? [], theme, width);
  if (isExploration(tool.use.name)) return [];
  return [...factLines(tool, style, width), ...contentLines(tool, style, width)];
}

/** The summary of a result, where it does not stand in the row of the call. */
function factLines(tool: FinishedTool, style: Style, width: number): readonly string[] {
  const { display } = tool;
  if (display?.kind !== "summary" || display.text === "" || hasFactInHead(tool, style)) return [];
  return summaryLines(display.text, tool).map((line) => style.theme.dim(truncateText(line, width)));
}

/** The first lines of a result's content. */
function contentLines(tool: FinishedTool, style: Style, width: number): readonly string[] {
  const body = resultBody(tool);
  if (!body) return [];
  if (body.kind === "diff") return changeLines(body, MAX_DIFF_LINES, style);
  // An agent answers in Markdown.
  const isAnswer = tool.use.name === "Agent" && body.kind === "text";
  const shown = isAnswer ? { ...body, text: body.text.split("\n").map(withoutMarks).join("\n") } : body;
  return bodyLines(shown, { theme: style.theme, columns: width });
}

type Change = { readonly path: string; readonly hunks: readonly DiffHunk[] };

function changeLines({ path, hunks }: Change, maxLines: number, style: Style): readonly string[] {
  const { theme, markdown, columns, diff } = style;
  return diffLines(hunks, {
    theme,
    columns: columns - BODY_COLUMNS,
    maxLines,
    maxLineRows: MAX_LINE_ROWS,
    atEdge: true,
    paint: markdown?.diffPaint(path),
    split: splitAt(columns, diff),
  });
}

/** The tools whose summary can have several lines; an agent's has them in files of older versions. */
const LINED: ReadonlySet<string> = new Set(["Agent", QUESTION_TOOL]);

/** The facts of an agent; one line for each answer of the person. */
function summaryLines(text: string, { use }: FinishedTool): readonly string[] {
  return LINED.has(use.name) ? plainText(text).split("\n") : [joinedLines(text)];
}

/** The reason of a hook comes first, so that the hook's name is cut before it. */
function refusalLines(words: string, by: DeciderKind | undefined, theme: Theme, width: number): readonly string[] {
  const [first = "", ...rest] = wrapText(words, width);
  if (by === "person") return [first, ...rest].map((line) => theme.failed(line));
  const shown = by === "hook" && rest.length > 0 ? [first, truncateText(rest.join(" "), width)] : undefined;
  return (shown ?? [truncateText(words, width)]).map((line) => theme.failed(line));
}

/** The person's no, their reason, and the denied preview. */
function refusedLines({ reason, preview }: Refused, theme: Theme, width: number): readonly string[] {
  return [
    ...wrapText(joinedLines(noText(reason)), width).map((line) => theme.failed(line)),
    ...refusedPreview(preview, theme, width),
  ];
}

/** The preview has no colours, because no file was changed. */
function refusedPreview(preview: Preview, theme: Theme, width: number): readonly string[] {
  if (preview.kind === "diff") {
    const style = { theme, columns: width, maxLines: MAX_REFUSED_LINES, maxLineRows: 1 };
    return diffLines(preview.hunks, { ...style, isLeft: () => true });
  }
  // A short command is shown in the header of the row.
  if (preview.kind !== "command" || (!preview.command.includes("\n") && textWidth(preview.command) <= width)) return [];
  const lines = preview.command.split("\n").flatMap((line) => hardWrapText(plainText(line), width));
  const shown = lines.slice(0, MAX_REFUSED_LINES).map((line) => theme.dim(line));
  const left = lines.length - shown.length;
  return left > 0 ? [...shown, theme.dim(`… ${plural(left, "more line")}`)] : shown;
}

function partLines(answer: FinishedTool["answer"], theme: Theme, width: number): readonly string[] {
  if (answer?.kind !== "part") return [];
  return [theme.warning(truncateText(`${GLYPHS.taken} you took ${answer.taken} of ${answer.of} parts`, width))];
}

type Refused = Extract<FinishedTool["answer"], { kind: "refused" }>;
type Command = Extract<FinishedTool["display"], { kind: "command" }>;

function commandLines(
  command: Command,
  { isError, isOwn = false }: FinishedTool,
  theme: Theme,
  width: number,
): readonly string[] {
  const max = isOwn ? MAX_OWN_OUTPUT_LINES : isError ? MAX_FAILED_OUTPUT_LINES : MAX_OUTPUT_LINES;
  const paint = isOwn ? (line: string) => line : theme.dim;
  const { lines, before, isMore } = outputLines(command.tail, max);
  const tail = lines.map((line) => paint(truncateText(line, width)));
  const missing = command.totalLines - command.tail.length;
  // Blank lines alone are not worth a note.
  const left = missing > 0 || isMore ? missing + before : 0;
  const above =
    left > 0 && tail.length > 0
      ? [theme.dim(truncateText(`… ${plural(left, "line")} above${opensTranscript(theme)}`, width))]
      : [];
  const place = (command.place ?? []).map((line) => theme.dim(truncateText(plainText(line), width)));
  return [...above, ...tail, ...place, ...verdict(command, isError, theme)];
}

function verdict(command: Command, isError: boolean, theme: Theme): readonly string[] {
  const end = commandEnd(command, isError);
  const paint = { moved: theme.accent, failed: theme.failed, stopped: theme.dim };
  return end ? [paint[end.how](end.text)] : [];
}

function errorLines(excerpt: string, theme: Theme, width: number): readonly string[] {
  const lines = plainText(excerpt)
    .split("\n")
    .filter((line) => line.trim() !== "")
    .flatMap((line) => wrapIndented(line, width));
  const shown = lines.slice(0, MAX_ERROR_LINES).map((line) => theme.failed(line));
  const left = lines.length - shown.length;
  return left > 0 ? [...shown, theme.dim(`… ${plural(left, "more line")}`)] : shown;
}

/** The last non-blank lines, as a terminal would show them, the number of lines before them, and if one of those is not blank. */
function outputLines(tail: readonly string[], max: number) {
  const all = tail.map((line) => plainText(lastOverwrite(line)).replaceAll("\n", " "));
  const filled = all.flatMap((line, at) => (line.trim() === "" ? [] : [{ line, at }]));
  const shown = filled.slice(-max);
  return { lines: shown.map(({ line }) => line), before: shown[0]?.at ?? 0, isMore: filled.length > shown.length };
}
