import type { DebugTopic } from "./debug.ts";
import type { JsonObject } from "./message.ts";
import type { PermissionMode } from "./permission-mode.ts";
import type { Effort, Thinking } from "./provider.ts";
import type { SettingSource } from "./settings.ts";

/** The answerer of questions: a person at a terminal, a program through a callback, or nobody. */
export type Answerer = "person" | "program" | "nobody";

/** The conversation that a session works on. `id` of a saved one may be the beginning of its id. */
export type ConversationChoice =
  | { readonly kind: "new"; readonly id?: string }
  /** A saved one of this project. `fork`: a copy of it is continued, under `fork.id` where that is given. */
  | { readonly kind: "latest"; readonly fork?: { readonly id?: string } }
  | { readonly kind: "saved"; readonly id: string; readonly fork?: { readonly id?: string } };

/** Where a session works, and what its settings are made of: enough to judge calls without a model. */
export type ProjectConfig = {
  /** The working folder; absolute. */
  readonly cwd: string;
  /** One more settings file, or its text. */
  readonly settings?: string;
  /** The layers of settings that are read; all of them where this is absent. */
  readonly settingSources?: readonly SettingSource[];
  /** The folder counts as trusted in this session, whatever was answered before. */
  readonly isTrusted?: true;
  /** More folders to work in, relative to `cwd` or absolute. */
  readonly additionalDirectories?: readonly string[];
  readonly model?: string;
  /** US dollars that the session may cost at most. */
  readonly maxBudgetUsd?: number;
  readonly permissionMode?: PermissionMode;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  /** Commands that stay in the sandbox run without a question. */
  readonly allowSandboxed?: true;
};

/**
 * The configuration of a session, as data: the command line is translated into it, and an editor, a server or a queue
 * can also fill it in. Callbacks (questions about trust, hooks, servers inside the program) are passed separately.
 */
export type SessionConfig = ProjectConfig & {
  readonly answerer: Answerer;
  readonly conversation: ConversationChoice;
  /** False: nothing of the session is kept on disk. */
  readonly isSaved: boolean;
  /** Names or aliases, asked in turn when a model is overloaded. */
  readonly fallbackModels?: readonly string[];
  readonly effort?: Effort;
  readonly thinking?: Thinking;
  /** Model requests in one turn at most. */
  readonly maxSteps?: number;
  /** The only tools that the model is given; `default` stands for all. */
  readonly tools?: readonly string[];
  /** Unknown names in `tools` are told as a warning instead of an error. */
  readonly skipsUnknownTools?: true;
  /** Few tools, and no instruction file. */
  readonly isBare?: true;
  /** A system prompt that replaces ours, and text appended to it. */
  readonly systemPrompt?: { readonly replace?: string; readonly append?: string };
  /** The JSON schema of each answer; `source` names it in errors. */
  readonly outputSchema?: { readonly schema: JsonObject; readonly source: string };
  readonly mcp?: {
    /** Paths of configuration files, or JSON texts. */
    readonly configs: readonly string[];
    /** Names of servers that live in the program that drives us. */
    readonly inProcess: readonly string[];
    /** Opening does not wait for the servers; their states show their progress. */
    readonly isInBackground?: true;
  };
  /** The topics of the debug log; absent: there is none. */
  readonly debug?: readonly DebugTopic[];
  /** Lines for the person become events of the conversation, since whoever drives us reads those. */
  readonly tellsByEvents?: true;
};
