import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { plural } from "@quoll/terminal-text/plural";
import { z } from "zod";
import { imageHeader } from "../../../contracts/image-header.ts";
import { parsedJson } from "../../../contracts/parsed-json.ts";
import { foldOutput } from "../bash/fold-output.ts";

/** A longer output is cut: a log in it is no reason to leave the next cells out. */
const MAX_OUTPUT_LINES = 200;
/** Of a longer output: its start, and its end, which contains the error of a traceback. */
const HEAD_LINES = 100;

/** A line of a notebook's text; `image`: the bytes of the image that the line stands for. */
export type NotebookLine = { readonly text: string; readonly image?: Buffer };

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
 * The cells of a Jupyter notebook with their outputs, as lines (the format of nbformat 4, "The Notebook file format").
 * @returns undefined for anything else.
 */
export function notebookLines(source: string): { readonly lines: readonly NotebookLine[]; cells: number } | undefined {
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
