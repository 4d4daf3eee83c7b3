import type { ChangeGroup, GroupedFile } from "../../../contracts/session-changes.ts";
import { AppendOnly } from "../transcript/append-only.ts";
import { emptyTranscript, type Row, type Transcript } from "../transcript/transcript.ts";

/**
 * Changes as a transcript, so that the viewer can draw, search and copy them: a turn for each group, a block for each
 * file.
 */
export function changesTranscript(groups: readonly ChangeGroup[], notes: readonly string[]): Transcript {
  const rows = groups.flatMap(({ title, files }): readonly Row[] => [
    { kind: "user", text: title },
    ...files.map(fileRow),
  ]);
  const more = notes.map((text): Row => ({ kind: "notice", level: "info", text }));
  return { ...emptyTranscript, settled: AppendOnly.of<Row>(...rows, ...more) };
}

function fileRow(display: GroupedFile): Row {
  const { path, isNew, isDeleted } = display;
  const name = isDeleted ? "delete" : isNew ? "Write" : "Edit";
  const use = { type: "tool_use", id: path, name, input: { file_path: path } } as const;
  const tool = { use, title: path, isError: false, durationMs: 0, excerpt: "", display, refusedBy: undefined };
  return { kind: "tool", tool };
}
