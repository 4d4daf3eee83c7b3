import { plural } from "@quoll/terminal-text/plural";
import type { LinesRead } from "../../../contracts/files.ts";
import { MORE_LINES_WORDS } from "../../../contracts/read-words.ts";
import { type ToolResult, textResult } from "../../../contracts/tool.ts";
import { encodingName } from "../../../platform/files/encoding.ts";
import { count, numbered, type Target } from "../target-file.ts";

/** The requested part of a file: lines from `offset` on, at most `limit`. */
export type Range = { readonly offset: number; readonly limit: number };

/** The lines in the model's format, followed by notes in brackets. */
export function showText(target: Target, read: LinesRead, range: Range): ToolResult {
  const { lines } = read;
  const notes = notesOn(read, range).map((note) => `[${note}]`);
  const body = lines.map(({ number, text, cutBytes }) =>
    numbered(number, cutBytes > 0 ? `${text}… [${count(cutBytes)} more bytes in this line]` : text),
  );
  if (lines.length === 0) body.push(nothingShown(target, read, range));
  return textResult([...body, ...notes].join("\n"), {
    exemptFromSpill: true,
    ...(read.stoppedBy !== "end" && { shows: "part" }),
    display: { kind: "summary", text: shownLines(lines.length, read.lineCount) },
  });
}

/** `4 lines` of a whole file, `4 of 10 lines` of a part. */
export function shownLines(shown: number, all = shown): string {
  return shown === all ? plural(shown, "line") : `${count(shown)} of ${plural(all, "line")}`;
}

function nothingShown(target: Target, { size, lineCount }: LinesRead, { offset }: Range): string {
  if (size === 0 || lineCount === 0) return `${target.shown} is empty (${plural(size, "byte")}).`;
  return `Line ${count(offset)} is past the end: ${target.shown} has ${plural(lineCount ?? 0, "line")}.`;
}

function notesOn(read: LinesRead, range: Range): readonly string[] {
  const notes: string[] = [];
  const last = read.lines.at(-1);
  if (last && read.stoppedBy !== "end") notes.push(partial(read, range, last.number));
  const encoding = encodingName(read.encoding);
  if (encoding && read.encoding.name !== "unknown") notes.push(`encoding: ${encoding}; Edit keeps it`);
  if (read.hasStray) notes.push("bytes of an unknown encoding are shown as �; Edit keeps them");
  const isCrAlone = read.lineCount === 1 && last?.text.includes("\r");
  if (isCrAlone) notes.push("lines end in CR alone and are read as one: see them with `tr '\\r' '\\n'` in Bash");
  else if (read.hasCrLf) notes.push("lines end in CRLF; Edit keeps that");
  if (last && read.stoppedBy === "end" && !read.endsWithNewline) notes.push("no newline at the end of the file");
  return notes;
}

function partial({ lines, stoppedBy, lineCount, size }: LinesRead, { limit }: Range, last: number): string {
  const first = lines[0]?.number ?? last;
  const whole =
    lineCount === undefined
      ? `${count(size)} bytes, lines not counted`
      : `${plural(lineCount, "line")}, ${count(size)} bytes`;
  const why = stoppedBy === "chars" ? "about 25,000 tokens are the most for one call" : `limit ${count(limit)}`;
  return `lines ${count(first)}–${count(last)} of a file of ${whole} (${why}); ${MORE_LINES_WORDS} ${last + 1}`;
}
