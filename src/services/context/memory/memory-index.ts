import { type MemoryNote, NOTE_TYPES } from "../../../contracts/memory.ts";

export const MAX_INDEX_LINES = 200;
export const MAX_INDEX_BYTES = 25_000;
const CUT_LINE = "(The index is longer: the rest was left out.)";
/** A line that Quoll writes, see `indexLine`: a link to a note beside the index, its description, and its type at the end. */
const NOTE_LINE = new RegExp(`^- \\[[^[\\]]*\\]\\(([^()/]+\\.md)\\): .*\\((?:${NOTE_TYPES.join("|")})\\)$`);

type IndexedNote = Pick<MemoryNote, "file" | "name" | "description" | "type">;

export type UpdatedIndex = {
  readonly text: string;
  /** Files of the notes for which the index has no room. */
  readonly left: readonly string[];
};

/**
 * Updates the index to one line for each current note. Lines that Quoll did not write stay unchanged, even if they link
 * a note; the order of lines stays too; lines for new notes come last.
 * @param before The current content of the index file; empty if there is none.
 * @param notes The notes, oldest first.
 * @returns a text within the limits, unless the person's own lines are above them already.
 */
export function updateIndex(before: string, notes: readonly IndexedNote[]): UpdatedIndex {
  const waiting = new Map(notes.map((note) => [note.file, note]));
  const byLink = new Map(notes.map((note) => [linkTo(note.file), note]));
  const lines: string[] = [];
  const left: string[] = [];
  const own = linesOf(before).filter((line) => !NOTE_LINE.test(line));
  // The person's own lines are counted first, because they are never removed.
  let count = own.length;
  let bytes = own.reduce((sum, line) => sum + sizeOf(line), 0);
  const add = (note: IndexedNote) => {
    waiting.delete(note.file);
    const line = indexLine(note);
    if (count + 1 > MAX_INDEX_LINES || bytes + sizeOf(line) > MAX_INDEX_BYTES) {
      left.push(note.file);
      return;
    }
    count += 1;
    bytes += sizeOf(line);
    lines.push(line);
  };
  for (const line of linesOf(before)) {
    const link = NOTE_LINE.exec(line)?.[1];
    const note = link === undefined ? undefined : byLink.get(link);
    if (note && waiting.has(note.file)) add(note);
    else if (link === undefined) lines.push(line);
  }
  for (const note of [...waiting.values()]) add(note);
  return { text: lines.length === 0 ? "" : `${lines.join("\n")}\n`, left };
}

/**
 * The index in the form for the model: at most `MAX_INDEX_LINES` and `MAX_INDEX_BYTES`, with a line that says so if it
 * was cut.
 */
export function sentIndex(text: string): { readonly text: string; readonly isCut: boolean } {
  const lines = linesOf(text);
  const whole = lines.join("\n");
  if (lines.length <= MAX_INDEX_LINES && Buffer.byteLength(whole) <= MAX_INDEX_BYTES)
    return { text: whole, isCut: false };
  const kept: string[] = [];
  let bytes = sizeOf(CUT_LINE);
  for (const line of lines) {
    bytes += sizeOf(line);
    if (kept.length + 2 > MAX_INDEX_LINES || bytes > MAX_INDEX_BYTES) break;
    kept.push(line);
  }
  return { text: [...kept, CUT_LINE].join("\n"), isCut: true };
}

function indexLine({ name, file, description, type }: IndexedNote): string {
  return `- [${name.replace(/[[\]]/g, "")}](${linkTo(file)}): ${description} (${type})`;
}

/** A file name as the target of a Markdown link. */
function linkTo(file: string): string {
  return file.replace(/[\s%()<>]/g, (char) => `%${(char.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}`);
}

function linesOf(text: string): readonly string[] {
  const trimmed = text.replace(/\r\n?/g, "\n").trimEnd();
  return trimmed === "" ? [] : trimmed.split("\n");
}

/** With its line break. */
function sizeOf(line: string): number {
  return Buffer.byteLength(line) + 1;
}
