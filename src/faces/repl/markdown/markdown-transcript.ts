import { AppendOnly } from "../../../protocol/transcript/append-only.ts";
import { emptySplitter, endBlocks, splitBlocks } from "../../../protocol/transcript/split-blocks.ts";
import { emptyTranscript, type Row, type Transcript } from "../../../protocol/transcript/transcript.ts";

/** A text in Markdown as a transcript that holds only this text. */
export function markdownTranscript(text: string): Transcript {
  const { state, chunks } = splitBlocks(emptySplitter, text);
  const rows = [...chunks, ...endBlocks(state)].map((chunk, at): Row => ({ kind: "markdown", chunk, first: at === 0 }));
  return { ...emptyTranscript, settled: AppendOnly.of<Row>(...rows) };
}
