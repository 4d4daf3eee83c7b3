import type { AgentsView } from "./agents-view.ts";
import type { Asides } from "./aside.ts";
import type { Batches } from "./batch.ts";
import type { ContextEdits } from "./context-edit.ts";
import type { ContextReport, CountedParts } from "./context-report.ts";
import type { DoctorReport } from "./doctor.ts";
import type { Engine } from "./engine.ts";
import type { ExtensionsView } from "./extension.ts";
import type { HooksView } from "./hooks-view.ts";
import type { SessionInstructions } from "./instructions.ts";
import type { Inventory } from "./inventory.ts";
import type { LeftOutServer, McpResource, McpResourceTemplate, McpServerState } from "./mcp.ts";
import type { SessionMemory } from "./memory.ts";
import type { UserBlock } from "./message.ts";
import type { OutputStyles } from "./output-style.ts";
import type { ConsentStatus, RuleChange, RuleDescription } from "./permission.ts";
import type { PluginsView } from "./plugin.ts";
import type { ServerPort } from "./ports.ts";
import type { Effort } from "./provider.ts";
import type { Recall } from "./recall.ts";
import type { SessionPreview, SessionSummary } from "./session.ts";
import type { SessionExport } from "./session-export.ts";
import type { SessionFacts } from "./session-facts.ts";
import type { SettingsView } from "./settings-view.ts";
import type { ShadowedSkill, Skill } from "./skill.ts";
import type { SpendStatus } from "./spend.ts";
import type { Tasks } from "./task.ts";
import type { ListedTask } from "./task-list.ts";
import type { EditorMode } from "./terminal-settings.ts";
import type { ThemeChoice } from "./theme.ts";

/** The services that a face supplies to a slash command. */
export type CommandContext = {
  readonly engine: Engine;
  readonly inventory: Inventory;
  readonly permissions: {
    describe(): readonly RuleDescription[];
    /** The state of the person's consent to confined commands. */
    consent(): ConsentStatus;
    /**
     * Revokes the consent. @returns lines for the person. @throws {UserFacingError} (as a rejection) the file
     * still contains the consent.
     */
    revokeConsent(): Promise<readonly string[]>;
    /** Changes rules until the session ends. @returns the rules that were refused or not found. */
    changeRules?(change: RuleChange, source: string): readonly string[];
  };
  readonly models: {
    list(): readonly string[];
    /** The models with the details that a person needs to choose; absent if no person chooses. */
    describe?(): Promise<readonly ModelOffer[]>;
    /** The same, with the models of servers on this machine that need seconds to answer. Ends early when the signal aborts. */
    describeAll?(signal: AbortSignal): Promise<readonly ModelOffer[]>;
  };
  /** Where the session is and works; absent without a screen. */
  facts?(): Promise<SessionFacts>;
  /** The settings files; absent if no person can change them. */
  settings?(): Promise<SettingsView>;
  /** Absent if this face does not manage keys. */
  readonly accounts?: Accounts;
  /** The state of the caps, and the spending by agent; absent if spending is not counted. */
  readonly spend?: { status(): Promise<SpendStatus> };
  /** The tokens of the next request by source. `counted`: the provider's own counts. Absent where nothing is sent. */
  contextReport?(counted?: CountedParts): Promise<ContextReport>;
  /** Takes turns and results out of the model's view, or pins them. Absent in a session that sends no requests. */
  readonly contextEdits?: ContextEdits;
  /** Absent where the prompt is not a session's. */
  readonly outputStyles?: OutputStyles;
  /** The keys of the prompt; absent where there is none. */
  readonly editorModes?: EditorModes;
  /** The colours of the screen; absent where there is none. */
  readonly themes?: Themes;
  /** Absent if the session reads no instruction files. */
  readonly instructions?: SessionInstructions;
  /** Absent where a session keeps no notes. */
  readonly memory?: SessionMemory;
  /** MCP servers; absent if the session can have none. */
  readonly mcp?: McpView;
  /** Ports of confined servers that are open to the person; absent if no port can be opened. */
  readonly ports?: { list(): readonly ServerPort[]; askNext?(): boolean };
  /** The background work, and the agents that a call waits for; absent where a session runs none. */
  readonly tasks?: Pick<Tasks, "list" | "stop" | "keep" | "send">;
  /** The types of agents; absent where no session has any. */
  readonly agents?: AgentsView;
  /** One prompt for many inputs; absent where no agents can be started. */
  readonly batches?: Batches;
  /** The tasks that agents share. @throws {UserFacingError} (as a rejection) the list can't be read. */
  taskList?(): Promise<readonly ListedTask[]>;
  /** Checks everything that Quoll needs; absent if no person reads the result. */
  doctor?(signal: AbortSignal): Promise<DoctorReport>;
  /** Questions outside of the conversation; absent where there is none. */
  readonly asides?: Asides;
  /** The conversation for files and the clipboard; absent where a face has no conversation. */
  readonly exports?: SessionExport;
  /** Writes a file for a bug report. @returns its absolute path. Absent if no person reads it. */
  bugReport?(signal: AbortSignal): Promise<string>;
  /** Searches everything that was ever said; absent where no session is kept. Credentials are hidden in what it gives. */
  readonly recall?: { forPerson(): Promise<Recall> };
  /** The hooks of settings files. */
  readonly hooks?: HooksView;
  /** The skills and the commands of files; absent where no session reads them. */
  readonly skills?: SkillsView;
  /** Absent where no session loads extensions. */
  readonly extensions?: ExtensionsView;
  /** Absent where no session reads plugins. */
  readonly plugins?: PluginsView;
  readonly sessions: {
    list(): Promise<readonly SessionSummary[]>;
    /** The end of each session; absent where no person chooses. Never rejects. */
    previews?(sessionIds: readonly string[]): Promise<readonly SessionPreview[]>;
    /** The folder of this session; absolute. */
    readonly folder?: string;
    /** @throws {UserFacingError} (as a rejection) another Quoll has this session open. */
    assertFree?(sessionId: string): Promise<void>;
    /** The folder of a session of another project, on one line. @param wanted The id or its beginning. */
    folderOf?(wanted: string): Promise<string | undefined>;
  };
  /** Milliseconds since 1970. */
  now(): number;
  /** The keys of this face, for help; absent where there is no keyboard. */
  readonly keys?: readonly KeyDescription[];
  /** Ends this conversation and continues another one; never returns to the caller's screen. */
  resume(sessionId: string): void;
  /**
   * Ends this conversation and continues it, or begins an empty one if nothing of it is saved yet: everything of the session
   * is opened again. Absent without a screen, and in a session that is not saved.
   */
  reopen?(sessionId: string | undefined): void;
  /** Leaves the program. */
  exit(): void;
};

/** Chooses the keys of the prompt. */
export type EditorModes = {
  readonly current: EditorMode;
  /** Changes them, also for later sessions. @throws {UserFacingError} (as a rejection) the choice can't be saved. */
  choose(mode: EditorMode): Promise<void>;
};

/** Chooses the colours of the screen. */
export type Themes = {
  /** Every theme: Quoll's own first, then the person's files. `problems`: one line for each file that can't be used. */
  list(): Promise<{
    readonly current: string;
    readonly themes: readonly ThemeChoice[];
    readonly problems: readonly string[];
  }>;
  /**
   * Changes the theme, also for later sessions.
   * @throws {UserFacingError} (as a rejection) there is no such theme, its file can't be used, or the choice can't be saved.
   */
  choose(name: string): Promise<ThemeChoice>;
};

/** MCP servers and their tools as a person sees and changes them. */
export type McpView = {
  /** Resolves when the servers of a session that has just started are known. Never rejects. */
  known(): Promise<void>;
  states(): readonly McpServerState[];
  /** Configured servers that do not start. */
  leftOut(): readonly LeftOutServer[];
  /** `tokens`: what the declaration takes in a request, estimated. `isDeferred`: no request carries it. */
  tools(): readonly {
    readonly name: string;
    readonly summary: string;
    readonly tokens: number;
    readonly isDeferred: boolean;
  }[];
  /** A server's resources, prompts and last log lines; each line is safe to print. */
  contents(name: string): McpServerContents;
  /** Never rejects; the server's state shows the outcome. @returns false when there is no such server. */
  reconnect(name: string): Promise<boolean>;
  /** For this session. @returns as `reconnect`. */
  setEnabled(name: string, isEnabled: boolean): Promise<boolean>;
  /**
   * Logs in with the person's browser, and reconnects the server. `waiting` is called when the browser was started.
   * @throws {Error} (as a rejection) one line: there is no login; the abort reason.
   */
  logIn(name: string, waiting: () => void, signal: AbortSignal): Promise<McpLoginStep>;
  /** Continues a login with the address on which a browser on another machine ended. @returns one line. @throws as `logIn`. */
  pasteLogin(name: string, address: string): Promise<string>;
  /** Removes the login. @returns one line. @throws as `logIn`. */
  logOut(name: string, signal: AbortSignal): Promise<string>;
  /** Reads the files again: starts servers that were added, and ends those that were removed or have changed. */
  reload(): Promise<McpReload>;
  /** The programs that a project's server would start, and a hash of this content; undefined if nothing waits for approval. */
  pendingApproval(name: string): Promise<{ readonly lines: readonly string[]; readonly mark: string } | undefined>;
  /** Approves and starts a project's server. `isApproved` is false if its content is not the one with this mark. */
  approve(name: string, mark: string): Promise<{ readonly isApproved: boolean; readonly problem?: string }>;
};

export type McpServerContents = {
  readonly resources: readonly (McpResource | McpResourceTemplate)[];
  /** `command`: the name of the prompt's command; `hint`: its arguments. */
  readonly prompts: readonly { readonly command: string; readonly hint?: string; readonly description?: string }[];
  /** The end of the program's stderr. */
  readonly stderr: readonly string[];
};

/** `line`: the login is done. `address`: no browser could be started, so the person opens this page; the login waits. */
export type McpLoginStep = { readonly line: string } | { readonly address: string };

/** The changes of a reload, by the names of servers. */
export type McpReload = {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** One line each. */
  readonly warnings: readonly string[];
};

/** The skills as a person sees them. */
export type SkillsView = {
  /** Looks for changed files first. */
  list(): Promise<readonly Skill[]>;
  /** Skills and commands without effect. */
  shadowed(): readonly ShadowedSkill[];
  /** One printable line for each file that can't be used as written. */
  warnings(): readonly string[];
  /** True if a setting leaves the skill out. */
  isOff(name: string): boolean;
  /** Switches a skill off or on in this project. @returns a line for the person. @throws {UserFacingError} (as a rejection) nothing was saved. */
  switch(name: string, isOff: boolean): Promise<string | undefined>;
  /** A path in short form: `~/.claude/skills/x/SKILL.md`. */
  shown(skill: Skill): string;
};

/** A model in the list that a person chooses from. */
export type ModelOffer = {
  /** The name for `/model`: an alias, an id, or `provider/id`. */
  readonly name: string;
  /** The id of the model. */
  readonly model: string;
  readonly provider: string;
  /** The context window in tokens; undefined if unknown. */
  readonly windowTokens: number | undefined;
  /** US dollars per million tokens; undefined if unknown. */
  readonly price: { readonly input: number; readonly output: number } | undefined;
  /** Empty if the model has no effort setting. */
  readonly efforts: readonly Effort[];
  /** True if the model's provider has a key or needs none. */
  readonly hasAccess: boolean;
};

export type AccountStatus = {
  readonly provider: string;
  /** The last characters of the provider's key, or `endpoint`; undefined if nothing gives access. */
  readonly access: string | undefined;
  /**
   * The source of the access: a variable, a keyring, a file, a helper; or the reason why the saved key can't be
   * used.
   */
  readonly from: string;
  /** False for a server on this machine. */
  readonly needsKey: boolean;
};

/** Keys of providers. Nothing is sent anywhere. */
export type Accounts = {
  /** Every known provider. */
  list(): Promise<readonly AccountStatus[]>;
  /**
   * Saves a key. @returns one line for the person. @throws {UserFacingError} there is no such provider, the key is
   * unusable, or it could not be saved.
   */
  save(provider: string, key: string): Promise<string>;
  /** The providers with a saved key or address. @throws {UserFacingError} (as a rejection) the file of keys can't be read. */
  saved(): Promise<readonly string[]>;
  /** Removes what is saved for a provider. @returns lines for the person. @throws {UserFacingError} (as a rejection) it is still saved. */
  remove(provider: string): Promise<readonly string[]>;
};

export type KeyDescription = { readonly keys: string; readonly does: string };

/** One entry of a list to choose from; choosing it types `input`: `/resume 7c1e…`. An empty `input` closes the list. */
export type Choice = {
  readonly label: string;
  readonly detail: string;
  readonly input: string;
  /** The screen is drawn in this theme while the mark is on the entry. */
  readonly theme?: ThemeChoice;
  /** A shorter text at the right, if there is no room for `detail`. */
  readonly brief?: string;
  /** True for the entry in force: the list begins there. */
  readonly isCurrent?: boolean;
  /** Lines about the choice, shown beside the list while it is selected, and searched by typing. */
  readonly about?: readonly string[];
  /** What shortcuts without an input type for this choice, by letter. */
  readonly also?: Readonly<Record<string, string>>;
};

/** A row of a list of parts to mark. */
export type MarkRow = {
  readonly id: string;
  /** At most 79 columns. The first four of a row with keys are blank: the cursor and the mark go there. */
  readonly line: string;
  /** The mark that each key sets: `{ d: "drop" }`. Without keys the row is a heading. */
  readonly keys: Readonly<Record<string, string>>;
};

/** A line to fill in. */
export type FormField = {
  readonly name: string;
  readonly label: string;
  /** True if the input is hidden while typed, and kept out of the transcript and the history. */
  readonly isSecret?: boolean;
  /** True if the field may stay empty. */
  readonly isOptional?: boolean;
  /** The text that the field begins with. */
  readonly value?: string;
  /** Why the last value could not be used, in one line. */
  readonly problem?: string;
  /**
   * Values that continue the typed text, the best first. `given`: the values of the fields before. Never rejects. Absent
   * for a field without suggestions.
   */
  suggest?(typed: string, given: Readonly<Record<string, string>>, signal: AbortSignal): Promise<readonly string[]>;
};

/** The progress of an operation. */
export type OperationProgress = {
  readonly text: string;
  readonly done?: number;
  readonly total?: number;
};

/**
 * The result of a command. Every face handles every kind. All text is for the person; only the text of `prompt` reaches
 * the model. `lines` of `choose` and `form` are for a face without lists and forms: they name the argument to give.
 */
export type CommandResult =
  /** Lines for the transcript. Without lines nothing is shown. */
  | {
      readonly kind: "text";
      readonly lines: readonly string[];
      /** The last line of work that did not wholly succeed; without a screen, it decides the exit code. */
      readonly problem?: CommandProblem;
    }
  /** A list to choose from. `before` and `after`: lines around it, in every face; in the transcript they stand together. */
  | {
      readonly kind: "choose";
      readonly title: string;
      readonly choices: readonly Choice[];
      /** Ctrl and the letter type `input`; without it, what the selected choice gives for the letter. */
      readonly shortcuts?: readonly { readonly letter: string; readonly label: string; readonly input?: string }[];
      /** Esc types this command: the list that led here. */
      readonly back?: string;
      /** The choices are a yes and a no: typed letters choose and filter nothing. */
      readonly isYesNo?: true;
      readonly lines: readonly string[];
      readonly before?: readonly string[];
      readonly after?: readonly string[];
      /** All choices, for a list that opens before slow ones are known; they replace the first ones. */
      later?(signal: AbortSignal): Promise<readonly Choice[]>;
    }
  /**
   * A list of parts to mark, below lines that describe them. Keys mark the current row; Enter types `input` and the marks:
   * `/context drop 3 pin toolu_1`.
   */
  | {
      readonly kind: "mark";
      readonly title: string;
      readonly lines: readonly string[];
      readonly rows: readonly MarkRow[];
      readonly input: string;
    }
  /** Fields to fill in; `submit` gets their values by name. */
  | {
      readonly kind: "form";
      readonly title: string;
      readonly fields: readonly FormField[];
      readonly lines: readonly string[];
      /** Esc types this command: the list that led here. */
      readonly back?: string;
      /** @throws {UserFacingError} (as a rejection) the values can't be used. */
      submit(values: Readonly<Record<string, string>>, signal: AbortSignal): Promise<CommandResult>;
    }
  /** A prompt for the model. Only the typed command and its argument count as the person's words. */
  | {
      readonly kind: "prompt";
      readonly prompt: string;
      readonly attachments?: readonly UserBlock[];
      /** The name of the skill that takes effect with this prompt. */
      readonly skill?: string;
      /** The command with the values of its form, as the transcript shows it; the typed line without it. */
      readonly typed?: string;
    }
  /** A long text for a separate screen, if the face has one; the transcript does not change. */
  | { readonly kind: "view"; readonly title: string; readonly lines: readonly string[] }
  /** A file for the person's own editor. `lines` are for a face that has no terminal to lend. */
  | {
      readonly kind: "edit";
      /** Absolute. */
      readonly file: string;
      readonly lines: readonly string[];
      /** Called when the editor was closed without a problem. */
      edited(signal: AbortSignal): Promise<CommandResult>;
    }
  /** A text for the person's clipboard. `lines` are for a face that can't reach one. */
  | {
      readonly kind: "copy";
      readonly text: string;
      /** Names the text in a line for the person: `Code block 2 (14 lines)`. */
      readonly what: string;
      readonly lines: readonly string[];
    }
  /** Long work that reports its progress and that the person may interrupt. */
  | {
      readonly kind: "operation";
      readonly title: string;
      /** The task of the agent, if an agent does the work; hooks may refuse it. */
      readonly prompt?: string;
      /**
       * Rejects with the abort reason after an interrupt.
       * @param context Words that hooks add to `prompt`.
       */
      run(report: (progress: OperationProgress) => void, signal: AbortSignal, context?: string): Promise<CommandResult>;
    };

/** `limit`: a budget was reached, and nothing failed. */
export type CommandProblem = { readonly reason: "failed" | "limit"; readonly message: string };

export type MarkResult = Extract<CommandResult, { readonly kind: "mark" }>;
export type ChooseResult = Extract<CommandResult, { readonly kind: "choose" }>;
export type OperationResult = Extract<CommandResult, { readonly kind: "operation" }>;
export type EditResult = Extract<CommandResult, { readonly kind: "edit" }>;
export type FormResult = Extract<CommandResult, { readonly kind: "form" }>;

/** The declaration of a slash command. `name` has no slash. */
export type CommandSpec = {
  readonly name: string;
  readonly summary: string;
  /** Other names, without slashes. The summary tells them to the person; a command that has such a name as its own goes first. */
  readonly aliases?: readonly string[];
  /** Shown after the name in help: `[model]`. */
  readonly argumentHint?: string;
  /** True if the command needs a person at a keyboard; headless runs don't have such a command. */
  readonly interactive?: true;
  /** True if the command asks no MCP server and names none, so that a headless run starts none for it. */
  readonly needsNoServers?: true;
};

/** A slash command. */
export type Command = CommandSpec & {
  /**
   * @param signal Aborts when the person interrupts the command or leaves.
   * @throws {UserFacingError} (as a rejection) the command failed.
   */
  run(argument: string, context: CommandContext, signal: AbortSignal): Promise<CommandResult>;
};

/** A result as text, for a face that has neither lists nor forms nor screens. */
export function linesOf(result: Exclude<CommandResult, { readonly kind: "prompt" | "operation" }>): readonly string[] {
  switch (result.kind) {
    case "choose":
      return [...(result.before ?? []), ...result.lines, ...(result.after ?? [])];
    case "view":
      return [result.title, ...result.lines];
    case "mark":
      return [result.title, ...result.lines, ...result.rows.map(({ line }) => line)];
    case "text":
      return result.problem ? [...result.lines, result.problem.message] : result.lines;
    default:
      return result.lines;
  }
}
