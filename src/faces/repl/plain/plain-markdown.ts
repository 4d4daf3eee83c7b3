import { plainText } from "@quoll/terminal-text/plain-text";
import { plural } from "@quoll/terminal-text/plural";
import { lexer, type Token, type Tokens } from "marked";
import type { Chunk } from "../../../protocol/transcript/chunk.ts";
import { emptySplitter, endBlocks, splitBlocks } from "../../../protocol/transcript/split-blocks.ts";

import { unifiedLine } from "./plain-diff.ts";

/** The line after a block of code. */
export const END_OF_CODE = "End of code.";

/** A text in Markdown as lines to read aloud: one line a paragraph, item or row, with words in place of layout. */
export function markdownText(text: string): readonly string[] {
  const { state, chunks } = splitBlocks(emptySplitter, text);
  const all = [...chunks, ...endBlocks(state)];
  const lines = all.flatMap((chunk, at) => chunkText(chunk, all[at - 1]));
  return all.at(-1)?.kind === "code" ? [...lines, END_OF_CODE] : lines;
}

/** A chunk as lines. A block of code is announced; `before`, the chunk before, tells whether its end is due first. */
export function chunkText(chunk: Chunk, before: Chunk | undefined): readonly string[] {
  const continuesCode = before?.kind === "code" && isSameCode(chunk, before);
  const end = before?.kind === "code" && !continuesCode ? [END_OF_CODE] : [];
  if (chunk.kind === "code") {
    const lines = chunk.lines.map(isDiff(chunk.language) ? unifiedLine : codeLine);
    return [...end, ...(continuesCode ? [] : [codeHead(chunk.language)]), ...lines];
  }
  const { ordinal } = chunk;
  const tokens = lexer(plainText(chunk.text));
  const numbered = tokens.map((token) =>
    ordinal !== undefined && token.type === "list" ? { ...token, start: ordinal } : token,
  );
  return [...end, ...blockTexts(numbered, 1)];
}

/** A long block of code comes in several chunks, without a gap between them. */
function isSameCode(chunk: Chunk, before: Chunk): boolean {
  return chunk.kind === "code" && before.kind === "code" && !chunk.gap && chunk.language === before.language;
}

function codeHead(language: string): string {
  return language === "" ? "Code:" : `Code, ${language}:`;
}

/** The signs of a diff are words, because a screen reader passes over them. */
function isDiff(language: string): boolean {
  return /^(?:diff|patch)$/i.test(language);
}

function codeLine(line: string): string {
  return plainText(line).replaceAll("\n", " ").trimEnd();
}

/** @param level The depth of the list around the blocks; 1 outside of lists. */
function blockTexts(tokens: readonly Token[], level: number): readonly string[] {
  return tokens.flatMap((token) => blockText(token, level));
}

function blockText(token: Token, level: number): readonly string[] {
  switch (token.type) {
    case "space":
    case "hr":
    case "checkbox":
      return [];
    case "heading":
      return [`Heading ${(token as Tokens.Heading).depth}: ${inlineText(token.tokens)}`];
    case "paragraph":
    case "text":
      return inlineText("tokens" in token ? token.tokens : [token]).split("\n");
    case "list":
      return listTexts(token as Tokens.List, level);
    case "code": {
      const { lang = "", text } = token as Tokens.Code;
      const [language = ""] = lang.split(/\s/);
      const lines = text.split("\n").map(isDiff(language) ? unifiedLine : codeLine);
      return [codeHead(language), ...lines, END_OF_CODE];
    }
    case "table":
      return tableTexts(token as Tokens.Table);
    case "blockquote":
      return blockTexts(token.tokens ?? [], level).map((line) => `Quote: ${line}`);
    default:
      return token.raw.trimEnd().split("\n");
  }
}

function listTexts(list: Tokens.List, level: number): readonly string[] {
  const first = typeof list.start === "number" ? list.start : 1;
  const depth = level > 1 ? `, level ${level}` : "";
  return list.items.flatMap((item, at) => {
    const number = list.ordered ? ` ${first + at}` : "";
    const state = item.task ? (item.checked ? ", done" : ", not done") : "";
    const [head = "", ...rest] = blockTexts(item.tokens, level + 1);
    return [`Item${number}${depth}${state}: ${head}`, ...rest];
  });
}

/** A table row by row, each cell with the name of its column. */
function tableTexts({ header, rows }: Tokens.Table): readonly string[] {
  const names = header.map((cell) => cellText(cell));
  const size = `${plural(names.length, "column")} and ${plural(rows.length, "row")}`;
  const lines = rows.map((row, at) => {
    const cells = row.map((cell, column) => `${names[column] ?? ""}: ${cellText(cell) || "empty"}`);
    return `Row ${at + 1}: ${cells.join("; ")}`;
  });
  return [`Table with ${size}: ${names.join(", ")}.`, ...lines];
}

function cellText({ tokens }: Tokens.TableCell): string {
  return inlineText(tokens).replaceAll("\n", " ");
}

/** Inline Markdown without its marks; code keeps its backticks, because it is to be read exactly. */
function inlineText(tokens: readonly Token[] | undefined): string {
  return (tokens ?? []).map(inline).join("");
}

function inline(token: Token): string {
  switch (token.type) {
    case "strong":
    case "em":
      return inlineText(token.tokens);
    case "del":
      return `(struck out: ${inlineText(token.tokens)})`;
    case "codespan":
      return `\`${token.text}\``;
    case "checkbox":
      return "";
    case "br":
      return "\n";
    case "link":
      return linkText(token as Tokens.Link);
    case "image":
      return `Image ${token.text === "" ? "" : `${token.text} `}(${token.href})`;
    case "escape":
      return token.text;
    case "text":
      return "tokens" in token && token.tokens ? inlineText(token.tokens) : token.text;
    default:
      return token.raw;
  }
}

/** The address is always told, because the text of a link may pretend a different address. */
function linkText({ href, text, tokens }: Tokens.Link): string {
  const label = inlineText(tokens);
  const isWhole = [href, `\`${href}\``].includes(text) || `mailto:${text}` === href;
  return isWhole ? label : `${label} (${href})`;
}
