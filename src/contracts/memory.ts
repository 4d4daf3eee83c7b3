/**
 * The kinds of notes: about the user, how the user wants the work done, about the project, and where to find something.
 */
export const NOTE_TYPES = ["user", "feedback", "project", "reference"] as const;
export type NoteType = (typeof NOTE_TYPES)[number];

/** The writer of a note's text. */
export const NOTE_WRITERS = ["model", "person"] as const;
export type NoteWriter = (typeof NOTE_WRITERS)[number];

/** The index of the notes, a file of the memory folder. */
export const MEMORY_INDEX = "MEMORY.md";

/** A note of a project's memory. */
export type MemoryNote = {
  /** The name of its file in the memory folder. */
  readonly file: string;
  /** Absolute. */
  readonly path: string;
  readonly name: string;
  /** One line. */
  readonly description: string;
  readonly type: NoteType;
  /** The id of the session that wrote the note; absent in a note that a person wrote with an editor. */
  readonly session?: string;
  /** The date of the note, such as `2026-01-31`; absent if unknown. */
  readonly date?: string;
  /**
   * The writer of the note, recorded by Quoll: the model if a call of the model changed the note. Absent in a note that
   * a person wrote with an editor.
   */
  readonly by?: NoteWriter;
  /** The text of the note without the front matter. */
  readonly body: string;
  /** Bytes of the file. */
  readonly bytes: number;
};

/** The current content of the memory folder. */
export type MemoryListing = {
  readonly isOn: boolean;
  /** Absolute. */
  readonly folder: string;
  /** Newest first. */
  readonly notes: readonly MemoryNote[];
  /** The index file; undefined if there is none. */
  readonly index: { readonly path: string; readonly lines: number; readonly bytes: number } | undefined;
  /** One line for each file that can't be used, safe to print. */
  readonly problems: readonly string[];
};

/** The memory of a session's project, for commands. */
export interface SessionMemory {
  list(): Promise<MemoryListing>;
  /** Enables or disables the memory for this session. @returns lines for the person. */
  switchTo(isOn: boolean): Promise<readonly string[]>;
  /**
   * Writes a note without asking a model.
   * @returns lines for the person.
   * @throws {UserFacingError} (as a rejection) nothing was written.
   */
  remember(type: NoteType, words: string): Promise<readonly string[]>;
  /** Notes that the model proposed after a turn and nobody has saved yet, oldest first. */
  proposals(): readonly Pick<MemoryNote, "type" | "description">[];
  /**
   * Saves a proposed note.
   * @param number The proposal's number, from 1, in the order of `proposals`.
   * @returns lines for the person.
   * @throws {UserFacingError} (as a rejection) there is no such proposal.
   */
  takeProposal(number: number): Promise<readonly string[]>;
  /** The notes that match some words, best first; all notes if there are no words. */
  find(words: string): Promise<readonly MemoryNote[]>;
  /** Moves a note away. @returns lines for the person. @throws {UserFacingError} (as a rejection) there is no such note. */
  forget(file: string): Promise<readonly string[]>;
  /**
   * Restores the note that was forgotten last.
   * @returns lines for the person.
   * @throws {UserFacingError} (as a rejection) there is no forgotten note.
   */
  undoForget(): Promise<readonly string[]>;
  /**
   * Asks the model how to merge and prune the notes. Nothing is changed.
   * @returns the changes as a diff, safe to print; no lines if there is nothing to change.
   * @throws {UserFacingError} (as a rejection) there is no model or no usable answer.
   * @throws {SpendLimitError} a cap leaves no room.
   */
  dream(signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Applies the changes proposed by the last `dream`.
   * @returns lines for the person.
   * @throws {UserFacingError} (as a rejection) there are no changes to apply, or a note has changed.
   */
  applyDream(): Promise<readonly string[]>;
  /**
   * Undoes the last applied changes.
   * @returns lines for the person.
   * @throws {UserFacingError} (as a rejection) there are no changes to undo.
   */
  undoDream(): Promise<readonly string[]>;
  /** Called when the user has edited a file of the folder. @returns lines for the person. */
  edited(path: string): Promise<readonly string[]>;
}
