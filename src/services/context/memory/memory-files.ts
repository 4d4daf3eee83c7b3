import { join } from "node:path";
import { revealedLine } from "@quoll/terminal-text/one-line";
import { MEMORY_INDEX, type MemoryNote } from "../../../contracts/memory.ts";
import { decode, detectEncoding } from "../../../platform/files/encoding.ts";
import { listFolderSync } from "../../../platform/files/list-folder.ts";
import { isInside, realPathOrSelf } from "../../../platform/paths.ts";
import { type ReadProblem, readOrProblem } from "../../../platform/read-small-file.ts";
import { parseNote } from "./note-text.ts";

/** A larger file is not a note. */
const MAX_NOTE_BYTES = 64 * 1024;
/** The maximum size of the index file: a person may write more into it than is sent to the model. */
const MAX_INDEX_FILE_BYTES = 1024 * 1024;
/** The maximum number of notes of a folder. */
export const MAX_NOTES = 500;
const MAX_NAME_COLUMNS = 100;

const PROBLEMS: Readonly<Record<Exclude<ReadProblem, "too large">, string>> = {
  missing: "it does not exist",
  refused: "it can't be read",
  "not a file": "it is not a regular file",
};

/** A note with the whole text of its file. */
export type StoredNote = MemoryNote & { readonly text: string };

/** The files of a memory folder. */
export type MemoryFiles = {
  /** Sorted by date, then by file name; notes without a date first. */
  readonly notes: readonly StoredNote[];
  /** The text of the index; undefined if there is no readable index. */
  readonly index: string | undefined;
  /** One line for each file that can't be used, safe to print. */
  readonly problems: readonly string[];
};

/**
 * Reads the notes and the index of a memory folder. Files in subfolders, and files with an extension other than `.md`,
 * are not notes.
 * @param folder Absolute, symlinks resolved; it need not exist.
 */
export function readMemory(folder: string): MemoryFiles {
  const problems: string[] = [];
  const notes: StoredNote[] = [];
  const names = listFolderSync(folder).flatMap(({ name, kind }) =>
    isNoteFile(name) && kind !== "folder" ? [name] : [],
  );
  const say = (file: string, problem: string) =>
    problems.push(`The note ${revealedLine(file, MAX_NAME_COLUMNS)} was left out: ${problem}.`);
  const files = names.filter((name) => name !== MEMORY_INDEX).sort();
  for (const file of files.slice(0, MAX_NOTES)) {
    const read = readText(folder, file, MAX_NOTE_BYTES);
    if ("problem" in read) say(file, read.problem);
    else notes.push({ ...parseNote(read.text, file), ...read, file, path: join(folder, file) });
  }
  if (files.length > MAX_NOTES) problems.push(`There are more than ${MAX_NOTES} notes. The others were left out.`);
  const index = names.includes(MEMORY_INDEX) ? readText(folder, MEMORY_INDEX, MAX_INDEX_FILE_BYTES) : undefined;
  if (index && "problem" in index) say(MEMORY_INDEX, index.problem);
  return {
    notes: notes.sort((a, b) => compare(a.date ?? "", b.date ?? "") || compare(a.file, b.file)),
    index: index && "text" in index ? index.text : undefined,
    problems,
  };
}

/** True if a file can be a note or the index, by its name. */
export function isNoteFile(name: string): boolean {
  return name.endsWith(".md") && !name.startsWith(".") && !/[/\\\p{C}]/u.test(name);
}

function readText(
  folder: string,
  file: string,
  maxBytes: number,
): { readonly text: string; readonly bytes: number } | { readonly problem: string } {
  const path = join(folder, file);
  const real = realPathOrSelf(path);
  if (!isInside(folder, real)) return { problem: "it is a link that leads out of the memory folder" };
  const read = readOrProblem(real, maxBytes);
  if ("problem" in read) {
    const { problem } = read;
    return { problem: problem === "too large" ? `it is larger than ${maxBytes / 1024} KiB` : PROBLEMS[problem] };
  }
  const encoding = detectEncoding(read.bytes);
  if (encoding === "binary") return { problem: "it is not text" };
  const text = decode(read.bytes, encoding).toWellFormed().replaceAll("\r\n", "\n");
  return { text, bytes: read.bytes.length };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
