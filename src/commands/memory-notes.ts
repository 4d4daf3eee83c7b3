import { plural } from "@quoll/terminal-text/plural";
import { tableLines } from "@quoll/terminal-text/table-lines";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import type { Choice } from "../contracts/command-result.ts";
import type { MemoryListing, MemoryNote } from "../contracts/memory.ts";

const MAX_NAME_COLUMNS = 44;

/** Notes as lines of a list. */
export function noteLines(notes: readonly MemoryNote[]): readonly string[] {
  const rows = notes.map((note) => [truncateText(note.file, MAX_NAME_COLUMNS), aboutNote(note)]);
  return tableLines(rows, "  ");
}

/** The index and the notes as a list from which the person opens an entry. */
export function noteChoices({ index, notes }: MemoryListing): readonly Choice[] {
  const list = index ? [{ path: index.path, label: "MEMORY.md", detail: aboutIndex(index) }] : [];
  const each = notes.map((note) => ({ path: note.path, label: note.file, detail: aboutNote(note) }));
  return [...list, ...each].map(({ path, label, detail }) => ({ label, detail, input: `/memory ${path}` }));
}

/** The memory as lines, for a face without lists. */
export function memoryLines(listing: MemoryListing): readonly string[] {
  const { isOn, notes, folder, problems } = listing;
  const state = isOn ? "on" : "off";
  if (notes.length === 0)
    return [`The memory is ${state} and has no notes. \`/remember <text>\` writes a note.`, ...problems];
  return [`The memory is ${state}: ${plural(notes.length, "note")} in ${folder}.`, ...noteLines(notes), ...problems];
}

function aboutNote({ type, description, bytes, date }: MemoryNote): string {
  return `note, ${type}${date === undefined ? "" : `, ${date}`} · ${size(bytes)} · ${description}`;
}

function aboutIndex({ lines, bytes }: { readonly lines: number; readonly bytes: number }): string {
  return `index of the notes · ${lines} lines, ${size(bytes)}`;
}

function size(bytes: number): string {
  return `${bytes.toLocaleString("en-US")} bytes`;
}
