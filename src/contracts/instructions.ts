/** The families of instruction files. Each family can be disabled with the setting `instructions.<family>`. */
export type InstructionFamily =
  | "agents"
  | "claude"
  | "quoll"
  | "gemini"
  | "qwen"
  | "crush"
  | "copilot"
  | "cursor"
  | "codex";

/**
 * The author of a file: the machine's administrator, the user for all projects, a folder above the project, the
 * project, or the user for this project.
 */
export type InstructionOrigin = "managed" | "user" | "above" | "project" | "local";

/**
 * `in effect`: the model has the text, or gets it with the first message. `waits`: the model gets the text when a call
 * touches a file that the text applies to. `named`: the model knows the path and the description, and reads the file
 * when needed.
 */
export type InstructionState = "active" | "waits" | "named" | "off" | "duplicate" | "left out";

/** An instruction file and its state. */
export type InstructionFile = {
  /** Absolute. */
  readonly path: string;
  /** The path as shown to people and to the model. */
  readonly name: string;
  readonly family: InstructionFamily;
  readonly origin: InstructionOrigin;
  readonly state: InstructionState;
  /**
   * One phrase: the reason why the file is left out, the file that it duplicates, when the model gets it, or that it
   * was cut.
   */
  readonly why?: string;
  /** The length of the file in characters; 0 if the file can't be read. */
  readonly chars: number;
  /** Estimated tokens of the text that the model gets. */
  readonly tokens: number;
};

/** An active instruction text, in the form that the model gets. */
export type InstructionText = Pick<InstructionFile, "path" | "name" | "family" | "origin"> & {
  /** The whole element with its tags. */
  readonly text: string;
};

/**
 * The files to which the user can add a line: the project's, the user's own for this project, the user's own for all
 * projects.
 */
export const NOTE_SCOPES = ["project", "local", "user"] as const;
export type NoteScope = (typeof NOTE_SCOPES)[number];

/** The file of a scope. */
export type NoteTarget = {
  readonly scope: NoteScope;
  /** Absolute. */
  readonly path: string;
  readonly name: string;
  readonly exists: boolean;
};

/** The facts about a repository for a model that writes the repository's instruction file. */
export type RepositoryReport = {
  /** The file to write. */
  readonly target: string;
  readonly exists: boolean;
  readonly facts: string;
};

/** The instruction files of a session, for commands. */
export interface SessionInstructions {
  /** Lists every file of the project, the user and the administrator, with its state. */
  list(signal: AbortSignal): Promise<readonly InstructionFile[]>;
  targets(): readonly NoteTarget[];
  /**
   * Adds a line to the file of a scope. The model gets the line with the next request.
   * @returns lines for the person.
   * @throws {UserFacingError} (as a rejection) nothing was written.
   */
  add(scope: NoteScope, words: string, signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Called when the user has edited a file: the model gets a changed text with the next request.
   * @returns lines for the person.
   */
  edited(path: string, signal: AbortSignal): Promise<readonly string[]>;
  report(signal: AbortSignal): Promise<RepositoryReport>;
}
