import { AppendOnly } from "./append-only.ts";
import type { Chunk } from "./chunk.ts";
import { nestedColumns, withWideItems } from "./wide-items.ts";

/*
 * Splits streaming Markdown into chunks at places where later text cannot change earlier text, so that each chunk is
 * lexed once, independent of how the text arrived. The block rules are those of CommonMark 0.31 and of GFM tables, as
 * far as they decide where a block ends.
 */

/** A longer line or open block is cut, so that the unfinished rest stays cheap to draw. */
const MAX_OPEN_CHARS = 4_096;
const MAX_OPEN_LINES = 80;
/** An open list item may be longer, because a cut would lose its indentation. */
const MAX_ITEM_LINES = 400;
/** Code is settled in pieces of this many lines; highlighting restarts in each. */
const CODE_CHUNK_LINES = 16;
/** The row of a table that follows its head, without spaces at its end. */
const DELIMITER_ROW = /^ {0,3}\|?\s*:?-+:?(?:\s*\|\s*:?-+:?)*\s*\|?$/;

type Mode =
  | { readonly kind: "none" }
  /** `table`: its two head lines; `continued`: they were repeated for the rest of a long table. */
  | { readonly kind: "flow"; readonly table?: readonly [string, string]; readonly continued?: boolean }
  | {
      readonly kind: "list";
      /** The columns before the marker, and before the text after it. */
      readonly indent: number;
      readonly content: number;
      readonly marker: string;
      readonly ordinal: number | undefined;
      readonly blank: boolean;
      readonly fence: string | undefined;
    }
  | { readonly kind: "fence"; readonly marker: string; readonly indent: number; readonly language: string };

export type Splitter = {
  readonly mode: Mode;
  /** Complete lines of the open chunk. */
  readonly lines: AppendOnly<string>;
  /** The line that is still arriving, in pieces. */
  readonly partial: AppendOnly<string>;
  readonly partialChars: number;
  readonly gap: boolean;
  readonly openChars: number;
};

export type Split = { readonly state: Splitter; readonly chunks: readonly Chunk[] };

export const emptySplitter: Splitter = {
  mode: { kind: "none" },
  lines: AppendOnly.of(),
  partial: AppendOnly.of(),
  partialChars: 0,
  gap: false,
  openChars: 0,
};

/**
 * Adds the next piece of text.
 * @returns the chunks that are now complete. The chunks don't depend on how the text was cut.
 */
export function splitBlocks(state: Splitter, text: string): Split {
  const chunks: Chunk[] = [];
  let now = state;
  let from = 0;
  for (;;) {
    const end = text.indexOf("\n", from);
    if (end < 0) break;
    const line = [...now.partial.slice(), text.slice(from, end)].join("");
    now = takeLine({ ...now, partial: AppendOnly.of(), partialChars: 0 }, line, chunks);
    from = end + 1;
  }
  if (from < text.length) {
    const rest = text.slice(from);
    now = { ...now, partial: now.partial.append(rest), partialChars: now.partialChars + rest.length };
    if (now.partialChars > MAX_OPEN_CHARS) now = cutPartial(now, chunks);
  }
  return { state: now, chunks };
}

/** Ends the text. @returns the remaining chunks. */
export function endBlocks(state: Splitter): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let now = state;
  if (now.partialChars > 0) {
    now = takeLine({ ...now, partial: AppendOnly.of(), partialChars: 0 }, now.partial.slice().join(""), chunks);
  }
  settle(now, chunks);
  return chunks;
}

/** The unfinished rest, as a temporary chunk. */
export function openChunk(state: Splitter): Chunk | undefined {
  const partial = state.partial.slice().join("");
  const lines =
    partial === "" || mayEndFence(state.mode, partial) ? state.lines.slice() : [...state.lines.slice(), partial];
  return isEmpty(state, lines) ? undefined : toChunk(state, lines);
}

/** The unfinished rest, as far as it belongs to one block: the line that is still arriving may begin another one. */
export function ownChunk(state: Splitter): Chunk | undefined {
  const beginsAnother = state.partialChars > 0 && splitBlocks(state, "\n").chunks.length > 0;
  return openChunk(beginsAnother ? { ...state, partial: AppendOnly.of(), partialChars: 0 } : state);
}

/** True for the signs of which the end of a code block consists. */
function mayEndFence(mode: Mode, partial: string): boolean {
  const signs = partial.trim();
  return mode.kind === "fence" && signs !== "" && signs.replaceAll(mode.marker[0] ?? "", "") === "";
}

/** The number of open characters, which have to be drawn again each time. */
export function openLength(state: Splitter): number {
  return state.openChars + state.partialChars;
}

function cutPartial(state: Splitter, chunks: Chunk[]): Splitter {
  const text = state.partial.slice().join("");
  const { state: now, rest } = takeLong({ ...state, partial: AppendOnly.of(), partialChars: 0 }, text, chunks);
  return { ...now, partial: AppendOnly.of(rest), partialChars: rest.length };
}

/** A very long line is cut into pieces, at a space if possible. */
function takeLong(state: Splitter, text: string, chunks: Chunk[]): { state: Splitter; rest: string } {
  let now = state;
  let from = 0;
  while (text.length - from > MAX_OPEN_CHARS) {
    const space = text.lastIndexOf(" ", from + MAX_OPEN_CHARS);
    let end = space > from ? space + 1 : from + MAX_OPEN_CHARS;
    if (isHighSurrogate(text.charCodeAt(end - 1))) end += 1;
    now = step(now, text.slice(from, end), chunks);
    if (now.mode.kind !== "fence") now = { ...settle(now, chunks), gap: false };
    from = end;
  }
  return { state: now, rest: text.slice(from) };
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function takeLine(state: Splitter, line: string, chunks: Chunk[]): Splitter {
  const { state: now, rest } = takeLong(state, line, chunks);
  return step(now, rest.endsWith("\r") ? rest.slice(0, -1) : rest, chunks);
}

function step(state: Splitter, line: string, chunks: Chunk[]): Splitter {
  switch (state.mode.kind) {
    case "fence":
      return stepFence(state, state.mode, line, chunks);
    case "list":
      return stepList(state, state.mode, line, chunks);
    case "flow":
      return stepFlow(state, line, chunks);
    case "none":
      return startBlock(state, line, chunks);
  }
}

function stepFence(state: Splitter, mode: Mode & { kind: "fence" }, line: string, chunks: Chunk[]): Splitter {
  const closing = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line)?.[1];
  if (closing?.startsWith(mode.marker)) {
    const settled = state.lines.length > 0 ? settle(state, chunks) : state;
    return { ...settled, mode: { kind: "none" }, gap: true };
  }
  const next = add(state, withoutIndent(line, mode.indent));
  if (next.lines.length < CODE_CHUNK_LINES && next.openChars <= MAX_OPEN_CHARS) return next;
  return { ...settle(next, chunks), mode, gap: false };
}

/** The line without its leading spaces, at most as many as the fence has. */
function withoutIndent(line: string, most: number): string {
  let at = 0;
  while (at < most && line[at] === " ") at += 1;
  return line.slice(at);
}

function stepFlow(state: Splitter, line: string, chunks: Chunk[]): Splitter {
  if (isBlank(line)) return settle(state, chunks);
  if (interruptsParagraph(line)) return startBlock(settle(state, chunks), line, chunks);
  const next = add(tableStart(state, line), line);
  if (next.lines.length < MAX_OPEN_LINES && next.openChars <= MAX_OPEN_CHARS) return next;
  const table = next.mode.kind === "flow" ? next.mode.table : undefined;
  const settled = { ...settle(next, chunks), gap: false };
  // The rest of a long table needs the table's head to be parsed as a table.
  if (!table) return settled;
  return { ...add(add(settled, table[0]), table[1]), mode: { kind: "flow", table, continued: true } };
}

/** Remembers a table's two head lines when its delimiter row arrives. */
function tableStart(state: Splitter, line: string): Splitter {
  const head = state.lines.length === 1 ? state.lines.at(0) : undefined;
  if (!head?.includes("|") || !DELIMITER_ROW.test(line.trimEnd())) return state;
  return { ...state, mode: { kind: "flow", table: [head, line] } };
}

function stepList(state: Splitter, mode: Mode & { kind: "list" }, line: string, chunks: Chunk[]): Splitter {
  if (isBlank(line)) return add({ ...state, mode: { ...mode, blank: true } }, line);
  const indent = line.length - line.trimStart().length;
  const deep = indent >= Math.min(mode.content, mode.indent + 2);
  if (mode.fence !== undefined && (deep || !mode.blank)) {
    const closes = line.trim().startsWith(mode.fence) && /^(`+|~+)$/.test(line.trim());
    return add({ ...state, mode: { ...mode, fence: closes ? undefined : mode.fence } }, line);
  }
  const item = listItem(line);
  if (item && item.indent < (mode.ordinal === undefined ? mode.content : nestedColumns(mode))) {
    const settled = settle(state, chunks);
    const sameList = item.marker === mode.marker;
    const ordinal = sameList && mode.ordinal !== undefined ? mode.ordinal + 1 : item.ordinal;
    return startItem({ ...settled, gap: !sameList }, line, { ...item, ordinal });
  }
  if (deep) return continueItem(state, mode, line, chunks);
  if (mode.blank || interruptsParagraph(line)) return startBlock(settle(state, chunks), line, chunks);
  return add(state, line);
}

function continueItem(state: Splitter, mode: Mode & { kind: "list" }, line: string, chunks: Chunk[]): Splitter {
  const fence = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
  const next = add({ ...state, mode: { ...mode, blank: false, fence } }, line);
  if (next.lines.length < MAX_ITEM_LINES) return next;
  return { ...settle(next, chunks), gap: false };
}

function startBlock(state: Splitter, line: string, chunks: Chunk[]): Splitter {
  if (isBlank(line)) return state;
  const fence = /^( {0,3})(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/.exec(line);
  if (fence) {
    const [, indent = "", marker = "", language = ""] = fence;
    return { ...state, mode: { kind: "fence", marker, indent: indent.length, language: language.toLowerCase() } };
  }
  const item = listItem(line);
  if (item && !isRule(line)) return startItem(state, line, item);
  const next = add({ ...state, mode: { kind: "flow" } }, line);
  return isHeading(line) || isRule(line) ? settle(next, chunks) : next;
}

type Item = { indent: number; content: number; marker: string; ordinal: number | undefined };

function startItem(state: Splitter, line: string, item: Item): Splitter {
  const fence = /^\s*(?:[-*+]|\d+[.)])\s+(`{3,}|~{3,})/.exec(line)?.[1];
  return add({ ...state, mode: { kind: "list", ...item, blank: false, fence } }, line);
}

function listItem(line: string): Item | undefined {
  const match = /^( *)([-*+]|(\d{1,9})([.)]))( +|$)/.exec(line);
  if (!match) return undefined;
  const [whole, indent = "", bullet = "", digits, delimiter] = match;
  if (indent.length > 3) return undefined;
  return {
    indent: indent.length,
    content: whole.length,
    marker: delimiter ?? bullet,
    ordinal: digits === undefined ? undefined : Number(digits),
  };
}

function interruptsParagraph(line: string): boolean {
  if (/^ {0,3}(`{3,}[^`]*$|~{3,})/.test(line)) return true;
  if (isHeading(line) || isStarRule(line)) return true;
  const item = listItem(line);
  // `---` under text makes the text a heading; a lone marker, or a number other than 1, is text.
  return (
    item !== undefined && /\S/.test(line.slice(item.content)) && (item.ordinal === undefined || item.ordinal === 1)
  );
}

function isHeading(line: string): boolean {
  return /^ {0,3}#{1,6}(\s|$)/.test(line);
}

function isRule(line: string): boolean {
  return /^ {0,3}([-*_])( *\1){2,} *$/.test(line);
}

function isStarRule(line: string): boolean {
  return /^ {0,3}([*_])( *\1){2,} *$/.test(line);
}

function isBlank(line: string): boolean {
  return line.trim() === "";
}

function add(state: Splitter, line: string): Splitter {
  return { ...state, lines: state.lines.append(line), openChars: state.openChars + line.length + 1 };
}

function settle(state: Splitter, chunks: Chunk[]): Splitter {
  const lines = state.lines.slice();
  const rest: Splitter = { ...state, mode: { kind: "none" }, lines: AppendOnly.of(), openChars: 0 };
  if (isEmpty(state, lines)) return rest;
  chunks.push(toChunk(state, lines));
  return { ...rest, gap: true };
}

/** True for no lines, or only the repeated head of a table that had ended. */
function isEmpty({ mode }: Splitter, lines: readonly string[]): boolean {
  return lines.length === 0 || (mode.kind === "flow" && mode.continued === true && lines.length === 2);
}

function toChunk(state: Splitter, lines: readonly string[]): Chunk {
  const { mode, gap } = state;
  if (mode.kind === "fence") return { kind: "code", gap, language: mode.language, lines };
  const text = (mode.kind === "list" ? withWideItems(lines) : lines).join("\n").trimEnd();
  if (mode.kind === "list" && mode.ordinal !== undefined) return { kind: "markdown", gap, text, ordinal: mode.ordinal };
  return { kind: "markdown", gap, text };
}
