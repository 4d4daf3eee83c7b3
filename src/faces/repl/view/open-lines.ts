import { openChunk, openLength } from "../markdown/split-blocks.ts";
import type { Row, Transcript } from "../transcript/transcript.ts";
import { type RowStyle, rowLines } from "./row-lines.ts";

/** Drawing more open text than this in each frame would be slow and of little use. */
const MAX_OPEN_CHARS = 16_384;

/** The reason for the retry; it disappears when the model answers. */
export function retryLines({ turn }: Transcript, style: RowStyle): readonly string[] {
  if (turn?.activity.kind !== "retrying") return [];
  return rowLines({ kind: "notice", level: "warning", text: turn.activity.message }, undefined, style);
}

/** The text that streams now; of a very long one the end. `before`: the row above it. */
export function openTextLines(transcript: Transcript, before: Row | undefined, style: RowStyle): readonly string[] {
  const { text, textStarted } = transcript;
  const chunk =
    openLength(text) > MAX_OPEN_CHARS
      ? ({ kind: "code", gap: false, language: "", lines: text.lines.slice(-40) } as const)
      : openChunk(text);
  if (!chunk) return [];
  return rowLines({ kind: "markdown", chunk, first: !textStarted }, before, style);
}
