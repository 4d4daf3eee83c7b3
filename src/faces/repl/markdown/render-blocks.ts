import { plainText } from "@quoll/terminal-text/plain-text";
import { fittedWidths } from "@quoll/terminal-text/table-lines";
import { textWidth } from "@quoll/terminal-text/text-width";
import { padText } from "@quoll/terminal-text/truncate-text";
import { hardWrapText, wrapText } from "@quoll/terminal-text/wrap-text";
import type { Token, Tokens } from "marked";
import type { Chunk } from "../../../protocol/transcript/chunk.ts";
import { MAX_TEXT_COLUMNS } from "../view/layout.ts";
import { linkedFile, linkedPaths } from "../view/linked-files.ts";
import { patchRows } from "../view/patch-rows.ts";
import type { Theme } from "../view/theme.ts";
import type { Highlighter } from "./highlight.ts";

export type Lexer = (text: string) => readonly Token[];
/** Finds the renderer of a language, which draws one line as lines of plain text; it may give up on a line. */
export type RendererOf = (
  language: string,
) => ((text: string, columns: number) => readonly string[] | undefined) | undefined;

export type MarkdownContext = {
  readonly rendererOf?: RendererOf | undefined;
  readonly lexer: Lexer;
  readonly highlighter: Highlighter;
  readonly theme: Theme;
  /** The columns for code, and for addresses, which are not cut if they fit. */
  readonly columns: number;
};

/** The context inside lists and quotes: text is narrower by their indentation. */
type TextContext = MarkdownContext & { readonly textColumns: number };

const BULLETS = ["•", "◦", "▪"] as const;

/** Draws one chunk as lines of at most `columns`. The result contains no control characters. */
export function chunkLines(chunk: Chunk, whole: MarkdownContext): readonly string[] {
  const context = { ...whole, textColumns: Math.min(whole.columns, MAX_TEXT_COLUMNS) };
  if (chunk.kind === "code") return codeLines(chunk.lines, chunk.language, context);
  const tokens = context.lexer(plainText(chunk.text));
  const { ordinal } = chunk;
  if (ordinal === undefined) return blockLines(tokens, context);
  return blockLines(
    tokens.map((token) => (token.type === "list" ? { ...token, start: ordinal } : token)),
    context,
  );
}

/** Separates blocks by one blank line. */
export function blockLines(tokens: readonly Token[], context: TextContext, depth = 0): readonly string[] {
  const lines: string[] = [];
  for (const token of tokens) {
    const block = oneBlock(token, context, depth);
    if (block.length === 0) continue;
    if (lines.length > 0 && !(depth > 0 && token.type === "list")) lines.push("");
    lines.push(...block);
  }
  return lines;
}

function oneBlock(token: Token, context: TextContext, depth: number): readonly string[] {
  const { theme, textColumns } = context;
  switch (token.type) {
    case "space":
      return [];
    case "heading":
      return prose(theme.strong(inlineText(token.tokens, theme)), context);
    case "paragraph":
    case "text":
      return prose(brokenLines(inlineText("tokens" in token ? token.tokens : [token], theme), depth), context);
    case "list":
      return listLines(token as Tokens.List, context, depth);
    case "code":
      return codeLines(token.text.split("\n"), (token.lang ?? "").split(/\s/)[0] ?? "", context);
    case "table":
      return tableLines(token as Tokens.Table, textColumns, theme);
    case "blockquote": {
      const inner = blockLines(token.tokens ?? [], indented(context, 2), 0);
      return inner.map((line) => `${theme.dim("│")} ${line}`.trimEnd());
    }
    case "hr":
      return [theme.dim("─".repeat(Math.min(textColumns, 40)))];
    default:
      return prose(token.raw.trimEnd(), context);
  }
}

function listLines(list: Tokens.List, context: TextContext, depth: number): readonly string[] {
  const first = typeof list.start === "number" ? list.start : 1;
  const widest = list.ordered ? `${first + list.items.length - 1}.`.length : 1;
  return list.items.flatMap((item, at) => {
    const bullet = list.ordered ? `${first + at}.`.padStart(widest) : (BULLETS[depth % BULLETS.length] ?? "•");
    const box = item.task ? [item.checked ? "☑" : "☐"] : [];
    // A box stands in the place of a bullet, and behind a number.
    const marker = item.task && !list.ordered ? [] : [bullet];
    const indent = " ".repeat([...marker, ...box].join(" ").length + 1);
    const tokens = item.tokens.filter((token) => token.type !== "checkbox");
    const [head = "", ...rest] = blockLines(tokens, indented(context, indent.length), depth + 1);
    return [
      [...marker.map(context.theme.dim), ...box, head].join(" "),
      ...rest.map((line) => (line === "" ? "" : indent + line)),
    ];
  });
}

const PATCHES: ReadonlySet<string> = new Set(["diff", "patch"]);

function codeLines(code: readonly string[], language: string, context: TextContext): readonly string[] {
  const { highlighter, theme, columns } = context;
  const safe = code.map(plainLine);
  const width = Math.max(10, columns - 2);
  const draw = context.rendererOf?.(language.toLowerCase());
  const drawn = draw && safe.map((line) => draw(line, width));
  if (drawn?.every((lines) => lines !== undefined))
    return drawn.flat().flatMap((line) => hardWrapText(line, width).map((part) => `  ${part}`.trimEnd()));
  const rows = PATCHES.has(language.toLowerCase())
    ? safe.flatMap((line) => patchRows(line, { theme, columns: width, atEdge: true }))
    : highlighter.lines(safe, language, theme).flatMap((line) => hardWrapText(line, width));
  return rows.map((row) => `  ${row}`.trimEnd());
}

function plainLine(line: string): string {
  return plainText(line).replaceAll("\n", " ");
}

/** In a list, a line is indented like its item. */
function brokenLines(text: string, depth: number): string {
  return depth > 0 ? text.replace(/(?<![ \t])[ \t]*\n[ \t]*/g, "\n") : text;
}

function indented(context: TextContext, by: number): TextContext {
  const { columns, textColumns } = context;
  return { ...context, columns: Math.max(10, columns - by), textColumns: Math.max(10, textColumns - by) };
}

function prose(text: string, { columns, textColumns }: TextContext): readonly string[] {
  return wrapText(text, textColumns, columns);
}

const GAP = "  ";

/** A table in columns; if they would be too narrow, each row as `head: cell` lines. */
function tableLines(table: Tokens.Table, columns: number, theme: Theme): readonly string[] {
  const head = table.header.map((cell) => theme.strong(inlineText(cell.tokens, theme)));
  const rows = table.rows.map((row) => row.map((cell) => inlineText(cell.tokens, theme)));
  const widths = fittedWidths(
    head.map((cell, at) => Math.max(1, ...[cell, ...rows.map((row) => row[at] ?? "")].map(textWidth))),
    columns,
  );
  if (!widths) return stacked(head, rows, columns);
  const line = (cells: readonly string[]) => tableRow(cells, widths, table.align);
  return [...line(head), theme.dim(widths.map((width) => "─".repeat(width)).join(GAP)), ...rows.flatMap(line)];
}

function tableRow(
  cells: readonly string[],
  widths: readonly number[],
  align: Tokens.Table["align"],
): readonly string[] {
  const wrapped = widths.map((width, at) => wrapText(cells[at] ?? "", width));
  const height = Math.max(...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, row) =>
    widths
      .map((width, at) => padText(wrapped[at]?.[row] ?? "", width, align[at] === "right" ? "right" : "left"))
      .join(GAP)
      .trimEnd(),
  );
}

function stacked(head: readonly string[], rows: readonly (readonly string[])[], columns: number): readonly string[] {
  return rows.flatMap((row, index) => [
    ...(index > 0 ? [""] : []),
    ...row.flatMap((cell, at) => wrapText(`${head[at] ?? ""}: ${cell}`, columns)),
  ]);
}

/** Inline Markdown as one styled string; a forced break is a line feed. */
function inlineText(tokens: readonly Token[] | undefined, theme: Theme): string {
  return (tokens ?? []).map((token) => inline(token, theme)).join("");
}

function inline(token: Token, theme: Theme): string {
  switch (token.type) {
    case "strong":
      return theme.strong(inlineText(token.tokens, theme));
    case "em":
      return theme.italic(inlineText(token.tokens, theme));
    case "del":
      return theme.level === 0
        ? `~~${inlineText(token.tokens, theme)}~~`
        : theme.struck(inlineText(token.tokens, theme));
    case "codespan":
      return linkedFile(token.text, theme.level === 0 ? `\`${token.text}\`` : theme.literal(token.text), theme);
    // The list draws the check box.
    case "checkbox":
      return "";
    case "br":
      return "\n";
    case "link":
      return link(token as Tokens.Link, theme);
    case "image":
      return `${token.text === "" ? "image" : token.text} ${theme.dim(`(${token.href})`)}`;
    case "escape":
      return token.text;
    // Line breaks of the model are kept, as in chats: output and lists without markers stay readable.
    case "text":
      return "tokens" in token && token.tokens ? inlineText(token.tokens, theme) : linkedPaths(token.text, theme);
    default:
      return token.raw;
  }
}

/** The address is always shown, because the text of a link may pretend a different address. */
function link({ href, text, tokens }: Tokens.Link, theme: Theme): string {
  // A link can't hold another one.
  const { file: _, ...unlinked } = theme;
  const label = theme.underline(inlineText(tokens, unlinked));
  const isWhole = [href, `\`${href}\``].includes(text) || `mailto:${text}` === href;
  const shown = isWhole ? label : `${label} ${theme.dim(`(${href})`)}`;
  return linkedFile(href, theme.link(shown, href), theme);
}
