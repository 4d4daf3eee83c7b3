import type { AgentDefinition, ShadowedAgent } from "./agent-definition.ts";
import type { ContentWarning } from "./content-folder.ts";

/** A definition that a person writes. `create` leaves empty fields out of the file. */
export type NewAgent = {
  readonly name: string;
  readonly description: string;
  /** Names of tools, separated by commas. */
  readonly tools: string;
  readonly model: string;
  /** `project`: for everybody in this project; `user`: for this person in all projects. */
  readonly place: "project" | "user";
};

/** The types of agents that a person can see and change. */
export type AgentsView = {
  /**
   * Reads the files again. For each name, the definition with the highest precedence; `warnings`: one for each problem
   * of a file.
   */
  list(): Promise<{
    readonly agents: readonly AgentDefinition[];
    readonly shadowed: readonly ShadowedAgent[];
    readonly warnings: readonly ContentWarning[];
  }>;
  /** Shortens a path: `~/.config/quoll/agents/x.md`. */
  shown(path: string): string;
  /** The absolute folder for new agents: the project's if it is trusted, otherwise the person's own. */
  newFolder(): Promise<string>;
  /**
   * Writes a definition file with the fields, and the description as its text.
   * @returns the absolute path.
   * @throws {UserFacingError} (as a rejection) a field can't be used, or nothing was written.
   */
  create(agent: NewAgent, signal: AbortSignal): Promise<string>;
  /** Deletes the file of an agent. @throws {UserFacingError} (as a rejection) the file still exists. */
  remove(agent: AgentDefinition): Promise<void>;
};
