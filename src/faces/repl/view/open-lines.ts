import { openChunk, openLength } from "../../../protocol/transcript/split-blocks.ts";
import type { Row, Transcript } from "../../../protocol/transcript/transcript.ts";
import { type RowStyle, rowLines } from "./row-lines.ts";

/** The maximum length of open text that is drawn in each frame; drawing more would be slow and of little use. */
const MAX_OPEN_CHARS = 16_384;

/** The reason for the retry, which disappears when the model answers. */
export function retryLines({ turn }: Transcript, style: RowStyle): readonly string[] {
  if (turn?.activity.kind !== "retrying") return [];
  return rowLines({ kind: "notice", level: "warning", text: turn.activity.message }, undefined, style);
}

/** The streaming text; of a very long text only the end. `before`: the row above the text. */
export function openTextLines(transcript: Transcript, before: Row | undefined, style: RowStyle): readonly string[] {
  const { text, textStarted } = transcript;
  const chunk =
    openLength(text) > MAX_OPEN_CHARS
      ? ({ kind: "code", gap: false, language: "", lines: text.lines.slice(-40) } as const)
      : openChunk(text);
  if (!chunk) return [];
  return rowLines({ kind: "markdown", chunk, first: !textStarted }, before, style);
}
