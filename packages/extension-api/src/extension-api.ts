/**
 * The API of Quoll's extensions, version 1. There are only types here: `import type` leaves nothing to load when Quoll runs
 * the extension.
 */

/** An extension is the export `extension` of its file. */
export type Extension = {
  /** The version of this API that the extension was written for. */
  readonly apiVersion: 1;
  /**
   * Registers the parts of the extension. Quoll calls it once, at the start of a session, and gives it 5 seconds. If it
   * throws, nothing of the extension takes effect.
   */
  setup(quoll: ExtensionApi): void | Promise<void>;
};

/** The methods that define something work only until `setup` is done. */
export interface ExtensionApi {
  readonly apiVersion: 1;
  /** The version of Quoll. */
  readonly quollVersion: string;
  /** The project of the session: absolute, symlinks resolved. */
  readonly projectRoot: string;
  /** Adds a tool that the model can call. `Input` is the type of the input that `input` describes. */
  defineTool<Input = Readonly<Record<string, unknown>>>(tool: ToolDefinition<Input>): void;
  /** Adds a slash command. */
  defineCommand(command: CommandDefinition): void;
  /** Calls a function at an event. Its input and its answers are those of hooks, as objects. */
  on(event: EventName, handler: EventHandler, options?: HandlerOptions): void;
  /** Adds a part to the status line of the terminal. The part is empty until its first `set`. */
  defineStatusPart(): StatusPart;
  /** Draws fenced blocks of a language in the answers that the terminal shows. */
  defineRenderer(renderer: RendererDefinition): void;
  /** Adds a provider of models. Its model `large` is chosen by `--model NAME/large`, in `model` of the settings or by `/model`. */
  defineProvider(provider: ProviderDefinition): void;
}

/** A JSON schema. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * The highest effect of a tool: on nothing outside the session, on files that it reads, on files that it writes, on programs
 * that it runs, or on the network.
 */
export type Level = "none" | "read" | "write" | "execute" | "network";

/** A file or an address that one call touches. Permission rules judge each. A relative path starts in the working folder. */
export type Subject =
  | { readonly action: "read" | "write"; readonly path: string }
  | { readonly action: "network"; readonly host: string };

export type ToolDefinition<Input> = {
  /** 1 to 59 letters, digits, `_` and `-`, beginning with a letter: `WordCount`. The model and rules call it `ext__WordCount`. */
  readonly name: string;
  /** The description that the model gets. */
  readonly description: string;
  /** The schema of the input, of type `object`. Quoll checks each input before `run`. */
  readonly input: JsonSchema;
  readonly level: Level;
  /**
   * The files and addresses that a call touches. Without subjects, a call is asked about unless a rule allows the tool or
   * the level is `none`. Calls of tools of a project or a plugin are asked about in any case, unless a rule allows the tool.
   */
  subjects?(input: Input, context: { readonly cwd: string }): readonly Subject[];
  /** True if calls may run at the same time as other calls; false unless given. */
  readonly isConcurrencySafe?: boolean;
  /** The time limit of a call in milliseconds: 120,000 unless given, 3,600,000 at most. */
  readonly timeoutMs?: number;
  /** Runs a call. If it throws, the model gets the error's message as the result. */
  run(input: Input, context: ToolContext): ToolOutput | Promise<ToolOutput>;
};

export type ToolContext = {
  /** The working folder: absolute, symlinks resolved. */
  readonly cwd: string;
  /** Aborts when the person interrupts the call, and when its time is over. */
  readonly signal: AbortSignal;
  /** Shows one line while the call runs. */
  progress(line: string): void;
};

/** `content`: the text that the model gets. `display`: the result for a person, who otherwise sees the same text. */
export type ToolOutput =
  | string
  | { readonly content: string; readonly isError?: boolean; readonly display?: ToolDisplay };

/**
 * A result as data, which each screen draws in its own way: the first lines, items or rows in the conversation, all of them in
 * the transcript. Quoll hides credentials in it, removes control characters, and keeps at most 32,000 characters, 500 items,
 * rows or changed lines of at most 400 characters, and 12 columns.
 */
export type ToolDisplay = {
  /** A few words beside the name of the call: `3 failed`. */
  readonly summary?: string;
} & (
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly (string | ToolListItem)[] }
  | {
      readonly kind: "table";
      /** `align: "right"` for numbers. */
      readonly columns: readonly (string | { readonly name: string; readonly align?: "right" })[];
      readonly rows: readonly (readonly (string | number)[])[];
    }
  /** The change that a call made, or would make: the whole text before and after it, at most 1,000,000 characters each. */
  | { readonly kind: "diff"; readonly path: string; readonly before: string; readonly after: string }
);

export type ToolListItem = {
  readonly text: string;
  /** The state of the item, shown as a sign. */
  readonly mark?: "done" | "open" | "running" | "failed" | "warning" | "added" | "removed";
  /** A secondary text behind the item: `src/cart.ts:41`. */
  readonly note?: string;
};

export type CommandDefinition = {
  /**
   * 1 to 40 small letters, digits, `_` and `-`, beginning with a letter, without a slash. In a plugin, the plugin's name and a
   * colon go before it. Commands of Quoll and skills of the same name take precedence.
   */
  readonly name: string;
  /** One line for lists. */
  readonly summary: string;
  /** Shown after the name in lists: `[file]`. */
  readonly argumentHint?: string;
  /** The time limit in milliseconds: 120,000 unless given, 3,600,000 at most. */
  readonly timeoutMs?: number;
  /** @param argument The text after the name, without blanks around it. */
  run(argument: string, context: CommandContext): CommandOutput | Promise<CommandOutput>;
};

export type CommandContext = {
  /** The working folder: absolute, symlinks resolved. */
  readonly cwd: string;
  /** Aborts when the person interrupts the command, and when its time is over. */
  readonly signal: AbortSignal;
};

/** Text or lines for the person, or a prompt for the model. */
export type CommandOutput = string | readonly string[] | { readonly prompt: string };

/** The events of hooks. Quoll's guide of hooks says when each happens, and the effect of each answer. */
export type EventName =
  | "Setup"
  | "SessionStart"
  | "InstructionsLoaded"
  | "UserPromptSubmit"
  | "UserPromptExpansion"
  | "PreToolUse"
  | "PermissionRequest"
  | "PermissionDenied"
  | "PostToolUse"
  | "PostToolUseFailure"
  | "PostToolBatch"
  | "MessageDisplay"
  | "Notification"
  | "SubagentStart"
  | "SubagentStop"
  | "TaskCreated"
  | "TaskCompleted"
  | "TeammateIdle"
  | "Elicitation"
  | "ElicitationResult"
  | "CwdChanged"
  | "DirectoryAdded"
  | "FileChanged"
  | "WorktreeCreate"
  | "WorktreeRemove"
  | "ConfigChange"
  | "PreCompact"
  | "PostCompact"
  | "Stop"
  | "StopFailure"
  | "SessionEnd";

/** The fields of an event. `tool_name` and the fields of other events are there for the events that have them. */
export type EventInput = {
  readonly hook_event_name: string;
  readonly session_id: string;
  readonly cwd: string;
  readonly tool_name?: string;
  readonly tool_input?: Readonly<Record<string, unknown>>;
  readonly prompt?: string;
  readonly [field: string]: unknown;
};

export type EventAnswer = {
  /** `block` stops the event, with `reason`. */
  readonly decision?: "block" | "approve";
  readonly reason?: string;
  /** False ends the turn, with `stopReason`. */
  readonly continue?: boolean;
  readonly stopReason?: string;
  /** One line for the person. */
  readonly systemMessage?: string;
  readonly hookSpecificOutput?: {
    /** PreToolUse: `allow` counts only if no rule decides. */
    readonly permissionDecision?: "allow" | "ask" | "deny";
    readonly permissionDecisionReason?: string;
    readonly updatedInput?: Readonly<Record<string, unknown>>;
    /** A text for the model. */
    readonly additionalContext?: string;
    readonly [field: string]: unknown;
  };
};

/** Without an answer, the event continues as if there were no handler. */
export type EventHandler = (
  input: EventInput,
  context: { readonly signal: AbortSignal },
) => EventAnswer | undefined | Promise<EventAnswer | undefined>;

export type HandlerOptions = {
  /** The tools (or sources, or names) whose events count: `Bash`, `Edit|Write`, or a regular expression. */
  readonly matcher?: string;
  /** The time limit in milliseconds: 10,000 unless given, 60,000 at most. */
  readonly timeoutMs?: number;
  /** `block`: if the handler fails, its event is blocked. If absent, the event continues and the person is told. */
  readonly onFailure?: "continue" | "block";
};

export type StatusPart = {
  /** Shows a text of at most 30 columns; without a text, nothing. Works while the session lasts. */
  set(text: string | undefined): void;
};

export type RendererDefinition = {
  /** The word after the three backticks, in small letters: `bars`. */
  readonly language: string;
  /**
   * Draws one line of a block: lines of plain text. Blocks are drawn while they arrive, so the function gets line after line,
   * several times, and must be quick: if it throws or takes more than 50 ms, it is switched off for the session.
   */
  line(text: string, context: { readonly columns: number }): string | readonly string[];
};

export type ProviderDefinition = {
  /** 1 to 40 small letters, digits and `-`, beginning with a letter. A provider that Quoll knows can't be replaced. */
  readonly name: string;
  /** The models that `/model` lists; `answer` can get other names too. */
  readonly models?: readonly string[];
  /**
   * Answers one request, part by part. If it throws, the turn ends with the error's message; retries are its own business. A
   * part may take 300 seconds.
   */
  answer(request: ModelRequest, context: { readonly signal: AbortSignal }): AsyncIterable<AnswerPart>;
};

export type ModelRequest = {
  /** The text after the provider's name. */
  readonly model: string;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly { readonly name: string; readonly description: string; readonly inputSchema: JsonSchema }[];
  /** The most tokens that the answer may have. */
  readonly maxTokens: number;
};

export type ModelMessage = { readonly role: "user" | "assistant"; readonly content: readonly ModelBlock[] };

export type ModelBlock =
  | { readonly type: "text"; readonly text: string }
  /** `data` is base64. */
  | { readonly type: "image" | "document"; readonly mediaType: string; readonly data: string }
  | ToolCallPart
  | { readonly type: "tool_result"; readonly id: string; readonly content: string; readonly isError: boolean };

export type ToolCallPart = {
  readonly type: "tool_call";
  /** Unique in the conversation. */
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
};

export type AnswerPart =
  /** A piece of the text, of any length. */
  | { readonly type: "text"; readonly text: string }
  | ToolCallPart
  /** The tokens of the request and of the answer; without it, they are estimated. */
  | { readonly type: "usage"; readonly inputTokens: number; readonly outputTokens: number };
