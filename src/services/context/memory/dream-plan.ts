import { oneLine } from "@quoll/terminal-text/one-line";
import { plainText } from "@quoll/terminal-text/plain-text";
import { z } from "zod";
import { NOTE_TYPES } from "../../../contracts/memory.ts";
import words from "./dream.md" with { type: "text" };
import { arrayInAnswer } from "./json-answer.ts";
import type { StoredNote } from "./memory-files.ts";
import { type NoteFields, slugOf } from "./note-text.ts";

/** The system prompt of the question. */
export const DREAM_SYSTEM = words.trim();
/** The maximum length of the answer, in tokens. */
export const DREAM_MAX_TOKENS = 16_000;
/** The maximum length of all notes in one question, in characters; the newest notes come first. */
const MAX_QUESTION_CHARS = 200_000;
const MAX_BODY_CHARS = 20_000;
const MAX_WHY_COLUMNS = 160;
const MAX_SHOWN_LINES = 300;

const answerSchema = z.array(
  z.object({
    files: z.array(z.string()).min(1),
    why: z.string().default(""),
    note: z
      .object({
        name: z.string().min(1),
        description: z.string(),
        type: z.enum(NOTE_TYPES).catch("project"),
        body: z.string().min(1).max(MAX_BODY_CHARS),
      })
      .nullish(),
  }),
);

/** Some notes, and the note that replaces them; without a replacement they are only removed. */
export type DreamChange = {
  readonly removed: readonly StoredNote[];
  readonly added: NoteFields | undefined;
  readonly why: string;
};

/** The notes as data for the model. @returns the text, and the number of notes that did not fit. */
export function dreamQuestion(notes: readonly StoredNote[]): { readonly text: string; readonly left: number } {
  const items: string[] = [];
  let chars = 0;
  for (const { file, name, description, type, date, body } of notes) {
    const item = JSON.stringify({ file, name, description, type, date, body });
    chars += item.length;
    if (chars > MAX_QUESTION_CHARS) break;
    items.push(item);
  }
  return { text: `The notes, newest first:\n[${items.join(",\n")}]`, left: notes.length - items.length };
}

/**
 * Reads the model's answer. Changes of a note that does not exist, or that an earlier change removes already, are left out.
 * @throws {Error} the answer is not of the form that was asked for.
 */
export function readDream(answer: string, notes: readonly StoredNote[]): readonly DreamChange[] {
  const parsed = answerSchema.safeParse(arrayInAnswer(answer));
  if (!parsed.success) throw new Error("the model's answer does not have the requested form");
  const free = new Map(notes.map((note) => [note.file, note]));
  return parsed.data.flatMap(({ files, why, note }) => {
    const removed = [...new Set(files)].map((file) => free.get(file)).filter((one) => one !== undefined);
    if (removed.length < new Set(files).size) return [];
    for (const { file } of removed) free.delete(file);
    const added = note ? { ...note, name: slugOf(note.name), body: note.body.toWellFormed() } : undefined;
    return [{ removed, added, why: oneLine(why, MAX_WHY_COLUMNS) }];
  });
}

/** The changes as a diff for a person: lines that stay, lines that go, and lines that are new. */
export function dreamLines(changes: readonly DreamChange[]): readonly string[] {
  const lines = changes.flatMap(({ removed, added, why }) => {
    const files = removed.map(({ file }) => file).join(", ");
    const title = added ? `${files} → ${added.name} (${added.type})` : `remove ${files}`;
    const before = removed.flatMap(({ description, body }) => textLines(description, body));
    const after = added ? textLines(added.description, added.body) : [];
    return [`${title}${why === "" ? "" : `: ${why}`}`, ...difference(before, after)];
  });
  if (lines.length <= MAX_SHOWN_LINES) return lines;
  return [...lines.slice(0, MAX_SHOWN_LINES), `… ${lines.length - MAX_SHOWN_LINES} more lines`];
}

/** Old lines in their order, followed by the new lines; a line in both is shown once. */
function difference(before: readonly string[], after: readonly string[]): readonly string[] {
  const [old, now] = [new Set(before), new Set(after)];
  return [
    ...[...old].map((line) => `${now.has(line) ? "   " : " - "}${line}`),
    ...[...now].flatMap((line) => (old.has(line) ? [] : [` + ${line}`])),
  ];
}

function textLines(description: string, body: string): readonly string[] {
  const lines = [description, body].flatMap((text) => plainText(text).split("\n"));
  return lines.map((line) => line.trimEnd()).filter((line) => line !== "");
}
