/** The families of instruction files. Each can be switched off with the setting `instructions.<family>`. */
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

/** Who wrote a file: the administrator of the machine, the user for all projects, the project, or the user for this project. */
export type InstructionOrigin = "managed" | "user" | "project" | "local";

/**
 * `in force`: the model has the text, or gets it with the first message. `waits`: the model gets the text when a call touches a
 * file that it concerns. `named`: the model knows path and description, and reads the file when it needs it.
 */
export type InstructionState = "in force" | "waits" | "named" | "off" | "duplicate" | "left out";

/** An instruction file and what becomes of it. */
export type InstructionFile = {
  /** Absolute. */
  readonly path: string;
  /** The path as shown to people and to the model. */
  readonly name: string;
  readonly family: InstructionFamily;
  readonly origin: InstructionOrigin;
  readonly state: InstructionState;
  /** One phrase: why it is left out, which file it repeats, when the model gets it, or that it was cut. */
  readonly why?: string;
  /** Characters of the file; 0 where it can't be read. */
  readonly chars: number;
  /** Estimated tokens of the text that the model gets. */
  readonly tokens: number;
};

/** An instruction text in force, as the model is sent it. */
export type InstructionText = Pick<InstructionFile, "path" | "name" | "family" | "origin"> & {
  /** The whole element with its tags. */
  readonly text: string;
};
