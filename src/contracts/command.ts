import type { AgentsView } from "./agents-view.ts";
import type { Batches } from "./batch.ts";
import type { Backups, Rewinds } from "./checkpoint.ts";
import type { CommandResult } from "./command-result.ts";
import type { ContextEdits } from "./context-edit.ts";
import type { ContextReport, CountedParts } from "./context-report.ts";
import type { DoctorReport } from "./doctor.ts";
import type { Engine } from "./engine.ts";
import type { ExtensionsView } from "./extension.ts";
import type { HooksView } from "./hooks-view.ts";
import type { SessionInstructions } from "./instructions.ts";
import type { Inventory } from "./inventory.ts";
import type { Editors, SandboxView, TerminalView } from "./machine-views.ts";
import type { McpView } from "./mcp-view.ts";
import type { SessionMemory } from "./memory.ts";
import type { OutputStyles } from "./output-style.ts";
import type { ConsentStatus, RuleChange, RuleDescription } from "./permission.ts";
import type { PluginsView } from "./plugin.ts";
import type { ServerPort } from "./ports.ts";
import type { Effort } from "./provider.ts";
import type { ProviderLimits } from "./rate-limits.ts";
import type { Recall } from "./recall.ts";
import type { ClearedConversation, SessionLabel, SessionSummary } from "./session.ts";
import type { SessionExport, SessionFacts, SessionFolders, SideQuestions } from "./session-actions.ts";
import type { SessionChanges } from "./session-changes.ts";
import type { SettingsView } from "./settings-view.ts";
import type { ShadowedSkill, Skill } from "./skill.ts";
import type { SpendStatus } from "./spend.ts";
import type { StatusLineState } from "./status-line.ts";
import type { Tasks } from "./task.ts";
import type { ListedTask } from "./task-list.ts";
import type { EditorMode } from "./terminal-settings.ts";
import type { ThemeChoice } from "./theme.ts";

/** The services that a face supplies to a slash command. */
export type CommandContext = {
  /** Set in safe mode, which leaves out the commands of files. */
  readonly isSafe?: true;
  /** Set if `/resume` copies the session that the person chooses, so that the session may be open in another Quoll. */
  readonly isCopying?: true;
  readonly engine: Engine;
  readonly inventory: Inventory;
  readonly permissions: {
    describe(): readonly RuleDescription[];
    /** The state of the person's consent to confined commands. */
    consent(): ConsentStatus;
    /**
     * Revokes the consent.
     * @returns lines for the person.
     * @throws {UserFacingError} (as a rejection) the file still contains the consent.
     */
    revokeConsent(): Promise<readonly string[]>;
    /** Changes rules until the session ends. @returns the rules that were refused or not found. */
    changeRules?(change: RuleChange, source: string): readonly string[];
  };
  readonly models: {
    list(): readonly string[];
    /** The models with the details that a person needs to choose; absent if no person chooses. */
    describe?(): Promise<readonly ModelOffer[]>;
    /**
     * Returns the same models, and the models of slow servers on this machine, which need seconds to answer. The call
     * returns early when the signal aborts.
     */
    describeAll?(signal: AbortSignal): Promise<readonly ModelOffer[]>;
  };
  /** The session's id, folders and state; absent without a screen. */
  facts?(): Promise<SessionFacts>;
  /** The folders that the session works in; absent where no person can add one. */
  folders?(): Promise<SessionFolders>;
  /** The editor for files; absent without a person. */
  editors?(): Promise<Editors>;
  /** How commands are confined; probes the machine. Absent without a screen. */
  sandbox?(): Promise<SandboxView>;
  /** The person's terminal; absent without one. */
  terminal?(): Promise<TerminalView>;
  /** The session's changes; absent where nothing is kept. */
  changes?(): Promise<SessionChanges>;
  /** Goes back to the moment before a prompt; absent where no checkpoints are kept. */
  readonly rewinds?: Rewinds;
  /** Restores backups that were made before commands; absent where `rewinds` is. */
  readonly backups?: Backups;
  /** The status line in effect; absent without a screen. */
  statusLine?(): Promise<StatusLineState>;
  /** The settings files; absent if no person can change them. */
  settings?(): Promise<SettingsView>;
  /** Absent if this face does not manage API keys. */
  readonly accounts?: Accounts;
  /** The state of the caps, and the spending by agent; absent if spending is not counted. */
  readonly spend?: { status(): Promise<SpendStatus> };
  /** The limits that providers reported with their answers; absent if no model is asked. */
  rateLimits?(): Promise<readonly ProviderLimits[]>;
  /**
   * The tokens of the next request by source. `counted`: the token counts of the provider. Absent if the session sends
   * no requests.
   */
  contextReport?(counted?: CountedParts): Promise<ContextReport>;
  /** Removes turns and results from the model's view, or pins them. Absent in a session that sends no requests. */
  readonly contextEdits?: ContextEdits;
  /** Absent if the prompt does not belong to a session. */
  readonly outputStyles?: OutputStyles;
  /** The editing mode of the prompt (usual or vim keys); absent without a prompt. */
  readonly editorModes?: EditorModes;
  /** The colours of the screen; absent without a screen. */
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
  /** Runs one prompt for many inputs; absent where no agents can be started. */
  readonly batches?: Batches;
  /** The tasks that agents share. @throws {UserFacingError} (as a rejection) the list can't be read. */
  taskList?(): Promise<readonly ListedTask[]>;
  /**
   * Checks everything that Quoll needs; absent if no person reads the result.
   * @param model The model in use, as `provider/model`; without it, the model of a new session is checked.
   */
  doctor?(signal: AbortSignal, model?: string): Promise<DoctorReport>;
  /** Questions outside the conversation; absent without a conversation. */
  readonly sideQuestions?: SideQuestions;
  /** Exports the conversation to files and the clipboard; absent where a face has no conversation. */
  readonly exports?: SessionExport;
  /**
   * Writes a file for a bug report.
   * @returns the path of the report, in short form. Absent if no person reads the report.
   */
  bugReport?(signal: AbortSignal): Promise<string>;
  /**
   * Searches all saved sessions; absent if no session is saved. Credentials are hidden in the results of the search.
   */
  readonly recall?: { forPerson(): Promise<Recall> };
  /** The hooks of settings files. */
  readonly hooks?: HooksView;
  /** The skills, and the commands that files define; absent if no session reads them. */
  readonly skills?: SkillsView;
  /** Absent where no session loads extensions. */
  readonly extensions?: ExtensionsView;
  /** Absent where no session reads plugins. */
  readonly plugins?: PluginsView;
  readonly sessions: {
    /** The saved sessions of the project, newest first. */
    list(): Promise<readonly SessionSummary[]>;
    /**
     * Names or marks a session, which may be this one; absent if nothing is saved.
     * @throws {UserFacingError} (as a rejection) there is no such session, it is not saved, or another Quoll has it open.
     */
    label?(sessionId: string, label: SessionLabel): Promise<void>;
    /** Like `list`, but the answer may be some seconds old. */
    recent?(): Promise<readonly SessionSummary[]>;
    /** The saved sessions of all projects, newest first. */
    listAll?(): Promise<readonly SessionSummary[]>;
    /** A path in short form: `~/src/shop`. */
    shown?(path: string): string;
    /** The path below the project's folder, empty for that folder itself; another path in short form. */
    inProject?(path: string): string;
    /**
     * Deletes a session, so that `undoRemove` can bring it back for some minutes.
     * @throws {UserFacingError} (as a rejection) the session is open, pinned or archived, or can't be deleted.
     */
    remove?(sessionId: string): Promise<void>;
    /**
     * Brings back the session that was deleted last.
     * @returns its id; undefined if there is none.
     * @throws {UserFacingError} (as a rejection) it was removed for good.
     */
    undoRemove?(): Promise<string | undefined>;
    /** True if a deleted session can be brought back. */
    canUndo?(): boolean;
    /** @throws {UserFacingError} (as a rejection) another Quoll has this session open. */
    assertFree?(sessionId: string): Promise<void>;
    /**
     * The newest conversations that `/clear` ended in sessions of the project, newest first; absent if nothing is saved (so
     * are `recentlyCleared`, `allCleared` and `copyCleared`).
     * @throws {UserFacingError} (as a rejection) the sessions can't be read.
     */
    cleared?(): Promise<readonly ClearedConversation[]>;
    /** Like `cleared`, but the answer may be some seconds old. */
    recentlyCleared?(): Promise<readonly ClearedConversation[]>;
    /** Like `cleared`, of all projects. */
    allCleared?(): Promise<readonly ClearedConversation[]>;
    /**
     * Copies a conversation that a `/clear` ended into a new session.
     * @returns the id of the new session.
     * @throws {UserFacingError} (as a rejection) there is no such conversation, or it can't be copied.
     */
    copyCleared?(ended: ClearedConversation): Promise<string>;
    /**
     * The folder of a session, or of a conversation that `/clear` ended, of another project, on one line.
     * @param wanted The id or the beginning of the id.
     */
    folderOf?(wanted: string): Promise<string | undefined>;
  };
  /** Milliseconds since 1970. */
  now(): number;
  /** True if an open list of this face shows choices that are found later. */
  readonly listsGrow?: true;
  /** True for a face of lines that may be read aloud: lines hold words, and no grid of signs. */
  readonly isPlain?: true;
  /** The keys of this face, for help; absent without a keyboard, or if `showKeys` is there. */
  readonly keys?: readonly KeyDescription[];
  /** Opens the screen's own list of keys; absent if no list can be shown. */
  showKeys?(request: KeysRequest): void;
  /** Ends this conversation and continues another one; never returns to the caller's screen. */
  resume(sessionId: string): void;
  /**
   * Ends this conversation and continues it, or begins an empty conversation if nothing is saved yet: everything of the
   * session is opened again. Absent without a screen, and in a session that is not saved.
   */
  reopen?(sessionId: string | undefined): void;
  /** Leaves the program. */
  exit(): void;
};

/** Chooses the editing mode of the prompt. */
export type EditorModes = {
  readonly current: EditorMode;
  /**
   * Changes the editing mode, also for later sessions.
   * @throws {UserFacingError} (as a rejection) the choice can't be saved.
   */
  choose(mode: EditorMode): Promise<void>;
  /** Changes the editing mode of this session, and saves nothing. */
  use(mode: EditorMode): void;
};

/** Chooses the colours of the screen. */
export type Themes = {
  /**
   * Lists every theme: Quoll's own first, then the person's files. `problems`: one line for each file that can't be
   * used.
   */
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
  /**
   * Changes the theme of this session, and saves nothing.
   * @throws {UserFacingError} (as a rejection) there is no such theme, or its file can't be used.
   */
  use(name: string): Promise<ThemeChoice>;
};

/** The skills that a person can see and change. */
export type SkillsView = {
  /** Lists the skills after looking for changed files. */
  list(): Promise<readonly Skill[]>;
  /** Skills and commands that have no effect. */
  shadowed(): readonly ShadowedSkill[];
  /** One printable line for each file that can't be used as written. */
  warnings(): readonly string[];
  /** True if a setting disables the skill. */
  isOff(name: string): boolean;
  /**
   * Disables or enables a skill in this project.
   * @returns a line for the person.
   * @throws {UserFacingError} (as a rejection) nothing was saved.
   */
  switch(name: string, isOff: boolean): Promise<string | undefined>;
  /** The path of the skill's file in short form: `~/.claude/skills/x/SKILL.md`. */
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
  /** The last characters of the provider's key, or `endpoint`; undefined without access. */
  readonly access: string | undefined;
  /**
   * The source of the access: a variable, a keyring, a file, a helper; otherwise the reason why the saved key can't be
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
   * Saves a key.
   * @returns one line for the person.
   * @throws {UserFacingError} if there is no such provider, the key is unusable, or it could not be saved.
   */
  save(provider: string, key: string): Promise<string>;
  /** The providers with a saved key or address. @throws {UserFacingError} (as a rejection) the file of keys can't be read. */
  saved(): Promise<readonly string[]>;
  /**
   * Removes the saved key and address of a provider.
   * @returns lines for the person.
   * @throws {UserFacingError} (as a rejection) the key is still saved.
   */
  remove(provider: string): Promise<readonly string[]>;
};

/**
 * `keys`: the list of all keys, or the details of the key that `argument` names. `help`: commands and keys, followed by
 * `rows`: names with their meaning; `filter`: the words that are searched first.
 */
export type KeysRequest =
  | { readonly about: "keys"; readonly argument: string }
  | {
      readonly about: "help";
      readonly rows: readonly (readonly [name: string, does: string])[];
      readonly filter: string;
    };

export type KeyDescription = { readonly keys: string; readonly does: string };

/** The declaration of a slash command. `name` has no slash. */
export type CommandSpec = {
  readonly name: string;
  readonly summary: string;
  /**
   * Aliases of the command, without slashes. The command's summary mentions its aliases; a command whose own name
   * equals an alias takes precedence.
   */
  readonly aliases?: readonly string[];
  /** The argument's placeholder in help: `[model]`. */
  readonly argumentHint?: string;
  /** True if the argument is a folder: a screen suggests folders while the person types it. */
  readonly takesFolder?: true;
  /** True if the command needs a person at a keyboard; such a command is not available in headless runs. */
  readonly interactive?: true;
  /** True if the command asks no MCP server and names none, so that a headless run starts none for it. */
  readonly needsNoServers?: true;
};

/** An argument that a command offers. `isGuess`: the argument does not begin with the typed text. */
export type ArgumentCompletion = { readonly value: string; readonly summary: string; readonly isGuess?: true };

/** A slash command. */
export type Command = CommandSpec & {
  /**
   * Completes the text typed after the command's name, the best arguments first. Completion runs while the person
   * types: it changes nothing, and needs no server.
   * @throws {Error} (as a rejection) there are no arguments to offer.
   */
  complete?(typed: string, context: CommandContext, signal: AbortSignal): Promise<readonly ArgumentCompletion[]>;
  /**
   * @param signal Aborts when the person interrupts the command or leaves.
   * @throws {UserFacingError} (as a rejection) the command failed.
   */
  run(argument: string, context: CommandContext, signal: AbortSignal): Promise<CommandResult>;
};
