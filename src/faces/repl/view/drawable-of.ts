import type { Chunk } from "../../../protocol/transcript/chunk.ts";
import type { FinishedTool, Row } from "../../../protocol/transcript/transcript.ts";
import type { FilePart } from "../markdown/markdown-renderer.ts";

/** The part of a row whose drawing needs code that is loaded at its first use. */
export function drawableOf(row: Row): Chunk | FilePart | undefined {
  if (row.kind === "markdown") return row.chunk;
  return row.kind === "tool" ? changeOf(row.tool) : undefined;
}

function changeOf({ display, answer }: FinishedTool): FilePart | undefined {
  const result = display?.kind === "summary" ? display.body : display;
  const diff = answer?.kind === "refused" ? answer.preview : result;
  return diff?.kind === "diff" ? { kind: "diff", path: diff.path } : undefined;
}
