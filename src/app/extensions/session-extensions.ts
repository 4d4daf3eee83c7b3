import type { Command } from "../../contracts/command.ts";
import type { ExtensionsView } from "../../contracts/extension.ts";
import type { Hooks } from "../../contracts/hook.ts";
import type { Clock } from "../../contracts/ports.ts";
import type { Provider } from "../../contracts/provider.ts";
import type { Tool } from "../../contracts/tool.ts";
import type { DrawLine } from "../../services/extensions/line-renderer.ts";
import type { Closers } from "../closers.ts";

/** The extensions of a session and their parts. */
export type OpenExtensions = {
  /** The tools of each extension that has some. */
  readonly tools: readonly { readonly extension: string; readonly tools: readonly Tool[] }[];
  /** The handlers of extensions; undefined if there are none. */
  readonly hooks: Hooks | undefined;
  /** The matchers of `FileChanged`. */
  readonly fileMatchers: readonly string[];
  /** Makes the slash commands, by extension. @param cwd The working folder. */
  commands(cwd: () => string): readonly { readonly extension: string; readonly commands: readonly Command[] }[];
  /** Keeps the fault that another command has the name of an extension's command. @returns the line for the person. */
  shadowed(extension: string, command: string): string;
  /** The parts of the status line that say something. */
  statusTexts(): readonly string[];
  /** @param changed Called when one of these texts changes. */
  onStatus(changed: () => void): void;
  /** The renderer of fenced blocks of a language; undefined without one. */
  renderer(language: string): DrawLine | undefined;
  /** The providers of models, by name. */
  readonly providers: ReadonlyMap<string, Provider>;
  /** The models of these providers, as far as extensions name them: `echo/loud`. */
  readonly models: readonly string[];
  /** Tells the person about each extension whose files have changed. */
  noticeChanges(): void;
  readonly view: Pick<ExtensionsView, "list">;
  /** From now on, the line about an endless loop says how to continue the session. */
  savedAs(sessionId: string): void;
  /** From now on, the person hears of faults in this way. */
  tellBy(tell: (line: string) => void): void;
  /** @param log Writes the text that extensions print into the debug log. */
  logBy(log: (text: string) => void): void;
};

export type OpeningExtensions = {
  readonly version: string;
  readonly clock: Clock;
  readonly closers: Pick<Closers, "defer">;
  /** True if Quoll draws the screen, where nobody else may write. */
  readonly hasScreen: boolean;
  /** Tells the person one line. */
  warn(line: string): void;
};
