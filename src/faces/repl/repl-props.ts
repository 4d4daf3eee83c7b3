import type { FirstSteps } from "../../contracts/first-steps.ts";
import type { TerminalAnswers } from "../../contracts/machine-views.ts";
import type { ImagePasting } from "../../contracts/pasted-image.ts";
import type { Clock } from "../../contracts/ports.ts";
import type { AlertSettings, NotificationForm, PromptSettings } from "../../contracts/terminal-settings.ts";
import type { ColorLevel, ThemeChoice } from "../../contracts/theme.ts";
import type { SessionParts } from "../../protocol/open-session-port.ts";
import type { NextSession } from "../../protocol/session-port.ts";
import type { Pastes } from "./editor/pastes.ts";
import type { KeybindingsFile } from "./keymap/keybindings-file.ts";
import type { RendererOf } from "./markdown/render-blocks.ts";
import type { TerminalImages } from "./terminal/terminal-picture.ts";
import type { FileAddress } from "./view/theme.ts";

export type ReplTerminal = {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** Has `stdout` ask the terminal for its size, and tell its listeners of `resize` if it is another one. */
  readonly lookUpSize?: (() => void) | undefined;
  /** The terminal's colours; none by default. */
  readonly colorLevel?: ColorLevel;
  /** The variable COLORFGBG, with which some terminals describe their background. */
  readonly colorFgBg?: string | undefined;
  /** The background that this kind of terminal reported last time. */
  readonly background?: "dark" | "light" | undefined;
  /** Stores the reported background for the next start. */
  readonly remember?: (told: "dark" | "light") => void;
  /** Receives what the terminal answers, part by part. */
  readonly answered?: (answer: TerminalAnswers) => void;
  /**
   * False for a terminal that is not asked for its background: the console of Linux would print a part of the question.
   */
  readonly asksColors?: boolean;
  /** False if bold, dim and similar styles are not used either. */
  readonly hasStyles?: boolean;
  /** True for a plain screen: lines without redraws, no cursor movement, no terminal modes. */
  readonly isPlain?: boolean;
  /** True if Quoll edits the line of a plain screen; otherwise the terminal does, and sends whole lines. */
  readonly editsLines?: boolean;
  /** The form of a desktop notification in this terminal; by default none. */
  readonly notification?: NotificationForm;
  /** The multiplexer that passes sequences on to the terminal. */
  readonly passThrough?: "tmux" | "screen" | undefined;
  /** True to draw everything on the terminal's alternate screen. */
  readonly isFull?: boolean;
  /** False if a full screen gets no mouse reports. */
  readonly hasMouse?: boolean;
  /** True if the terminal shows links (OSC 8). */
  readonly hasLinks?: boolean;
  /** The address that opens a file. */
  readonly fileAddress?: FileAddress;
  /** How it shows images; absent where their names are shown. */
  readonly images?: TerminalImages;
};

/** Everything that the REPL gets. The REPL itself opens nothing. */
export type ReplProps = ScreenProps & {
  /** The session of this process that it shows. */
  readonly session: SessionParts;
};

/** The services of the screen in addition to the session: its terminal, and facts about this machine. */
export type ScreenProps = {
  readonly terminal: ReplTerminal;
  readonly info: {
    readonly version: string;
    /** The initial working folder in short form: `~/src/shop`. */
    readonly cwd: string;
    /** The git branch of a folder, with `*` for uncommitted changes; read once per turn. */
    branch(folder: string): string | undefined;
    /** True if `quoll --resume` will find this conversation. */
    readonly isSaved?: boolean;
    /** The first steps that are shown to a new person with the welcome. */
    readonly first?: FirstSteps;
    /** True if a session before this one was on the same screen. */
    readonly isLater?: boolean;
    /** Lines shown below the welcome: the offline line, warnings about settings. */
    readonly notices: readonly string[];
  };
  readonly history: {
    /** Oldest first. `pastes`: those of the placeholders in the text that still exist. */
    load(): Promise<readonly { readonly text: string; readonly pastes?: Pastes }[]>;
    /** The inputs in other projects, newest first. */
    loadOthers?(): Promise<readonly string[]>;
    /** @param folded Kept instead of the text if its pastes can be kept. */
    add(text: string, folded?: { readonly text: string; readonly pastes: Pastes }): Promise<void>;
  };
  readonly clock: Clock;
  /** Gives unused memory back. */
  readonly freeMemory?: () => void;
  /** The person's key bindings; absent to use the default bindings. */
  readonly keybindings?: KeybindingsFile;
  /** How to alert a person who is looking elsewhere; absent for no alerts. */
  readonly attention?: AlertSettings;
  /** The colours; by default `auto`. */
  readonly theme?: ThemeChoice | undefined;
  /** How the prompt edits. */
  readonly prompt?: PromptSettings;
  /**
   * Opens a file in the person's own editor ($VISUAL, $EDITOR) on this terminal, and waits until the editor is closed.
   * @returns the file's text afterwards.
   * @throws {UserFacingError} if there is no editor, it failed, or the file can't be read.
   */
  readonly editFile?: (file: string, signal: AbortSignal) => Promise<string>;
  /**
   * Opens a text in the person's editor, in a separate file.
   * @returns the text afterwards.
   * @throws {UserFacingError} for the same reasons as `editFile`.
   */
  readonly editText?: (text: string, signal: AbortSignal) => Promise<string>;
  /** Puts a text into the person's clipboard. @returns a description of where the text was copied. */
  readonly copyText?: (text: string, signal: AbortSignal) => Promise<string>;
  /** Draws lines of fenced blocks of a language; undefined for a language without a renderer. */
  readonly rendererOf?: RendererOf;
  /** Stops the program like Ctrl+Z in a shell; resolves when the shell resumes it. */
  readonly suspend?: () => Promise<void>;
  /** The last line on leaving a session that continues in another process; absent if leaving ends the session. */
  readonly detachLine?: string;
  /** Accepts pasted images; absent if images can't be pasted. */
  readonly images?: ImagePasting;
  /** Searches briefly for model servers on this machine; absent if a model is configured. */
  readonly findLocalServers?: (signal: AbortSignal) => Promise<readonly LocalServerFound[]>;
  /** A prompt that is sent when the screen is ready. */
  readonly initialPrompt?: string;
  /** The first paint of the starting program, which is erased with the first frame. */
  readonly firstPaint?: { readonly erase: string; readonly shown?: string };
  /** Keys that were typed while the program started. */
  readonly initialInput?: string;
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
  /** The last line on the screen, which replaces `detachLine`. */
  readonly last?: string;
};

/** The functions that signal handlers need. */
export type ReplHandle = {
  readonly done: Promise<ReplResult>;
  /** Resolves when the first frame is drawn and keys are handled; never if the REPL ends first. */
  readonly drawn: Promise<void>;
  /** Restores the terminal immediately; can be called any number of times, also after a crash. */
  restore(): void;
  /**
   * Leaves as if the person had left; `done` resolves with this exit code. `last`: the last line, as in `ReplResult`.
   * @returns true if the REPL continues because the signal was meant for another program.
   */
  stop(exitCode: number, last?: string): boolean;
};
