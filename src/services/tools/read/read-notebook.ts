import { withoutCutEnd } from "@quoll/terminal-text/cut-word";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { plural } from "@quoll/terminal-text/plural";
import { z } from "zod";
import type { LinesRead, LineWindow } from "../../../contracts/files.ts";
import { imageHeader } from "../../../contracts/image-header.ts";
import type { ToolResultBlock } from "../../../contracts/message.ts";
import { parsedJson } from "../../../contracts/parsed-json.ts";
import type { ToolResult } from "../../../contracts/tool.ts";
import { shrinkImage } from "../../../platform/shrink-image.ts";
import { foldOutput } from "../bash/fold-output.ts";
import { type KnownDeps, knownState } from "../known-file.ts";
import type { KnownState } from "../read-tracker.ts";
import type { Target } from "../target-file.ts";
import { MAX_FILE_BYTES, MAX_SIDE_PIXELS } from "./read-image.ts";
import { shownLines, showText } from "./read-text.ts";

/** A larger notebook is shown as its raw JSON. */
const MAX_NOTEBOOK_BYTES = 32 * 1024 * 1024;
/** Further images of one call are only named. */
const MAX_IMAGES = 4;
/** Characters that a line's number takes. */
const NUMBER_CHARS = 8;
const EDIT_NOTE =
  '[cells as text, numbered for this view only; NotebookEdit changes a cell by its id or number; Edit and Grep see the JSON, where a line of source is a string: "import os\\n"]';

type Image = Extract<Exclude<ToolResultBlock["content"], string>[number], { type: "image" }>;
type Shown = { readonly result: ToolResult; readonly state: KnownState };

/** A longer output is cut: a log in it is no reason to leave the next cells out. */
const MAX_OUTPUT_LINES = 200;
/** Of a longer output: its start, and its end, which contains the error of a traceback. */
const HEAD_LINES = 100;

/** A line of a notebook's text; `image`: the bytes of the image that the line stands for. */
type NotebookLine = { readonly text: string; readonly image?: Buffer };

/** Texts are strings, or lists of lines that already end with line breaks. */
const text = z.union([z.string(), z.array(z.string()).transform((lines) => lines.join(""))]);
const output = z.object({
  output_type: z.string(),
  name: z.string().optional(),
  text: text.optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  ename: z.string().optional(),
  evalue: z.string().optional(),
  traceback: z.array(z.string()).optional(),
});
const cell = z.object({
  cell_type: z.string(),
  id: z.string().optional(),
  source: text,
  execution_count: z.number().nullish(),
  outputs: z.array(output).optional(),
});
const notebook = z.object({ nbformat: z.literal(4), cells: z.array(cell) });
type Output = z.infer<typeof output>;

/** The kinds of data that are shown as text, the best first. */
const TEXT_KINDS = ["text/plain", "text/markdown", "text/latex", "application/json"] as const;
const IMAGE_KIND = /^image\/(?:png|jpeg|gif|webp)$/;

/**
 * The cells of a Jupyter notebook as numbered lines, with the first images of their outputs.
 * @returns undefined if the file is too large or no notebook.
 * @throws as `Files.load`.
 */
export async function readNotebook(
  target: Target,
  window: LineWindow,
  { files, signal }: Pick<KnownDeps, "files" | "signal">,
): Promise<Shown | undefined> {
  const stamp = await files.stamp(target.path);
  if (!stamp || stamp.size > MAX_NOTEBOOK_BYTES) return undefined;
  const file = await files.load(target.path, MAX_NOTEBOOK_BYTES, signal);
  const found = notebookLines(file.bytes.toString("utf8"));
  if (!found) return undefined;
  const { shown, stoppedBy } = withinWindow(found.lines, window);
  const images: Image[] = [];
  const lines = [];
  for (const [at, line] of shown.entries()) {
    const image = line.image && images.length < MAX_IMAGES ? await blockOf(line.image) : undefined;
    if (image) images.push(image);
    const text = image ? `[image ${images.length} below: ${line.text.slice(1)}` : line.text;
    const isCut = text.length > window.maxLineChars;
    const part = isCut ? withoutCutEnd(text.slice(0, window.maxLineChars)) : text;
    const cutBytes = Buffer.byteLength(text.slice(part.length));
    lines.push({ number: window.firstLine + at, text: part, cutBytes });
  }
  const read: LinesRead = {
    stamp: file.stamp,
    encoding: { name: "utf-8", bom: false },
    lines,
    stoppedBy,
    lineCount: found.lines.length,
    size: file.bytes.length,
    hash: undefined,
    hasStray: false,
    hasCrLf: false,
    endsWithNewline: true,
  };
  const { content } = showText(target, read, { offset: window.firstLine, limit: window.maxLines });
  const words = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  const isPart = lines.length < found.lines.length;
  const facts = [
    ...(isPart ? [shownLines(lines.length, found.lines.length)] : []),
    plural(found.cells, "cell"),
    ...(images.length > 0 ? [plural(images.length, "image")] : []),
  ];
  const display = { kind: "summary", text: facts.join(", ") } as const;
  return {
    result: { content: [...words, { type: "text", text: EDIT_NOTE }, ...images], exemptFromSpill: true, display },
    state: knownState(file.stamp, file.bytes),
  };
}

function withinWindow(
  lines: readonly NotebookLine[],
  { firstLine, maxLines, maxLineChars, maxChars }: LineWindow,
): { readonly shown: readonly NotebookLine[]; readonly stoppedBy: LinesRead["stoppedBy"] } {
  const rest = lines.slice(firstLine - 1);
  let chars = 0;
  let count = 0;
  for (const { text } of rest.slice(0, maxLines)) {
    chars += Math.min(text.length, maxLineChars) + NUMBER_CHARS;
    if (chars > maxChars && count > 0) return { shown: rest.slice(0, count), stoppedBy: "chars" };
    count += 1;
  }
  return { shown: rest.slice(0, count), stoppedBy: count < rest.length ? "lines" : "end" };
}

/** @returns undefined for an image that a model can't be given. */
async function blockOf(bytes: Buffer): Promise<Image | undefined> {
  const { mediaType, width = 0, height = 0 } = imageHeader(bytes) ?? {};
  if (!mediaType) return undefined;
  const fits = bytes.length <= MAX_FILE_BYTES && Math.max(width, height) <= MAX_SIDE_PIXELS;
  const shown = fits
    ? { bytes, mediaType }
    : await shrinkImage(bytes, { maxSide: MAX_SIDE_PIXELS, maxBytes: MAX_FILE_BYTES });
  return shown && { type: "image", mediaType: shown.mediaType, data: shown.bytes.toString("base64") };
}

/**
 * The cells of a Jupyter notebook with their outputs, as lines (the format of nbformat 4, "The Notebook file format").
 * @returns undefined for anything else.
 */
function notebookLines(source: string): { readonly lines: readonly NotebookLine[]; cells: number } | undefined {
  const parsed = notebook.safeParse(parsedJson(source));
  if (!parsed.success) return undefined;
  const { cells } = parsed.data;
  const lines = cells.flatMap(({ cell_type, id, source: code, execution_count, outputs = [] }, at) => {
    const run = typeof execution_count === "number" ? `, run ${execution_count}` : "";
    const name = id === undefined ? "" : `, id ${id}`;
    return [
      { text: `--- cell ${at + 1}: ${cell_type}${run}${name} ---` },
      ...linesOf(code),
      ...outputs.flatMap((one) => [{ text: `--- ${titleOf(one)} of cell ${at + 1} ---` }, ...outputLines(one, at + 1)]),
    ];
  });
  return { lines, cells: cells.length };
}

function titleOf({ output_type, name }: Output): string {
  if (output_type === "stream") return name ?? "output";
  return output_type === "error" ? "error" : "output";
}

function outputLines(given: Output, cellNumber: number): readonly NotebookLine[] {
  const { text: streamed, data = {}, ename, evalue, traceback } = given;
  if (streamed !== undefined) return cut(linesOf(stripAnsi(streamed)).map(overwritten), cellNumber);
  if (traceback || ename !== undefined) {
    const told = traceback?.length ? traceback.join("\n") : `${ename}: ${evalue ?? ""}`;
    return cut(linesOf(stripAnsi(told)), cellNumber);
  }
  const kinds = Object.keys(data);
  const images = kinds.filter((kind) => IMAGE_KIND.test(kind)).map((kind) => imageLine(kind, data[kind]));
  const shown = TEXT_KINDS.find((kind) => kinds.includes(kind));
  const others = kinds.filter((kind) => kind !== shown && !IMAGE_KIND.test(kind));
  const words = shown === undefined ? [] : cut(linesOf(textOf(data[shown])), cellNumber);
  // The text beside an image only names its class.
  const body = images.length > 0 ? images : words;
  return [...body, ...others.map((kind) => ({ text: `[${kind}: ${plural(textOf(data[kind]).length, "character")}]` }))];
}

function imageLine(kind: string, encoded: unknown): NotebookLine {
  const image = Buffer.from(textOf(encoded), "base64");
  const { width, height } = imageHeader(image) ?? {};
  if (!width || !height) return { text: `[${kind}, damaged]` };
  return { text: `[${kind}, ${width}×${height} pixels]`, image };
}

/** @param cellNumber The first cell is 1. */
function cut(whole: readonly NotebookLine[], cellNumber: number): readonly NotebookLine[] {
  const { text: folded, foldedLines } = foldOutput(whole.map(({ text }) => text).join("\n"));
  const lines = foldedLines > 0 ? folded.split("\n").map((text) => ({ text })) : whole;
  const left = lines.length - MAX_OUTPUT_LINES;
  if (left <= 0) return lines;
  const way = `all of it: .cells[${cellNumber - 1}].outputs of the JSON`;
  const mark = { text: `[… ${plural(left, "more line")}; ${way}]` };
  return [...lines.slice(0, HEAD_LINES), mark, ...lines.slice(HEAD_LINES - MAX_OUTPUT_LINES)];
}

function linesOf(given: string): readonly NotebookLine[] {
  if (given === "") return [];
  return given
    .replace(/\r?\n$/, "")
    .split(/\r?\n/)
    .map((line) => ({ text: line }));
}

/** The last state of a line that was written several times, such as a progress bar. */
function overwritten({ text }: NotebookLine): NotebookLine {
  return { text: text.slice(text.lastIndexOf("\r", text.length - 2) + 1) };
}

function textOf(value: unknown): string {
  const known = text.safeParse(value);
  return known.success ? known.data : JSON.stringify(value);
}
