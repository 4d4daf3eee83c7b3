import { openChunk } from "../markdown/split-blocks.ts";
import type { FinishedTool, Row, Transcript } from "./transcript.ts";

/** A text with its title, for a view. */
export type FoldedText = { readonly title: string; readonly lines: readonly string[] };

/** A transcript shows at least this many lines of an output or an error. */
const SHOWN_LINES = 3;

/**
 * The full text that the screen shows only in part: of a running call or open answer, or else of the newest row.
 * @returns undefined if there is none.
 */
export function foldedText({ running, text, settled }: Transcript): FoldedText | undefined {
  const tool = running.findLast(({ progress }) => (progress?.tail.length ?? 0) > 0);
  if (tool?.progress) return output(tool.title, tool.progress.tail, tool.progress.totalLines);
  const open = openChunk(text);
  if (open) return { title: "The answer so far", lines: open.kind === "code" ? open.lines : open.text.split("\n") };
  for (const row of settled.slice().toReversed()) {
    const found = foldedRow(row);
    if (found) return found;
  }
  return undefined;
}

function foldedRow(row: Row): FoldedText | undefined {
  switch (row.kind) {
    case "tool":
      return foldedTool(row.tool);
    case "explorations":
      return { title: "Read and searched", lines: row.tools.map(({ use, title }) => `${use.name}  ${title}`) };
    case "user":
      return row.text.includes("\n") ? { title: "You said", lines: row.text.split("\n") } : undefined;
    default:
      return undefined;
  }
}

function foldedTool({ title, display, isError, excerpt, answer }: FinishedTool): FoldedText | undefined {
  const preview = answer?.kind === "refused" ? answer.preview : undefined;
  if (preview?.kind === "command") return { title, lines: preview.command.split("\n") };
  if (display?.kind === "command") {
    return display.totalLines > SHOWN_LINES ? output(title, display.tail, display.totalLines) : undefined;
  }
  const hunks = display?.kind === "diff" ? display.hunks : preview?.kind === "diff" ? preview.hunks : undefined;
  if (hunks)
    return { title, lines: hunks.flatMap(({ lines }) => lines.map((line) => `${SIGNS[line.kind]} ${line.text}`)) };
  const lines = excerpt.split("\n");
  return isError && lines.length > SHOWN_LINES ? { title, lines } : undefined;
}

const SIGNS = { same: " ", added: "+", removed: "−" } as const;

/** Only the end of an output is stored here; a file for the model has the rest. */
function output(title: string, tail: readonly string[], totalLines: number): FoldedText {
  const before = totalLines - tail.length;
  return { title, lines: before > 0 ? [`… ${before} lines before are not kept here`, ...tail] : tail };
}
