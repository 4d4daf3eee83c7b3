import { formatDuration } from "@quoll/terminal-text/format-amount";
import { openChunk } from "../../../protocol/transcript/split-blocks.ts";
import type { FinishedTool, Row, RunningTool, Transcript } from "../../../protocol/transcript/transcript.ts";
import { footerParts, thinkingText } from "../view/row-lines.ts";
import { rowText, runningText, shownRefusal, sourceOf, toolText } from "../view/transcript-text.ts";

/** Stands above the result for the model, if the tool shows something else to a person. */
export const FOR_MODEL = "for the model:";
/** A note of Quoll after a result. */
const NOTE = /^\[.*\]$/;

/** A part of the transcript that is selected, copied and drawn as a unit: a prompt, prose, a block of code, a call. */
export type TranscriptBlock = {
  readonly kind: "prompt" | "prose" | "code" | "call" | "other";
  readonly rows: readonly Row[];
  /** A call that is still running; the block then has no rows. */
  readonly running?: RunningTool;
};

/** The blocks of a growing transcript: settled rows are grouped once. */
export class BlockList {
  readonly #settled: TranscriptBlock[] = [];
  #taken = 0;
  #open: readonly TranscriptBlock[] = [];

  /** @param earlier Rows that precede those of the transcript. */
  constructor(earlier: readonly Row[] = []) {
    for (const row of earlier) addTo(this.#settled, row);
  }

  /** Takes the newest version of the transcript. */
  update(transcript: Transcript): void {
    for (const row of transcript.settled.slice(this.#taken)) addTo(this.#settled, row);
    this.#taken = transcript.settled.length;
    this.#open = openBlocks(transcript);
  }

  get length(): number {
    return this.#settled.length + this.#open.length;
  }

  at(index: number): TranscriptBlock | undefined {
    return index < this.#settled.length ? this.#settled[index] : this.#open[index - this.#settled.length];
  }

  /** The nearest prompt before or after a block. @returns its index. */
  prompt(from: number, step: 1 | -1): number | undefined {
    for (let at = from + step; at >= 0 && at < this.length; at += step) if (this.at(at)?.kind === "prompt") return at;
    return undefined;
  }
}

/** True if a part of a block's text matches. The texts are not joined, because a search examines all blocks. */
export function blockMatches({ rows, running }: TranscriptBlock, pattern: RegExp): boolean {
  const matches = (text: string) => pattern.test(text);
  if (running) return runningText(running).some(matches);
  return rows.some((row) => {
    if (row.kind === "user" || row.kind === "notice") return matches(row.text);
    if (row.kind === "markdown")
      return matches(row.chunk.kind === "code" ? row.chunk.lines.join("\n") : row.chunk.text);
    if (row.kind !== "tool") return rowText(row).some(matches) || textBeside(row).some(matches);
    const { tool } = row;
    const isInResult = matches(tool.excerpt) || rowText({ ...row, tool: { ...tool, excerpt: "" } }).some(matches);
    return isInResult || textBeside(row).some(matches);
  });
}

/** The parts of a row that the screen shows in addition to its text: figures, notes, and who refused a call. */
function textBeside(row: Row): readonly string[] {
  switch (row.kind) {
    case "footer":
      return [footerParts(row).join(" · ")];
    case "thinking":
      return [row.text, thinkingText(row)];
    case "whole":
      return row.lines;
    case "tool": {
      const { notes = [], display } = row.tool;
      const refusal = shownRefusal(row.tool);
      const changed = display?.kind === "diff" ? [`+${display.added} −${display.removed}`] : [];
      const isDescribed = display?.kind === "summary" && display.body && !display.body.isInResult;
      return [
        ...notes,
        ...(isDescribed ? [FOR_MODEL] : []),
        ...(refusal === undefined ? [] : [refusal]),
        ...changed,
        formatDuration(row.tool.durationMs),
      ];
    }
    default:
      return [];
  }
}

/** The text that is copied: the source of an answer, an output or a change without the header of its call. */
export function copiedText({ rows, running }: TranscriptBlock): string {
  if (running) return (running.progress?.tail ?? []).join("\n");
  return rows.map((row, at) => (at > 0 && row.kind === "markdown" && row.chunk.gap ? "\n" : "") + own(row)).join("\n");
}

/** The result of a call of which the screen shows at most a summary, such as a read file. */
export function unshownText({ use, display, isError, answer, excerpt, images = [] }: FinishedTool): readonly string[] {
  const isShown = isError || answer?.kind === "refused" || (display !== undefined && display.kind !== "summary");
  // The text beside a file that was read as an image only names it.
  if (isShown || excerpt === "" || (images.length > 0 && use.name === "Read")) return [];
  const lines = excerpt.split("\n");
  // The summary of an agent's call contains its answer; a note about the run follows in the result.
  const answered = display?.kind === "summary" ? display.text : "";
  const own = lines.slice(0, lines.findLastIndex((line) => line.trim() !== "" && !NOTE.test(line)) + 1).join("\n");
  return own !== "" && answered.includes(own) ? [] : lines;
}

function own(row: Row): string {
  switch (row.kind) {
    case "user":
    case "notice":
    case "thinking":
      return row.text;
    case "markdown":
      return sourceOf(row.chunk).join("\n");
    case "tool": {
      const text = [...toolText(row.tool), ...unshownText(row.tool)].join("\n");
      return text.trim() === "" ? row.tool.title : text;
    }
    default:
      return rowText(row).join("\n").trim();
  }
}

function addTo(blocks: TranscriptBlock[], row: Row): void {
  const last = blocks.at(-1);
  switch (row.kind) {
    case "welcome":
      return;
    case "user":
      blocks.push({ kind: "prompt", rows: [row] });
      return;
    case "explorations":
      for (const tool of row.tools) blocks.push({ kind: "call", rows: [{ kind: "tool", tool }] });
      return;
    case "tool":
      blocks.push({ kind: "call", rows: [row] });
      return;
    case "markdown": {
      const kind = row.chunk.kind === "code" ? "code" : "prose";
      // A long block of code arrives in pieces without a gap.
      const isSame = last?.kind === kind && !row.first && (kind === "prose" || !row.chunk.gap);
      if (last && isSame) blocks[blocks.length - 1] = { kind, rows: [...last.rows, row] };
      else blocks.push({ kind, rows: [row] });
      return;
    }
    default:
      blocks.push({ kind: "other", rows: [row] });
  }
}

/** The part of the transcript that still changes. */
function openBlocks({ text, textStarted, held, explorations, running }: Transcript): readonly TranscriptBlock[] {
  const blocks: TranscriptBlock[] = [];
  const chunk = openChunk(text);
  if (chunk) addTo(blocks, { kind: "markdown", chunk, first: !textStarted });
  for (const row of held) addTo(blocks, row);
  if (explorations.length > 0) addTo(blocks, { kind: "explorations", tools: explorations });
  for (const tool of running) {
    if (tool.finished) addTo(blocks, { kind: "tool", tool: tool.finished });
    else blocks.push({ kind: "call", rows: [], running: tool });
  }
  return blocks;
}
