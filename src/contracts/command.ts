import type { Engine } from "./engine.ts";
import type { Inventory } from "./inventory.ts";
import type { ConsentStatus, RuleDescription } from "./permission.ts";
import type { ServerPort } from "./ports.ts";
import type { Effort } from "./provider.ts";
import type { SessionSummary } from "./session.ts";
import type { SpendStatus } from "./spend.ts";

/** What a slash command may do; a face supplies it. */
export type CommandContext = {
  readonly engine: Engine;
  readonly inventory: Inventory;
  readonly permissions: {
    describe(): readonly RuleDescription[];
    /** Whether confined commands run without a question. */
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
  /** What the caps leave, and who spent; absent where nothing is counted. */
  readonly spend?: { status(): Promise<SpendStatus> };
  /** Ports of confined servers that are open to the person; absent where none can be. */
  readonly ports?: { list(): readonly ServerPort[]; askNext?(): boolean };
  readonly sessions: { list(): Promise<readonly SessionSummary[]> };
  /** The keys of this face, for help; absent where there is no keyboard. */
  readonly keys?: readonly KeyDescription[];
  /** Ends this conversation and goes on with another; never returns to the caller's screen. */
  resume(sessionId: string): void;
  /** Leaves the program. */
  exit(): void;
};

/** A model as it is offered to a person. */
export type ModelOffer = {
  /** What `/model` takes: an alias, an id, or `provider/id`. */
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
  /** Whether its provider can be asked: it has a key, or needs none. */
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
  /** What stands at the right where there is no room for `detail`. */
  readonly brief?: string;
  /** The one in force: the list begins there. */
  readonly isCurrent?: boolean;
};

/** What a command answers: lines of plain text for the person, never for the model. */
export type CommandAnswer = {
  readonly lines: readonly string[];
  /** What a face with a keyboard offers as a list instead of `lines`. */
  readonly choose?: {
    readonly title: string;
    readonly choices: readonly Choice[];
    /** What else Ctrl and a letter do in the list; `input` is typed then. */
    readonly shortcuts?: readonly { readonly letter: string; readonly label: string; readonly input: string }[];
  };
  /** A line to be typed unseen, in a face that can; `lines` say what to do in one that can't. */
  readonly askHidden?: { readonly title: string; answer(text: string): Promise<CommandAnswer> };
};

/** A slash command. `name` has no slash. */
export type Command = {
  readonly name: string;
  readonly summary: string;
  /** Shown after the name in help: `[model]`. */
  readonly argumentHint?: string;
  run(argument: string, context: CommandContext): Promise<CommandAnswer>;
};
