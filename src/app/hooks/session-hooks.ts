import type { Command } from "../../contracts/command.ts";
import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import type { FireHook, Hooks } from "../../contracts/hook.ts";
import type { Environment } from "../../platform/env.ts";
import type { RunKind } from "../../services/hooks/registered-hook.ts";
import type { HookRun } from "../../services/hooks/run-hooks.ts";

/** The hooks of settings files. */
export type SettingsHooks = {
  readonly hooks: Hooks;
  /** The declared hooks, in the order in which their answers are merged. */
  readonly declared: readonly DeclaredHook[];
  /** The last runs, oldest first. */
  readonly runs: readonly HookRun[];
  /** Runs one hook. @throws {Error} one phrase that says why the hook failed. */
  readonly runKind: RunKind;
  close(): void;
};

/**
 * The hooks of a session, from all sources: settings files, extensions, the program that drives the session, skills in
 * use and working agents.
 */
export interface SessionHooks extends Hooks {
  /** Notifies hooks of an event outside an agent's loop. */
  readonly fire: FireHook;
  /** The hooks of settings files; undefined if there are none. */
  readonly ofSettings: SettingsHooks | undefined;
  /** Replaces the hooks of settings files by those of changed files. */
  replace(declared: readonly DeclaredHook[]): Promise<void>;
  /**
   * Adds hooks until the returned function is called.
   * @param agentId If set, the hooks run only for events of this agent.
   * @returns the function that removes the hooks.
   */
  lease(declared: readonly DeclaredHook[], agentId?: string): Promise<() => void>;
  /** Wraps a slash command: the debug log gets its runs, and hooks are asked about the prompt that it makes. */
  command(command: Command): Command;
  /** The variables that commands inherit; hooks can add some. */
  readonly environment: Environment;
  /** Takes the `env` of changed settings. */
  changeVariables(ofSettings: Readonly<Record<string, string>>): void;
}
