import type { ReadCall } from "../../contracts/call-record.ts";
import type { Command, CommandContext } from "../../contracts/command.ts";
import type { Engine } from "../../contracts/engine.ts";
import type { FirstSteps } from "../../contracts/first-steps.ts";
import type { FindFiles } from "../../contracts/found-file.ts";
import type { TerminalAnswers } from "../../contracts/machine-views.ts";
import type { ImagePasting } from "../../contracts/pasted-image.ts";
import type { Clock } from "../../contracts/ports.ts";
import type { Registry } from "../../contracts/registry.ts";
import type { Entry } from "../../contracts/session.ts";
import type { StatusLine } from "../../contracts/status-line.ts";
import type { TaskControl } from "../../contracts/task-control.ts";
import type { DiffLayout, EditorMode, NotificationForm } from "../../contracts/terminal-settings.ts";
import type { ThemeChoice } from "../../contracts/theme.ts";
import type { KeybindingsFile } from "./keymap/keybindings-file.ts";
import type { Mention, SuggestMentions } from "./layers/ui-state.ts";
import type { RendererOf } from "./markdown/render-blocks.ts";
import type { AlertSettings } from "./person-alert.ts";
import type { NextSession } from "./port/session-protocol.ts";
import type { TerminalImages } from "./terminal/terminal-picture.ts";
import type { ColorLevel, FileAddress } from "./view/theme.ts";

export type PromptSettings = {
  /** False: earlier inputs that begin with the draft are not shown behind it. */
  readonly ghostText: boolean;
  readonly editorMode: EditorMode;
  readonly diff?: DiffLayout;
};

export type ReplTerminal = {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** The terminal's colours; by default `stdout.getColorDepth()` decides. */
  readonly colorLevel?: ColorLevel;
  /** The variable COLORFGBG, by which some terminals tell their background. */
  readonly colorFgBg?: string | undefined;
  /** The background that this kind of terminal reported the last time. */
  readonly background?: "dark" | "light" | undefined;
  /** Keeps what the terminal told for the next start. */
  readonly remember?: (told: "dark" | "light") => void;
  /** Receives what the terminal answers, part by part. */
  readonly answered?: (answer: TerminalAnswers) => void;
  /** False for a terminal that is not asked for its background: the console of Linux would print a part of the question. */
  readonly asksColors?: boolean;
  /** False: no bold, dim and the like either. */
  readonly hasStyles?: boolean;
  /** True for a plain screen: lines without redraws, no cursor movement, no terminal modes. */
  readonly isPlain?: boolean;
  /** How it shows a desktop notification; by default not at all. */
  readonly notification?: NotificationForm;
  /** The multiplexer that passes sequences on to it. */
  readonly passThrough?: "tmux" | "screen" | undefined;
  /** True to draw everything on the terminal's second screen. */
  readonly isFull?: boolean;
  /** False: no reports of the mouse on a full screen. */
  readonly hasMouse?: boolean;
  /** True if it shows links (OSC 8). */
  readonly hasLinks?: boolean;
  /** The address that opens a file. */
  readonly fileAddress?: FileAddress;
  /** How it shows images; absent where their names are shown. */
  readonly images?: TerminalImages;
};

/** Everything that the REPL gets. The REPL itself opens nothing. */
export type ReplProps = {
  readonly engine: Engine;
  /** The running agents and background shells; absent where nothing runs beside the conversation. */
  readonly tasks?: TaskControl;
  /** Reads what the screen does not hold of an ended call. */
  readonly readCall?: ReadCall;
  /** The saved conversation of earlier processes, to be shown again. */
  readonly restored?: readonly Entry[] | undefined;
  readonly commands: Registry<Command>;
  /** Further services for commands, besides the engine. */
  readonly context: Pick<
    CommandContext,
    | "inventory"
    | "permissions"
    | "models"
    | "editorModes"
    | "themes"
    | "sessions"
    | "settings"
    | "facts"
    | "statusLine"
    | "folders"
    | "changes"
    | "editors"
    | "sandbox"
    | "terminal"
    | "accounts"
    | "doctor"
    | "spend"
    | "ports"
    | "instructions"
  >;
  readonly terminal: ReplTerminal;
  readonly info: {
    readonly version: string;
    /** The shown working folder at the start: `~/src/shop`. */
    readonly cwd: string;
    /** The git branch, with `*` for uncommitted changes; read once a turn. */
    branch(): string | undefined;
    /** The confinement of commands, in a word or two for the status line: `sandbox`, `no sandbox`. */
    readonly sandbox?: string | undefined;
    /** Short texts of extensions for the status line. */
    statusTexts?(): readonly string[];
    /** True if `quoll --resume` will find this conversation. */
    readonly isSaved?: boolean;
    /** Shown with the welcome to a new person. */
    readonly first?: FirstSteps;
    /** Shown below the welcome: the offline line, warnings about settings. */
    readonly notices: readonly string[];
  };
  readonly history: {
    /** Oldest first. */
    load(): Promise<readonly string[]>;
    /** The inputs in other projects, newest first. */
    loadOthers?(): Promise<readonly string[]>;
    add(text: string): Promise<void>;
  };
  readonly clock: Clock;
  /** The person's key bindings; absent for the default ones. */
  readonly keybindings?: KeybindingsFile;
  /** How to alert a person who is looking elsewhere; absent for no alerts. */
  readonly attention?: AlertSettings;
  /** The colours; by default `auto`. */
  readonly theme?: ThemeChoice | undefined;
  /** The person's own lines below the prompt; `watch` reports when they changed. */
  readonly statusLine?: Pick<StatusLine, "lines" | "look">;
  /** How the prompt edits. */
  readonly prompt?: PromptSettings;
  /**
   * Opens a file in the person's own editor ($VISUAL, $EDITOR) on this terminal, and waits until it ends.
   * @returns the file's text afterwards. @throws {UserFacingError} there is no editor, it failed, or the file can't be
   * read.
   */
  readonly editFile?: (file: string, signal: AbortSignal) => Promise<string>;
  /**
   * Opens a text in that editor, in a file of its own. @returns the text afterwards. @throws {UserFacingError} as
   * `editFile`.
   */
  readonly editText?: (text: string, signal: AbortSignal) => Promise<string>;
  /** Puts a text into the person's clipboard. @returns where it went, in words. */
  readonly copyText?: (text: string, signal: AbortSignal) => Promise<string>;
  /** Draws lines of fenced blocks of a language; undefined for a language without a renderer. */
  readonly rendererOf?: RendererOf;
  /** Stops the program like Ctrl+Z in a shell; resolves when the shell resumes it. */
  readonly suspend?: () => Promise<void>;
  /** Reports events outside the engine. @returns a function that ends it. */
  readonly watch?: (told: ReplWatcher) => () => void;
  /** The last line on leaving a session that goes on in another process; absent if leaving ends the session. */
  readonly detachLine?: string;
  /** Takes pasted images; absent where none can be taken. */
  readonly images?: ImagePasting;
  /** Finds files for a mention; absent where no list can be shown. */
  readonly findFiles?: FindFiles;
  /** Looks for model servers on this machine for a moment; absent if a model is configured. */
  readonly findLocalServers?: (signal: AbortSignal) => Promise<readonly LocalServerFound[]>;
  /** Sent when the screen is ready. */
  readonly initialPrompt?: string;
  /** The first paint of the starting program; it is erased with the first frame. */
  readonly firstPaint?: { readonly erase: string };
  /** Keys that were typed while the program started. */
  readonly initialInput?: string;
};

/** The services of the screen besides the session: its terminal, and facts about this machine. */
export type ScreenProps = Omit<ReplProps, "engine" | "tasks" | "readCall" | "restored" | "commands" | "context">;

/** Receives events outside the engine. */
export type ReplWatcher = {
  /** A problem that the person should know: one line. */
  warn(text: string): void;
  /** The names of the servers that the model's tools wait for; empty when all are ready. Inputs wait until then. */
  starting(names: readonly string[]): void;
  /** The things that a prompt can name with `@`, `@` included. `suggest` is asked where a `{` of a name begins. */
  mentions(names: readonly Mention[], suggest?: SuggestMentions): void;
  /** The result of `info` changed. */
  changed(): void;
};

/** A model server that answered on this machine. */
export type LocalServerFound = {
  /** The product name of the provider. */
  readonly name: string;
  /** The provider's name in Quoll, which is the prefix of its models. */
  readonly provider: string;
  /** `127.0.0.1:11434` */
  readonly address: string;
  readonly models: readonly string[];
};

/** How the REPL ended. */
export type ReplResult = {
  readonly exitCode: number;
  /** The session to open: start the REPL again with its engine. */
  readonly next?: NextSession;
  /** The last line on the screen, in place of `detachLine`. */
  readonly last?: string;
};

/** The functions that signal handlers need. */
export type ReplHandle = {
  readonly done: Promise<ReplResult>;
  /** Resolves when keys are taken, after the first frame; never if the REPL ends before. */
  readonly drawn: Promise<void>;
  /** Restores the terminal: at once, any number of times, also after a crash. */
  restore(): void;
  /**
   * Leaves as if the person had; `done` resolves with this exit code. `last`: as in `ReplResult`. @returns true if the
   * REPL goes on, since the signal was meant for something else.
   */
  stop(exitCode: number, last?: string): boolean;
};
