import type { AgentDefinition, ShadowedAgent } from "./agent-definition.ts";

/** A definition that a person writes. Empty fields are left out of the file. */
export type NewAgent = {
  readonly name: string;
  readonly description: string;
  /** Names with commas between them. */
  readonly tools: string;
  readonly model: string;
  /** `project`: for everybody in this project; `user`: for this person in all projects. */
  readonly place: "project" | "user";
};

/** The types of agents as a person sees and changes them. */
export type AgentsView = {
  /** Reads the files again. The strongest of each name; `warnings`: one line for each problem of a file. */
  list(): Promise<{
    readonly agents: readonly AgentDefinition[];
    readonly shadowed: readonly ShadowedAgent[];
    readonly warnings: readonly string[];
  }>;
  /** A path in short form: `~/.config/quoll/agents/x.md`. */
  shown(path: string): string;
  /** The absolute folder for new agents: of the project if it is trusted, or else the person's own. */
  newFolder(): Promise<string>;
  /**
   * Writes a file with the fields, and the description as its text.
   * @returns the absolute path. @throws {UserFacingError} (as a rejection) a field can't be used, or nothing was written.
   */
  create(agent: NewAgent, signal: AbortSignal): Promise<string>;
  /** Deletes the file of an agent. @throws {UserFacingError} (as a rejection) it is still there. */
  remove(agent: AgentDefinition): Promise<void>;
};
