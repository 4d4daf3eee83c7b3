import type { Command, CommandContext } from "../../contracts/command.ts";
import type { Engine } from "../../contracts/engine.ts";
import type { Clock } from "../../contracts/ports.ts";
import type { Registry } from "../../contracts/registry.ts";
import type { Entry } from "../../contracts/session.ts";
import type { AlertSettings } from "./person-alert.ts";
import type { ColorLevel } from "./view/theme.ts";

export type ReplTerminal = {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** What the terminal can show; without it `stdout.getColorDepth()` is asked. */
  readonly colorLevel?: ColorLevel;
  /** True for TERM=dumb: plain lines, no cursor is moved and no modes are switched on. */
  readonly isDumb?: boolean;
};

/** Everything the REPL is handed. It opens nothing itself. */
export type ReplProps = {
  readonly engine: Engine;
  /** What was saved of the conversation before this process: shown again. */
  readonly restored?: readonly Entry[] | undefined;
  readonly commands: Registry<Command>;
  /** What commands may use beside the engine. */
  readonly context: Pick<
    CommandContext,
    "inventory" | "permissions" | "models" | "sessions" | "accounts" | "doctor" | "spend" | "ports"
  >;
  readonly terminal: ReplTerminal;
  readonly info: {
    readonly version: string;
    /** The working folder as it is shown at the start: `~/src/shop`. */
    readonly cwd: string;
    /** The git branch, with `*` when something is not committed; asked for once a turn. */
    branch(): string | undefined;
    /** How commands are confined, in a word or two for the status line: `sandbox`, `no sandbox`. */
    readonly sandbox?: string | undefined;
    /** Whether `quoll --resume` finds this conversation later. */
    readonly isSaved?: boolean;
    /** Shown below the welcome: the offline line, warnings of settings. */
    readonly notices: readonly string[];
  };
  readonly history: {
    /** Oldest first. */
    load(): Promise<readonly string[]>;
    add(text: string): Promise<void>;
  };
  readonly clock: Clock;
  /** What the terminal is told while nobody may be looking; nothing if left out. */
  readonly attention?: AlertSettings;
  /**
   * Opens a file in the person's own editor ($VISUAL, $EDITOR) on this terminal, which is theirs meanwhile, and waits for its end.
   * @returns the file's text afterwards. @throws {UserFacingError} there is no editor, it failed, or the file can't be read.
   */
  readonly editFile?: (file: string, signal: AbortSignal) => Promise<string>;
  /** Stops the program, as Ctrl+Z does in a shell; resolves when the shell lets it go on. */
  readonly suspend?: () => Promise<void>;
  /** Tells what happens outside of the engine. @returns the function that ends it. */
  readonly watch?: (told: ReplWatcher) => () => void;
  /**
   * Looks for servers of models on this machine; left out where a model is configured. Within a moment, or they aren't there.
   */
  readonly findLocalServers?: (signal: AbortSignal) => Promise<readonly LocalServerFound[]>;
  /** Sent as soon as the screen stands. */
  readonly initialPrompt?: string;
  /** What was painted while the program started: it goes as the first frame comes. */
  readonly firstPaint?: { readonly erase: string };
  /** Keys that were typed while the program started. */
  readonly initialInput?: string;
};

/** What the screen needs beside the session: its terminal, and what only this machine knows. */
export type ScreenProps = Omit<ReplProps, "engine" | "restored" | "commands" | "context">;

/** Who hears of what happens outside of the engine. */
export type ReplWatcher = {
  /** Something went wrong that the person should know: one line. */
  warn(text: string): void;
  /** What the model's tools wait for, by name; none when all are there. Until then words wait as well. */
  starting(names: readonly string[]): void;
  /** `info` says something else now. */
  changed(): void;
};

/** A server of models that answered on this machine. */
export type LocalServerFound = {
  /** As its makers write it. */
  readonly name: string;
  /** Its name here: in front of its models. */
  readonly provider: string;
  /** `127.0.0.1:11434` */
  readonly address: string;
  readonly models: readonly string[];
};

/** How the REPL ended. */
export type ReplResult = {
  readonly exitCode: number;
  /** The session to go on with: start the REPL again on its engine. */
  readonly next?: { readonly sessionId: string };
};

/** What the wiring needs for signals. */
export type ReplHandle = {
  readonly done: Promise<ReplResult>;
  /** Puts the terminal back as it was: at once, any number of times, also after a crash. */
  restore(): void;
  /** Leaves as if the person had; `done` resolves with this exit code. */
  stop(exitCode: number): void;
};
