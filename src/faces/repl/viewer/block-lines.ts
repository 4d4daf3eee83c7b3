import { lastOverwrite, plainText } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { hardWrapText, wrapText } from "@quoll/terminal-text/wrap-text";
import type { Preview } from "../../../contracts/display.ts";
import { parsedJson } from "../../../contracts/parsed-json.ts";
import type { Chunk } from "../../../protocol/transcript/chunk.ts";
import type { FinishedTool, Row, RunningTool } from "../../../protocol/transcript/transcript.ts";
import type { CodePaint, FilePart } from "../markdown/markdown-renderer.ts";
import { bodyLines } from "../view/body-lines.ts";
import { diffLines, type Split } from "../view/diff-lines.ts";
import { drawableOf } from "../view/drawable-of.ts";
import { BODY_COLUMNS, MARK_COLUMNS, MAX_TEXT_COLUMNS } from "../view/layout.ts";
import { linkedAddresses } from "../view/linked-files.ts";
import { promptText, type RowStyle, rowLines, thinkingHead } from "../view/row-lines.ts";
import type { Theme } from "../view/theme.ts";
import { runningToolLines, toolHead } from "../view/tool-lines.ts";
import { noText, shownRefusal, toolText, wholeTitle } from "../view/transcript-text.ts";
import { FOR_MODEL, type TranscriptBlock, unshownText } from "./blocks.ts";

export type WholeStyle = RowStyle & { readonly split?: Split | undefined };

const INDENT = " ".repeat(BODY_COLUMNS);

/** A line in Read's format. */
const NUMBERED = /^ *(\d+)\t(.*)$/;
/** Further lines have the colour of the text. */
const MAX_PAINTED_LINES = 2_000;

type Style = { readonly theme: Theme; readonly width: number; readonly paint: CodePaint | undefined };

/** A block without folding, as lines of at most `columns`. `nowMs`: monotonic, for the clock of a running call. */
export function wholeBlockLines(
  { rows, running }: TranscriptBlock,
  style: WholeStyle,
  nowMs: number,
): readonly string[] {
  if (running) return runningLines(running, style, nowMs);
  return rows.flatMap((row, at) => {
    const lines = wholeRowLines(row, style);
    const hasGap = at > 0 && row.kind === "markdown" && row.chunk.gap && lines.length > 0;
    return hasGap ? ["", ...lines] : lines;
  });
}

/** A row without folding. */
export function wholeRowLines(row: Row, style: WholeStyle): readonly string[] {
  switch (row.kind) {
    case "user":
      return promptText(row.text, style);
    case "tool":
      return wholeToolLines(row.tool, style);
    case "explorations":
      return row.tools.flatMap((tool) => wholeToolLines(tool, style));
    case "thinking": {
      const lines = wrapText(plainText(row.text), Math.min(MAX_TEXT_COLUMNS, style.columns - MARK_COLUMNS));
      return [
        thinkingHead(row, style.theme),
        ...lines.map((line) => " ".repeat(MARK_COLUMNS) + style.theme.italic(line)),
      ];
    }
    case "footer":
      return rowLines(row, undefined, style).filter((line) => line.trim() !== "");
    default:
      return rowLines(row, undefined, style);
  }
}

/** The parts of a row without folding whose drawing needs code that is loaded at its first use. */
export function wholeDrawables(row: Row): readonly (Chunk | FilePart)[] {
  const folded = drawableOf(row);
  const tools = row.kind === "tool" ? [row.tool] : row.kind === "explorations" ? row.tools : [];
  const paths = tools.map(readPath).filter((path) => path !== undefined);
  return [...(folded ? [folded] : []), ...paths.map((path) => ({ kind: "file", path }) as const)];
}

function wholeToolLines(tool: FinishedTool, style: WholeStyle): readonly string[] {
  const head = toolHead(tool, style);
  const width = style.columns - BODY_COLUMNS;
  const whole = wholeTitle(tool);
  const isCut = whole.includes("\n") || textWidth(whole) > width - 10;
  const preview = tool.answer?.kind === "refused" ? tool.answer.preview : undefined;
  // A refused command follows below, unless the head has all of it.
  const isShown = isCut && preview?.kind !== "command";
  const isRepeated = !isCut && preview?.kind === "command" && preview.command === whole;
  const title = isShown ? outputLines(whole.split("\n"), width, style.theme).map(style.theme.strong) : [];
  const notes = outputLines(tool.notes ?? [], width, style.theme).map(style.theme.dim);
  return [
    head,
    ...[...title, ...notes, ...resultLines(tool, style, width, isRepeated)].map((line) => `${INDENT}${line}`.trimEnd()),
  ];
}

/** @param isRepeated True if what was refused is told already. */
function resultLines(
  tool: FinishedTool,
  { theme, markdown, split }: WholeStyle,
  width: number,
  isRepeated: boolean,
): readonly string[] {
  const { answer, display, isError } = tool;
  const refusal = shownRefusal(tool);
  const diff = { theme, columns: width, split };
  if (answer?.kind === "refused") {
    const refused = isRepeated ? [] : previewLines(answer.preview);
    return [...wrapText(plainText(noText(answer.reason)), width).map(theme.failed), ...refused];
  }
  if (refusal !== undefined) return wrapText(plainText(refusal), width).map(theme.failed);
  if (display?.kind === "diff" && !isError)
    return diffLines(display.hunks, { ...diff, paint: markdown.diffPaint(display.path) });
  const body = display?.kind === "summary" ? display.body : undefined;
  if (display?.kind === "summary" && body && !body.isInResult && !isError) {
    const content =
      body.kind === "diff"
        ? diffLines(body.hunks, { ...diff, paint: markdown.diffPaint(body.path) })
        : bodyLines(body, { theme, columns: width, isWhole: true });
    const forModel = unshownText(tool);
    const below = forModel.length > 0 ? [theme.dim(FOR_MODEL), ...outputLines(forModel, width, theme)] : [];
    return [...outputLines(display.text === "" ? [] : display.text.split("\n"), width, theme), ...content, ...below];
  }
  const path = readPath(tool);
  const notes = (lines: readonly string[]) => outputLines(lines, width, theme);
  const file =
    path === undefined
      ? undefined
      : fileLines(unshownText(tool), { theme, width, paint: markdown.filePaint(path) }, notes);
  if (file) return [...notes(toolText(tool)).map(theme.dim), ...file];
  return notes([...toolText(tool), ...readable(unshownText(tool))]);

  function previewLines(preview: Preview): readonly string[] {
    if (preview.kind === "diff") return diffLines(preview.hunks, { ...diff, paint: markdown.diffPaint(preview.path) });
    return outputLines((preview.kind === "command" ? preview.command : preview.text).split("\n"), width, theme);
  }
}

function runningLines(tool: RunningTool, style: WholeStyle, nowMs: number): readonly string[] {
  const [head = ""] = runningToolLines({ ...tool, progress: undefined }, nowMs, style);
  const tail = outputLines(tool.progress?.tail ?? [], style.columns - BODY_COLUMNS, style.theme);
  return [head, ...tail.map((line) => INDENT + line)];
}

/** A result that is one line of JSON, as several lines. */
function readable(lines: readonly string[]): readonly string[] {
  const [only = "", ...others] = lines;
  const value = others.length === 0 && /^[[{]/.test(only) ? parsedJson(only) : undefined;
  return value === undefined ? lines : JSON.stringify(value, undefined, 2).split("\n");
}

/** Output as a terminal would show it. A short line keeps its indent; a long line is cut at any character. */
function outputLines(lines: readonly string[], width: number, theme: Theme): readonly string[] {
  return lines.flatMap((line) => {
    const shown = linkedAddresses(plainText(lastOverwrite(line)).replaceAll("\n", " "), theme);
    return textWidth(shown) <= width ? [shown] : hardWrapText(shown, width);
  });
}

/** The path of the file whose lines are the result of a call; undefined for other calls. */
function readPath({ use, isError }: FinishedTool): string | undefined {
  const path = use.input["file_path"];
  return use.name === "Read" && !isError && typeof path === "string" ? path : undefined;
}

/**
 * The lines of a file with dim numbers and the colours of its language, wrapped at `width`; `drawNotes` draws the notes
 * below them. The result is undefined if no line has a number, as in the text of a folder.
 */
function fileLines(
  lines: readonly string[],
  { theme, width, paint }: Style,
  drawNotes: (notes: readonly string[]) => readonly string[],
): readonly string[] | undefined {
  const found = lines.map((line) => NUMBERED.exec(line));
  const end = found.indexOf(null);
  const matches = (end < 0 ? found : found.slice(0, end)).filter((match) => match !== null);
  if (matches.length === 0) return undefined;
  const texts = matches.map(([, , text = ""]) => plainText(text).replaceAll("\n", " "));
  const painted = paint ? paint(texts.slice(0, MAX_PAINTED_LINES), theme) : [];
  const digits = matches.at(-1)?.[1]?.length ?? 1;
  const room = Math.max(10, width - digits - 1);
  const code = matches.flatMap(([, number = ""], row) =>
    hardWrapText(painted[row] ?? texts[row] ?? "", room).map((part, at) =>
      `${theme.dim((at === 0 ? number : "").padStart(digits))} ${part}`.trimEnd(),
    ),
  );
  return [...code, ...drawNotes(lines.slice(matches.length))];
}
