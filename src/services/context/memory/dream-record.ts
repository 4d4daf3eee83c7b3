import { join } from "node:path";
import { z } from "zod";
import { UserFacingError } from "../../../contracts/errors.ts";
import { parsedJson } from "../../../contracts/parsed-json.ts";
import { entryExists } from "../../../platform/paths.ts";
import { makePrivateFolder, replacePrivateFile } from "../../../platform/private-file.ts";
import { readSmallFile } from "../../../platform/read-small-file.ts";
import { deleteNote, type NoteFolders } from "../io/note-moves.ts";
import type { DreamChange } from "./dream-plan.ts";
import { isNoteFile, readMemory } from "./memory-files.ts";
import { type NoteStamp, noteText } from "./note-text.ts";

const RECORD = "last-dream.json";
const MAX_RECORD_BYTES = 64 * 1024 * 1024;

const savedFile = z.object({ file: z.string().refine(isNoteFile), text: z.string() });
const recordSchema = z.object({ removed: z.array(savedFile), written: z.array(savedFile) });

type SavedFile = z.infer<typeof savedFile>;

/**
 * Changes the notes, after recording their previous state.
 * @param stamp The fields of the new notes that Quoll writes.
 * @returns how many notes went and came.
 * @throws {UserFacingError} a note was changed since it was read: nothing was done.
 */
export function applyDream(
  changes: readonly DreamChange[],
  folders: NoteFolders,
  stamp: NoteStamp,
): { readonly removed: number; readonly written: number } {
  const removed = changes.flatMap((change) => change.removed.map(({ file, text }) => ({ file, text })));
  const now = textsOf(folders);
  for (const { file, text } of removed)
    if (now.get(file) !== text)
      throw new UserFacingError(`${file} was changed since the model read it. Nothing was changed: run /dream again.`);
  const going = new Set(removed.map(({ file }) => file));
  const written: SavedFile[] = [];
  for (const { added } of changes) {
    if (!added) continue;
    const file = freeName(added.name, folders, going, written);
    written.push({ file, text: noteText({ ...added, ...stamp }) });
  }
  writeRecord(folders, { removed, written });
  for (const { file } of removed) deleteNote(folders, file);
  for (const { file, text } of written) replacePrivateFile(join(folders.folder, file), text);
  return { removed: removed.length, written: written.length };
}

/**
 * Undoes the last change of this kind. Notes that were edited since stay; a note whose name is taken comes back
 * under a free one.
 * @returns how many notes restored.
 * @throws {UserFacingError} if there is no such change.
 * @throws {Error} a system error: the record keeps the notes that did not come back.
 */
export function undoDream(folders: NoteFolders): number {
  const record = readRecord(folders);
  if (!record) throw new UserFacingError("There is no /dream to undo.");
  makePrivateFolder(folders.folder);
  const now = textsOf(folders);
  for (const { file, text } of record.written) if (now.get(file) === text) deleteNote(folders, file);
  const missing = record.removed.filter(({ file, text }) => now.get(file) !== text);
  missing.forEach(({ file, text }, at) => {
    try {
      const free = freeName(file.replace(/\.md$/, ""), folders, new Set(), []);
      replacePrivateFile(join(folders.folder, free), text);
    } catch (error) {
      if (at > 0) writeRecord(folders, { removed: missing.slice(at), written: [] });
      throw error;
    }
  });
  deleteNote({ ...folders, folder: folders.kept }, RECORD);
  return missing.length;
}

function writeRecord({ kept }: NoteFolders, record: z.infer<typeof recordSchema>): void {
  makePrivateFolder(kept);
  replacePrivateFile(join(kept, RECORD), JSON.stringify(record));
}

function readRecord({ kept }: NoteFolders) {
  const text = readSmallFile(join(kept, RECORD), MAX_RECORD_BYTES);
  // A broken record can't be used.
  return recordSchema.safeParse(parsedJson(text ?? "")).data;
}

function textsOf({ folder }: NoteFolders): ReadonlyMap<string, string> {
  return new Map(readMemory(folder).notes.map(({ file, text }) => [file, text]));
}

/** A name that no note has that stays. */
function freeName(
  name: string,
  { folder }: NoteFolders,
  going: ReadonlySet<string>,
  written: readonly SavedFile[],
): string {
  for (let number = 1; ; number += 1) {
    const file = number === 1 ? `${name}.md` : `${name}-${number}.md`;
    const isTaken = written.some((one) => one.file === file) || file.toLowerCase() === "memory.md";
    if (!isTaken && (going.has(file) || !entryExists(join(folder, file)))) return file;
  }
}
