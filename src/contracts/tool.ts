import type { AgentSource } from "./agent.ts";
import type { SpawnAgent } from "./agent-scope.ts";
import type { Display, Preview, Progress } from "./display.ts";
import type { Files } from "./files.ts";
import type { Findable } from "./findable.ts";
import type { AcceptedMedia, ToolResultContent } from "./message.ts";
import { promptText } from "./prompt-text.ts";
import type { Asker } from "./question.ts";
import type { ResultFacts } from "./result-facts.ts";
import type { Grant, Subject } from "./subject.ts";
import type { Tasks } from "./task.ts";
import { byWord } from "./words.ts";

/** The highest level of a call: `none` touches session state only. */
export type Level = "none" | "read" | "write" | "execute" | "network";

export type ToolResult = {
  readonly content: ToolResultContent;
  readonly isError?: boolean;
  readonly display?: Display;
  /** True for results that have their own limit and are never written to a file. */
  readonly exemptFromSpill?: boolean;
  /** A lower limit than the usual for the characters that the model gets; the rest is written to a file. */
  readonly maxShownChars?: number;
} & ResultFacts;

/** Events of a tool for readers of the conversation, in addition to its result. */
export type ToolEvent = { readonly type: "notice"; readonly message: string };

/** The services that all calls of an agent share. */
export type ToolPorts = {
  /** The calling agent. */
  readonly agent: AgentSource;
  /** Asks the person on behalf of the agent. */
  readonly ask: Asker;
  /** The background work. */
  readonly tasks: Tasks;
  /** The files that are read and changed. */
  readonly files: Files;
  readonly spawnAgent: SpawnAgent;
  /** The log entry at which a fork of the conversation would begin now; null before the first message. */
  forkPoint(): string | null;
  /** True if the model has a tool of this name: a result must not mention other tools. */
  hasTool(name: string): boolean;
  /** What the model takes beside text. */
  accepts(): AcceptedMedia;
  /** The tools that `ToolSearch` searches. */
  findables(): readonly Findable[];
};

export type ToolContext = ToolPorts & {
  readonly toolUseId: string;
  /** The working folder at the moment of the call: absolute, symlinks resolved. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  emit(event: ToolEvent): void;
  /** The model's own input, if a hook gave another one in its place. */
  readonly modelInput?: unknown;
};

/**
 * One parsed and resolved call. The call is first checked by its subjects, then run with the grant of that check.
 */
export interface ToolCall {
  readonly input: unknown;
  readonly level: Level;
  /** True only if running this call in parallel with another call affects neither. */
  readonly concurrencySafe: boolean;
  readonly subjects: readonly Subject[];
  /** A short title of the call for a screen line: a path, a pattern, a command. */
  readonly title: string;
  readonly preview?: Preview;
  /** The title of the question about a call without subjects, if the tool's name says too little. */
  readonly question?: string;
  /** True if the model asks to run the call outside the sandbox; only a rule or a person can grant that. */
  readonly wantsOutside?: boolean;
  /**
   * For a call whose preview is a diff: the input of a call that makes only the changes of the hunks at these indices.
   * Absent if the change can't be split.
   */
  takeHunks?(indices: readonly number[]): Readonly<Record<string, unknown>>;
  /** The corrections of the input; each is named in the result. */
  readonly corrections: readonly string[];
  /** @throws {ModelFacingError} the tool failed in a way that the model can fix. */
  run(grant: Grant, report: (progress: Progress) => void): Promise<ToolResult>;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The declaration of a tool, before any I/O is wired to it: for the inventory and the model. */
export type ToolSpec = {
  readonly name: string;
  /** One line for people that says what the tool does. */
  readonly summary: string;
  /** The description for a model that has every tool; it is in a `.md` file beside the tool. */
  readonly description: string;
  /** The description for a model with only some tools; absent if the description is the same. */
  describe?(isThere: (tool: string) => boolean): string;
  /** The highest level that any call of the tool may have. */
  readonly level: Level;
  /** True if the tool's input may hold placeholders of secrets, which the tool itself replaces (Write, Edit). */
  readonly restoresSecrets?: boolean;
  readonly inputSchema: JsonSchema;
  /** True for a tool that few sessions need: it is deferred together with MCP tools. */
  readonly isRare?: boolean;
  /** True for a tool that is never deferred. */
  readonly alwaysLoad?: boolean;
  /** Additional words by which a search finds the tool while it is deferred. */
  readonly searchHint?: string;
};

export interface Tool {
  readonly spec: ToolSpec;
  /** Loads the code for the first call; called as soon as a call begins to arrive. */
  load?(): Promise<void>;
  /** @throws {InvalidInputError} the raw input does not fit the schema. */
  prepare(raw: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolCall>;
}

export type DeclaredTool = ToolSpec & {
  /** Alternative names that models use for a field: `{ path: "file_path" }`. */
  readonly aliases: Readonly<Record<string, string>>;
};

type Declaration = Omit<DeclaredTool, "aliases" | "describe"> & {
  /** Alternative names for a field: `{ file_path: "path file" }`. */
  readonly otherNames?: Readonly<Record<string, string>>;
};

/** Declares a tool: pure data, no I/O. `defineTool` joins it to the parser of its input and to its handler. */
export function declareTool({ otherNames = {}, ...declaration }: Declaration): DeclaredTool {
  const describe = (isThere: (tool: string) => boolean) => promptText(declaration.description, isThere).trim();
  return { ...declaration, aliases: byWord(otherNames), description: describe(() => true), describe };
}

export function textResult(content: string, extra: Omit<ToolResult, "content"> = {}): ToolResult {
  return { content, ...extra };
}
