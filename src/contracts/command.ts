import type { ContextEdits } from "./context-edit.ts";
import type { ContextReport, CountedParts } from "./context-report.ts";
import type { DoctorReport } from "./doctor.ts";
import type { Engine } from "./engine.ts";
import type { SessionInstructions } from "./instructions.ts";
import type { Inventory } from "./inventory.ts";
import type { McpServerState } from "./mcp.ts";
import type { SessionMemory } from "./memory.ts";
import type { ConsentStatus, RuleDescription } from "./permission.ts";
import type { ServerPort } from "./ports.ts";
import type { Effort } from "./provider.ts";
import type { Recall } from "./recall.ts";
import type { SessionSummary } from "./session.ts";
import type { SpendStatus } from "./spend.ts";

/** The services that a face supplies to a slash command. */
export type CommandContext = {
  readonly engine: Engine;
  readonly inventory: Inventory;
  readonly permissions: {
    describe(): readonly RuleDescription[];
    /** The state of the person's consent to confined commands. */
    consent(): ConsentStatus;
    /** Takes that back. @returns lines for the person. @throws {UserFacingError} (as a rejection) it stays in the file. */
    revokeConsent(): Promise<readonly string[]>;
  };
  readonly models: {
    list(): readonly string[];
    /** The same names with what one chooses by; absent where nobody chooses. */
    describe?(): Promise<readonly ModelOffer[]>;
  };
  /** Absent where keys are none of this face's business. */
  readonly accounts?: Accounts;
  /** The state of the caps and the spending by agent; absent if nothing is counted. */
  readonly spend?: { status(): Promise<SpendStatus> };
  /** The tokens of the next request by source. `counted`: the provider's own counts. Absent where nothing is sent. */
  contextReport?(counted?: CountedParts): Promise<ContextReport>;
  /** Takes turns and results out of the model's view, or pins them. Absent where nothing is sent. */
  readonly contextEdits?: ContextEdits;
  /** Absent where no instruction files are read. */
  readonly instructions?: SessionInstructions;
  /** Absent where a session keeps no notes. */
  readonly memory?: SessionMemory;
  /** MCP servers; absent where a session can have none. */
  readonly mcp?: McpView;
  /** Ports of confined servers that are open to the person; absent where none can be. */
  readonly ports?: { list(): readonly ServerPort[]; askNext?(): boolean };
  /** Checks everything that Quoll needs; absent where nobody reads the result. */
  doctor?(signal: AbortSignal): Promise<DoctorReport>;
  /** Searches everything that was ever said; absent where no session is kept. Credentials are hidden in what it gives. */
  readonly recall?: { forPerson(): Promise<Recall> };
  readonly sessions: {
    list(): Promise<readonly SessionSummary[]>;
    /** @throws {UserFacingError} (as a rejection) another Quoll has this session open. */
    assertFree?(sessionId: string): Promise<void>;
  };
  /** Milliseconds since 1970. */
  now(): number;
  /** The keys of this face, for help; absent where there is no keyboard. */
  readonly keys?: readonly KeyDescription[];
  /** Ends this conversation and goes on with another; never returns to the caller's screen. */
  resume(sessionId: string): void;
  /** Leaves the program. */
  exit(): void;
};

/** MCP servers and their tools as a person sees them. */
export type McpView = {
  states(): readonly McpServerState[];
  /** `tokens`: what the declaration takes in a request, estimated. `isDeferred`: no request carries it. */
  tools(): readonly {
    readonly name: string;
    readonly summary: string;
    readonly tokens: number;
    readonly isDeferred: boolean;
  }[];
};

/** A model as it is offered to a person. */
export type ModelOffer = {
  /** The name for `/model`: an alias, an id, or `provider/id`. */
  readonly name: string;
  /** The id that it stands for. */
  readonly model: string;
  readonly provider: string;
  /** Tokens; undefined when it is not known. */
  readonly windowTokens: number | undefined;
  /** US dollars per million tokens; undefined when it is not known. */
  readonly price: { readonly input: number; readonly output: number } | undefined;
  /** Empty where effort can't be chosen. */
  readonly efforts: readonly Effort[];
  /** True if its provider can be asked: it has a key, or needs none. */
  readonly hasAccess: boolean;
};

export type AccountStatus = {
  readonly provider: string;
  /** The end of its key, or `endpoint`; undefined where nothing gives access. */
  readonly access: string | undefined;
  /** Where that comes from: a variable, a keyring, a file, a helper; or why what was saved can't be used. */
  readonly from: string;
  /** False for a server on one's own machine. */
  readonly needsKey: boolean;
};

/** Keys of providers. Nothing is sent anywhere. */
export type Accounts = {
  /** Every provider that is known. */
  list(): Promise<readonly AccountStatus[]>;
  /** Keeps a key. @returns one line for the person. @throws {UserFacingError} no such provider, no key, or it could not be saved. */
  save(provider: string, key: string): Promise<string>;
};

export type KeyDescription = { readonly keys: string; readonly does: string };

/** One of several ways to go on; `input` is what choosing it types: `/resume 7c1e…`. */
export type Choice = {
  readonly label: string;
  readonly detail: string;
  readonly input: string;
  /** A shorter text at the right, if there is no room for `detail`. */
  readonly brief?: string;
  /** The one in force: the list begins there. */
  readonly isCurrent?: boolean;
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
};

/** How far an operation has come. */
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
  | { readonly kind: "text"; readonly lines: readonly string[] }
  /** A list to choose from. `before`: lines for the transcript, in every face. */
  | {
      readonly kind: "choose";
      readonly title: string;
      readonly choices: readonly Choice[];
      /** Ctrl and the letter type `input`. */
      readonly shortcuts?: readonly { readonly letter: string; readonly label: string; readonly input: string }[];
      readonly lines: readonly string[];
      readonly before?: readonly string[];
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
  /** Fields to fill in; `submit` is given their values by name. */
  | {
      readonly kind: "form";
      readonly title: string;
      readonly fields: readonly FormField[];
      readonly lines: readonly string[];
      /** @throws {UserFacingError} (as a rejection) the values can't be used. */
      submit(values: Readonly<Record<string, string>>, signal: AbortSignal): Promise<CommandResult>;
    }
  /** Words for the model, in the person's name. */
  | { readonly kind: "prompt"; readonly prompt: string }
  /** A long text with a screen of its own, where the face has one; the transcript stays as it is. */
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
  /** Work that takes its time: it tells how far it has come, and the person may interrupt it. */
  | {
      readonly kind: "operation";
      readonly title: string;
      /** Rejects with the abort reason after an interrupt. */
      run(report: (progress: OperationProgress) => void, signal: AbortSignal): Promise<CommandResult>;
    };

export type MarkResult = Extract<CommandResult, { readonly kind: "mark" }>;
export type ChooseResult = Extract<CommandResult, { readonly kind: "choose" }>;
export type OperationResult = Extract<CommandResult, { readonly kind: "operation" }>;
export type EditResult = Extract<CommandResult, { readonly kind: "edit" }>;
export type FormResult = Extract<CommandResult, { readonly kind: "form" }>;

/** The declaration of a slash command. `name` has no slash. */
export type CommandSpec = {
  readonly name: string;
  readonly summary: string;
  /** Shown after the name in help: `[model]`. */
  readonly argumentHint?: string;
  /** Only where a person sits at a keyboard; headless has no such command. */
  readonly interactive?: true;
};

/** A slash command. */
export type Command = CommandSpec & {
  /**
   * @param signal Aborts when the person interrupts the command or leaves.
   * @throws {UserFacingError} (as a rejection) the command can't be done.
   */
  run(argument: string, context: CommandContext, signal: AbortSignal): Promise<CommandResult>;
};

/** A result as a face shows it that has neither lists nor forms nor screens. */
export function linesOf(result: Exclude<CommandResult, { readonly kind: "prompt" | "operation" }>): readonly string[] {
  switch (result.kind) {
    case "choose":
      return [...(result.before ?? []), ...result.lines];
    case "view":
      return [result.title, ...result.lines];
    case "mark":
      return [result.title, ...result.lines, ...result.rows.map(({ line }) => line)];
    default:
      return result.lines;
  }
}
