import { withoutCutEnd } from "@quoll/terminal-text/cut-word";
import { plural } from "@quoll/terminal-text/plural";
import type { LinesRead, LineWindow } from "../../../contracts/files.ts";
import { imageHeader } from "../../../contracts/image-header.ts";
import type { ToolResultBlock } from "../../../contracts/message.ts";
import type { ToolResult } from "../../../contracts/tool.ts";
import { shrinkImage } from "../../../platform/shrink-image.ts";
import { type KnownDeps, knownState } from "../known-file.ts";
import type { KnownState } from "../read-tracker.ts";
import type { Target } from "../target-file.ts";
import { type NotebookLine, notebookLines } from "./notebook-lines.ts";
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
