import type { ChangeGroup, GroupedFile } from "../../../contracts/session-changes.ts";
import { AppendOnly } from "../../../protocol/transcript/append-only.ts";
import { emptyTranscript, type Row, type Transcript } from "../../../protocol/transcript/transcript.ts";

type ShownChanges = {
  readonly transcript: Transcript;
  /** The commands that take changes back, by the id of their rows. */
  readonly takeBack?: ReadonlyMap<string, string>;
};

/**
 * Changes as a transcript, so that the viewer can draw, search and copy them: a turn for each group, a block for each
 * file, or for each hunk that can be taken back.
 */
export function shownChanges(groups: readonly ChangeGroup[], notes: readonly string[]): ShownChanges {
  const takeBack = new Map<string, string>();
  const rows = groups.flatMap(({ title, files }, at): readonly Row[] => [
    { kind: "user", text: title },
    ...files.flatMap((file) => fileRows(file, `${at}:${file.path}`, takeBack)),
  ]);
  const more = notes.map((text): Row => ({ kind: "notice", level: "info", text }));
  const transcript = { ...emptyTranscript, settled: AppendOnly.of<Row>(...rows, ...more) };
  return { transcript, ...(takeBack.size > 0 && { takeBack }) };
}

function fileRows(file: GroupedFile, id: string, takeBack: Map<string, string>): readonly Row[] {
  const commands = file.takeBack;
  if (!commands) return [fileRow(file, id)];
  return file.hunks.map((hunk, at) => {
    const own = `${id}:${at}`;
    takeBack.set(own, commands[at] ?? "");
    const count = (wanted: string) => hunk.lines.filter(({ kind }) => kind === wanted).length;
    return fileRow({ ...file, hunks: [hunk], added: count("added"), removed: count("removed") }, own);
  });
}

function fileRow(file: GroupedFile, id: string): Row {
  const { kind, path, isNew, isDeleted, added, removed, hunks } = file;
  const name = isDeleted ? "delete" : isNew ? "Write" : "Edit";
  const use = { type: "tool_use", id, name, input: { file_path: path } } as const;
  const display = { kind, path, isNew, added, removed, hunks };
  const tool = { use, title: path, isError: false, durationMs: 0, excerpt: "", display, refusedBy: undefined };
  return { kind: "tool", tool };
}
