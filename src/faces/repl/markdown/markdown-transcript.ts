import { AppendOnly } from "../transcript/append-only.ts";
import { emptyTranscript, type Row, type Transcript } from "../transcript/transcript.ts";
import { emptySplitter, endBlocks, splitBlocks } from "./split-blocks.ts";

/** A text in Markdown as a transcript that holds only this text. */
export function markdownTranscript(text: string): Transcript {
  const { state, chunks } = splitBlocks(emptySplitter, text);
  const rows = [...chunks, ...endBlocks(state)].map((chunk, at): Row => ({ kind: "markdown", chunk, first: at === 0 }));
  return { ...emptyTranscript, settled: AppendOnly.of<Row>(...rows) };
}
