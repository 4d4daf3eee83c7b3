import { oneLine } from "@quoll/terminal-text/one-line";
import { type MemoryNote, NOTE_TYPES, NOTE_WRITERS, type NoteType } from "../../../contracts/memory.ts";
import { headerFields } from "../instructions/read-header.ts";

const MAX_NAME_COLUMNS = 60;
const MAX_DESCRIPTION_COLUMNS = 150;
const MAX_SLUG_CHARS = 48;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const SESSION = /^[\w-]{1,64}$/;

/** The content of a note. */
export type NoteFields = Pick<MemoryNote, "name" | "description" | "type" | "session" | "date" | "by" | "body">;
/** The fields that Quoll writes. */
export type NoteStamp = Required<Pick<NoteFields, "session" | "date" | "by">>;

/**
 * Reads a note. Missing fields are derived: the name from the file's, the description from the first line, the type
 * `project`.
 * @param text With `\n` at the end of lines.
 * @param file The name of its file.
 */
export function parseNote(text: string, file: string): NoteFields {
  const { fields, body: rest } = headerFields(text);
  // Without a field, the lines of dashes are Markdown rules, not a header.
  const body = (fields.size === 0 ? text : rest).trim();
  const one = (name: string) => fields.get(name)?.join(", ") ?? "";
  const firstLine = body.split("\n").find((line) => !/^[-\s]*$/.test(line)) ?? "";
  const by = NOTE_WRITERS.find((writer) => writer === one("by"));
  return {
    name: oneLine(one("name"), MAX_NAME_COLUMNS) || oneLine(file.replace(/\.md$/, ""), MAX_NAME_COLUMNS),
    description: oneLine(one("description") || firstLine.replace(/^#+\s*/, ""), MAX_DESCRIPTION_COLUMNS),
    type: noteType(one("type")) ?? "project",
    ...(SESSION.test(one("session")) && { session: one("session") }),
    ...(DATE.test(one("date")) && { date: one("date") }),
    ...(by && { by }),
    body,
  };
}

/** Formats a note for its file. */
export function noteText({ name, description, type, session, date, by, body }: NoteFields): string {
  const header = [
    `name: ${oneLine(name, MAX_NAME_COLUMNS)}`,
    `description: ${oneLine(description, MAX_DESCRIPTION_COLUMNS)}`,
    `type: ${type}`,
    ...(session === undefined ? [] : [`session: ${session}`]),
    ...(date === undefined ? [] : [`date: ${date}`]),
    ...(by === undefined ? [] : [`by: ${by}`]),
  ];
  return `---\n${header.join("\n")}\n---\n\n${body.trim()}\n`;
}

/**
 * Adds the writer to the text of a note, and the session and date if its front matter lacks them. Other fields stay
 * unchanged.
 * @param note As it was read.
 * @param text The text of its file.
 */
export function stampNote(text: string, note: NoteFields, stamp: NoteStamp): string {
  const { fields } = headerFields(text);
  if (fields.size === 0) return noteText({ ...stamp, ...note, by: stamp.by });
  const missing = (["session", "date"] as const).filter((name) => note[name] === undefined);
  const lines = missing.map((name) => `${name}: ${stamp[name]}\n`).join("");
  const stamped = text.replace(/^---[ \t]*\n/, (first) => `${first}${lines}`);
  if (note.by === stamp.by) return stamped;
  const end = stamped.search(/\n---[ \t]*(?:\n|$)/);
  const header = stamped.slice(0, end).replace(/\nby[ \t]*:.*/g, "");
  return `${header}\nby: ${stamp.by}${stamped.slice(end)}`;
}

export function noteType(text: string): NoteType | undefined {
  return NOTE_TYPES.find((type) => type === text.trim().toLowerCase());
}

/** A note made from a person's text: its name is the beginning of the text. */
export function noteOfWords(words: string, type: NoteType): NoteFields {
  const text = words.trim();
  const line = oneLine(text, MAX_DESCRIPTION_COLUMNS);
  return { name: slugOf(line), description: line, type, body: text };
}

/** A short name for a file: the first words in lower case, joined by hyphens. */
export function slugOf(text: string): string {
  const slug = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  const cut = [...slug].slice(0, MAX_SLUG_CHARS).join("");
  const whole = cut.length < slug.length ? cut.replace(/-[^-]*$/, "") : cut;
  return whole || "note";
}
