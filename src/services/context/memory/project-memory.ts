import { basename, dirname, join } from "node:path";
import { plural } from "@quoll/terminal-text/plural";
import { errorMessage, UserFacingError } from "../../../contracts/errors.ts";
import {
  MEMORY_INDEX,
  type MemoryListing,
  type MemoryNote,
  type NoteType,
  type NoteWriter,
} from "../../../contracts/memory.ts";
import type { Redactor } from "../../../contracts/ports.ts";
import { entryExists, realPathOrSelf } from "../../../platform/paths.ts";
import { makePrivateFolder, replacePrivateFile } from "../../../platform/private-file.ts";
import { moveAway, moveBack } from "../io/note-moves.ts";
import type { DreamChange } from "./dream-plan.ts";
import { memoryElement } from "./memory-element.ts";
import { isNoteFile, MAX_NOTES, readMemory, type StoredNote } from "./memory-files.ts";
import { MAX_INDEX_BYTES, MAX_INDEX_LINES, sentIndex, updateIndex } from "./memory-index.ts";
import { type NoteFields, type NoteStamp, noteOfWords, noteText, parseNote, stampNote } from "./note-text.ts";

const MAX_TOLD = 100;

export type MemoryFolders = {
  /** The folder of the notes: absolute, symlinks resolved. The folder need not exist. */
  readonly folder: string;
  /** The folder of forgotten notes: absolute. */
  readonly kept: string;
};

export type MemoryDeps = MemoryFolders & {
  readonly sessionId: string;
  /** True for the notes of a child agent. */
  readonly isAgents?: boolean;
  /** Milliseconds since 1970. */
  now(): number;
  redactor(): Promise<Redactor>;
  /** True for a file that a rule hides from the model. @param path Absolute. */
  isHidden(path: string): boolean;
  /** Tells the person one line. */
  notify(line: string): void;
};

/** A note that was written. `hadSecrets`: credentials in the note were replaced by placeholders. */
export type WrittenNote = { readonly note: MemoryNote; readonly hadSecrets: boolean };

/** The notes of a project: Markdown files that the person, the model and Quoll write, with an index that Quoll keeps. */
export class ProjectMemory {
  readonly #deps: MemoryDeps;
  readonly #notified = new Set<string>();
  /** Files that calls of this turn write, with their previous text; undefined for a new file. */
  readonly #touched = new Map<string, string | undefined>();

  constructor(deps: MemoryDeps) {
    this.#deps = deps;
  }

  /**
   * The memory for the first message: without notes that a rule hides from the model, and without credentials. Nothing
   * is written.
   * @param tools Names of the built-in tools that the model has.
   * @returns the empty string if a rule hides the index from the model, or there are no notes and the model writes none.
   */
  async opening(tools: readonly string[]): Promise<string> {
    if (this.#deps.isHidden(this.#indexPath)) return "";
    const { index, notes } = this.#read();
    // The redactor takes longer to load than all other steps before a first request; an empty memory does not need it.
    if (!index && notes.length === 0) return tools.includes("Write") ? memoryElement(this.#deps, "", tools) : "";
    const redactor = await this.#deps.redactor();
    const { text, left } = updateIndex(redactor.redact(index ?? ""), this.#shown(notes, redactor));
    const sent = sentIndex(text);
    if (sent.isCut || left.length > 0) this.#notify(fullLine(left.length));
    return memoryElement(this.#deps, sent.text, tools);
  }

  /** Every note that can be read; newest first. */
  notes(): readonly StoredNote[] {
    return [...this.#read().notes].reverse();
  }

  /**
   * The notes for a model: without those that a rule hides from it, newest first.
   * @returns notes whose fields contain no credentials; `text` and `bytes` are those of the file.
   */
  async forModel(): Promise<readonly StoredNote[]> {
    const redactor = await this.#deps.redactor();
    return this.#shown(this.notes(), redactor);
  }

  list(): Omit<MemoryListing, "isOn"> {
    const { notes, index, problems } = readMemory(this.#deps.folder);
    const lines = index === undefined || index.trim() === "" ? 0 : index.trimEnd().split("\n").length;
    return {
      folder: this.#deps.folder,
      notes: [...notes].reverse(),
      index: index === undefined ? undefined : { path: this.#indexPath, lines, bytes: Buffer.byteLength(index) },
      problems,
    };
  }

  /**
   * Records which files of the folder a call is about to write, and creates the folder, readable only by this user.
   * @param paths Absolute, symlinks resolved.
   */
  touched(paths: readonly string[]): void {
    const files = paths.filter((path) => dirname(path) === this.#deps.folder && isNoteFile(basename(path)));
    if (files.length === 0) return;
    makePrivateFolder(this.#deps.folder);
    const texts = new Map(readMemory(this.#deps.folder).notes.map(({ file, text }) => [file, text]));
    for (const file of files.map((path) => basename(path)))
      if (!this.#touched.has(file)) this.#touched.set(file, texts.get(file));
  }

  /**
   * Called after a turn: adds the session, the date and the model as writer to the notes that the turn's calls changed,
   * and updates the index.
   */
  settle(): void {
    if (this.#touched.size === 0) return;
    const before = new Map(this.#touched);
    this.#touched.clear();
    try {
      const { notes } = this.#read();
      for (const note of notes) if (before.has(note.file) && before.get(note.file) !== note.text) this.#stamp(note);
      this.#updateIndex();
    } catch (error) {
      this.#notify(`The memory's index could not be written: ${errorMessage(error)}`);
    }
  }

  /**
   * Writes a note from a person's text.
   * @throws {UserFacingError} if there are no words, there are too many notes, or the note could not be written.
   */
  async remember(type: NoteType, words: string): Promise<WrittenNote> {
    const text = words.toWellFormed().trim();
    if (text === "") throw new UserFacingError("There is nothing to remember: `/remember <text>`.");
    const redacted = (await this.#deps.redactor()).redact(text);
    return { ...(await this.write(noteOfWords(redacted, type), "person")), hadSecrets: redacted !== text };
  }

  /**
   * Writes a new note.
   * @param by The writer of its text.
   * @throws {UserFacingError} if there are too many notes, or the note could not be written.
   */
  async write(given: NoteFields, by: NoteWriter): Promise<WrittenNote> {
    const redactor = await this.#deps.redactor();
    const [description, body] = [redactor.redact(given.description), redactor.redact(given.body)];
    const hadSecrets = description !== given.description || body !== given.body;
    const fields = { ...given, description, body, ...this.#stampOf(by) };
    if (this.#read().notes.length >= MAX_NOTES)
      throw new UserFacingError(`There are ${MAX_NOTES} notes, the maximum. \`/forget\` removes notes.`);
    const file = this.#freeName(fields.name);
    const path = join(this.#deps.folder, file);
    const content = noteText(fields);
    await this.#writing(() => {
      makePrivateFolder(this.#deps.folder);
      replacePrivateFile(path, content);
      this.#updateIndex();
    });
    return { note: { ...fields, file, path, bytes: Buffer.byteLength(content) }, hadSecrets };
  }

  /** @throws {UserFacingError} if there is no such note, or it can't be moved. */
  async forget(file: string): Promise<void> {
    if (!isNoteFile(file) || file === MEMORY_INDEX || !entryExists(join(this.#deps.folder, file)))
      throw new UserFacingError(`There is no note ${file}. \`/forget\` lists the notes.`);
    await this.#writing(() => {
      moveAway(this.#deps, file, this.#deps.now());
      this.#updateIndex();
    });
  }

  /**
   * Restores the note that was forgotten last. @throws {UserFacingError} no note was forgotten, or the note can't be
   * moved.
   */
  async undoForget(): Promise<string> {
    return this.#writing(() => {
      const file = moveBack(this.#deps);
      if (file === undefined) throw new UserFacingError("No note was forgotten.");
      this.#updateIndex();
      return file;
    });
  }

  /**
   * Changes the notes as a model proposed and a person wants.
   * @throws {UserFacingError} a note was changed since, or the files can't be changed.
   */
  async applyDream(changes: readonly DreamChange[]) {
    const [redactor, { applyDream }] = await Promise.all([this.#deps.redactor(), import("./dream-record.ts")]);
    const clean = changes.map(({ added, ...rest }) => ({
      ...rest,
      added: added && { ...added, description: redactor.redact(added.description), body: redactor.redact(added.body) },
    }));
    return this.#writing(() => {
      const counts = applyDream(clean, this.#deps, this.#stampOf("model"));
      this.#updateIndex();
      return counts;
    });
  }

  /**
   * @returns the number of restored notes.
   * @throws {UserFacingError} if there is nothing to undo, or the files can't be changed.
   */
  async undoDream(): Promise<number> {
    const { undoDream } = await import("./dream-record.ts");
    return this.#writing(() => {
      const count = undoDream(this.#deps);
      this.#updateIndex();
      return count;
    });
  }

  /** Called after a person changed a file of the folder. */
  async changed(): Promise<void> {
    await this.#writing(() => this.#updateIndex());
  }

  get #indexPath(): string {
    return join(this.#deps.folder, MEMORY_INDEX);
  }

  /** The whole text is redacted before the fields are cut from it: a part of a credential is not recognised. */
  #shown(notes: readonly StoredNote[], redactor: Redactor): readonly StoredNote[] {
    const { isHidden } = this.#deps;
    const shown = notes.filter(({ path }) => !isHidden(path) && !isHidden(realPathOrSelf(path)));
    return shown.map((note) => {
      const text = redactor.redact(note.text);
      return text === note.text ? note : { ...note, ...parseNote(text, note.file) };
    });
  }

  #read() {
    const files = readMemory(this.#deps.folder);
    for (const line of files.problems) this.#notify(line);
    return files;
  }

  #stamp(note: StoredNote): void {
    replacePrivateFile(note.path, stampNote(note.text, note, this.#stampOf("model")));
  }

  #stampOf(by: NoteWriter): NoteStamp {
    return { session: this.#deps.sessionId, date: new Date(this.#deps.now()).toISOString().slice(0, 10), by };
  }

  #updateIndex(): void {
    const { index, notes } = this.#read();
    // An index that can't be read is left alone: it may be a link.
    if (index === undefined && entryExists(this.#indexPath)) return;
    const { text, left } = updateIndex(index ?? "", notes);
    if (text !== (index ?? "")) replacePrivateFile(this.#indexPath, text);
    if (left.length > 0) this.#notify(fullLine(left.length));
  }

  #freeName(name: string): string {
    for (let number = 1; ; number += 1) {
      const file = number === 1 ? `${name}.md` : `${name}-${number}.md`;
      if (file.toLowerCase() !== MEMORY_INDEX.toLowerCase() && !entryExists(join(this.#deps.folder, file))) return file;
    }
  }

  async #writing<Value>(write: () => Value): Promise<Value> {
    try {
      return write();
    } catch (error) {
      if (error instanceof UserFacingError) throw error;
      throw new UserFacingError(`The memory could not be changed: ${errorMessage(error)}`, 1, { cause: error });
    }
  }

  /** Warns the person with the line, once per line. */
  #notify(line: string): void {
    if (this.#notified.has(line) || this.#notified.size >= MAX_TOLD) return;
    this.#notified.add(line);
    this.#deps.notify(line);
  }
}

function fullLine(left: number): string {
  const limit = `${MAX_INDEX_LINES} lines and ${MAX_INDEX_BYTES / 1_000} KB`;
  const what = left > 0 ? `${plural(left, "note")} had no room in it` : "the model gets only its beginning";
  return `The memory's index is full (${limit}): ${what}. \`/forget\` moves notes away.`;
}
