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
  /** The tools of each extension that has tools. */
  readonly tools: readonly { readonly extension: string; readonly tools: readonly Tool[] }[];
  /** The handlers of extensions; undefined if there are none. */
  readonly hooks: Hooks | undefined;
  /** The matchers of `FileChanged`. */
  readonly fileMatchers: readonly string[];
  /** Makes the slash commands, by extension. @param cwd The working folder. */
  commands(cwd: () => string): readonly { readonly extension: string; readonly commands: readonly Command[] }[];
  /**
   * Records the fault that an extension's command has the same name as another command.
   * @returns the line for the person.
   */
  shadowed(extension: string, command: string): string;
  /** The texts of the status line parts that are not empty. */
  statusTexts(): readonly string[];
  /** @param changed Called when one of the status texts changes. */
  onStatus(changed: () => void): void;
  /** The renderer of fenced blocks of a language; undefined if there is none. */
  renderer(language: string): DrawLine | undefined;
  /** The providers of models, by name. */
  readonly providers: ReadonlyMap<string, Provider>;
  /** The models of these providers that extensions name: `echo/loud`. */
  readonly models: readonly string[];
  /** Tells the person about each extension whose files have changed. */
  noticeChanges(): void;
  readonly view: Pick<ExtensionsView, "list">;
  /** From now on, the line about an endless loop says how to resume the session. */
  savedAs(sessionId: string): void;
  /** From now on, faults are reported to the person through this function. */
  notifyThrough(notify: (line: string) => void): void;
  /** @param log Writes text that extensions print to the debug log. */
  logBy(log: (text: string) => void): void;
};

export type OpeningExtensions = {
  readonly version: string;
  readonly clock: Clock;
  readonly closers: Pick<Closers, "defer">;
  /** True if Quoll draws the screen, so that no other code may write to the terminal. */
  readonly hasScreen: boolean;
  /** Tells the person one line. */
  notify(line: string): void;
};
