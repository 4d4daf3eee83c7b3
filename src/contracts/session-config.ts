import type { DebugTopic } from "./debug.ts";
import type { JsonObject } from "./message.ts";
import type { PermissionMode } from "./permission-mode.ts";
import type { Effort, Thinking } from "./provider.ts";
import type { SettingSource } from "./setting-sources.ts";

/** Who answers questions: a person at a terminal, a program through a callback, or nobody. */
export type Answerer = "person" | "program" | "nobody";

/**
 * The conversation that a session works on. For a saved conversation, `id` may also be the session's name, or the
 * beginning of its id or name.
 */
export type ConversationChoice =
  | { readonly kind: "new"; readonly id?: string }
  /**
   * A saved conversation of this project. `fork`: the session continues a copy, with the id `fork.id` if that is
   * set.
   */
  | { readonly kind: "latest"; readonly fork?: { readonly id?: string } }
  | { readonly kind: "saved"; readonly id: string; readonly fork?: { readonly id?: string } };

/** The folders of a session and the sources of its settings: enough to judge calls without a model. */
export type ProjectConfig = {
  /** The working folder; absolute. */
  readonly cwd: string;
  /** An additional settings file, or its text. */
  readonly settings?: string;
  /** The layers of settings to read; all layers if absent. */
  readonly settingSources?: readonly SettingSource[];
  /** True if the folder counts as trusted in this session, regardless of earlier answers. */
  readonly isTrusted?: true;
  /** True if no model is asked: what is left out of texts for a model is not told. */
  readonly asksNoModel?: true;
  /** Additional folders to work in, relative to `cwd` or absolute. */
  readonly additionalDirectories?: readonly string[];
  /** Folders of plugins that are enabled in this session; absolute. */
  readonly pluginDirs?: readonly string[];
  readonly model?: string;
  /** The maximum cost of the session in US dollars. */
  readonly maxBudgetUsd?: number;
  readonly permissionMode?: PermissionMode;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  /** True if commands that stay in the sandbox run without a question. */
  readonly allowSandboxed?: true;
  /** True for few tools, no instruction files, and no servers or hooks of the project. */
  readonly isBare?: true;
  /**
   * True for a session without any customisation, with which a person finds out what disturbs Quoll; `isBare` is then
   * set too, but all built-in tools and skills are there.
   */
  readonly isSafe?: true;
};

/**
 * The configuration of a session, as data: the command line is translated into it, and an editor, a server or a queue
 * can also fill it in. Callbacks (questions about trust, hooks, servers inside the program) are passed separately.
 */
export type SessionConfig = ProjectConfig & {
  readonly answerer: Answerer;
  readonly conversation: ConversationChoice;
  /** The name of the session, which replaces the name that a saved session has. */
  readonly name?: string;
  /** False if the session is not saved on disk. */
  readonly isSaved: boolean;
  /** Names or aliases of the models to try in order when a model is overloaded. */
  readonly fallbackModels?: readonly string[];
  readonly effort?: Effort;
  readonly thinking?: Thinking;
  /** The maximum number of model requests in one turn. */
  readonly maxSteps?: number;
  /** The only tools that the model gets; `default` means all tools. */
  readonly tools?: readonly string[];
  /** True if the session ends with its first complete answer, and ends the background commands that still run. */
  readonly isOneTurn?: true;
  /** True if unknown names in `tools` cause a warning instead of an error. */
  readonly skipsUnknownTools?: true;
  /** A system prompt that replaces Quoll's own, and text appended to it. */
  readonly systemPrompt?: { readonly replace?: string; readonly append?: string };
  /** The JSON schema of each answer; `source` names it in errors. */
  readonly outputSchema?: { readonly schema: JsonObject; readonly source: string };
  /** The name of the agent that the main conversation works as. */
  readonly agent?: string;
  /** Definitions of agents by name, in the form of `--agents`. */
  readonly agents?: Readonly<Record<string, JsonObject>>;
  /** The MCP servers of the session; if absent, the session has none. */
  readonly mcp?: {
    /** Paths of configuration files, or JSON texts. */
    readonly configs: readonly string[];
    /** Names of servers inside the program that drives Quoll. */
    readonly inProcess: readonly string[];
    /**
     * True if only the servers of `configs` and `inProcess` are used, not those in the files of the user and of the
     * project.
     */
    readonly isStrict?: true;
    /** True if opening the session does not load the code of servers; they start after `Session.servers.start`. */
    readonly isInBackground?: true;
  };
  /** The topics of the debug log; absent without a debug log. */
  readonly debug?: readonly DebugTopic[];
  /**
   * True if lines for the person become events of the conversation, because the program that drives Quoll reads
   * events.
   */
  readonly noticesAsEvents?: true;
};
