import { isDeepStrictEqual } from "node:util";
import { lazy } from "@quoll/async/lazy";
import { MAIN_AGENT } from "../../contracts/agent.ts";
import type { Command } from "../../contracts/command.ts";
import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import type { FireHook, HookCommon, Hooks } from "../../contracts/hook.ts";
import { hookFields } from "../../engine/ask-hooks.ts";
import type { Environment } from "../../platform/env.ts";
import { combineHooks } from "../../services/hooks/combine-hooks.ts";
import { withShortContext } from "../../services/hooks/long-context.ts";
import type { Agent } from "../agent/open-agent.ts";
import type { SessionAgents } from "../agent/session-agents.ts";
import type { Closers } from "../closers.ts";
import type { SessionFollower } from "../session/notices/follow-session.ts";
import { hookFirer } from "./fire-hook.ts";
import type { HookParts, HookSession } from "./hook-parts.ts";
import { hookedCommand } from "./hooked-command.ts";
import { redactedHooks } from "./redacted-hooks.ts";
import type { SessionHooks, SettingsHooks } from "./session-hooks.ts";
import { SessionVariables } from "./session-variables.ts";
import type { HookSet } from "./settings-hooks.ts";

/** Opens the hooks of a session, until `closers` are closed. If the settings have no hooks, their code is not loaded. */
export async function openHooks(session: HookSession, closers: Closers): Promise<OpenHooks> {
  const hooks = new OpenHooks(session);
  closers.defer(() => hooks.close());
  await hooks.open();
  return hooks;
}

export class OpenHooks implements SessionHooks {
  readonly #session: HookSession;
  readonly #variables: SessionVariables;
  readonly #ofSettings: ChangingHooks;
  readonly #leased = new LeasedHooks();
  /** All sources, with credentials hidden and long texts shortened, as the debug log sees them. */
  readonly #all: Hooks;
  readonly fire: FireHook;
  readonly #following = lazy(() => import("../session/notices/follow-session.ts"));
  #main: Agent | undefined;
  #agents: Pick<SessionAgents, "subscribe"> | undefined;
  #follower: SessionFollower | undefined;

  constructor(session: HookSession) {
    const { app, chosen, watch, ports } = session;
    const { environment, conversation, extensions, redactor } = chosen;
    this.#session = session;
    this.#variables = new SessionVariables(environment.env, environment.settings.env);
    this.#ofSettings = new ChangingHooks({ session, variables: this.#variables, main: () => this.#main });
    const others = [extensions.hooks, ports.given].filter((one) => one !== undefined);
    const saved = (text: string) => conversation.artifacts.save(`hook-context-${app.ids.next()}.txt`, text);
    const combined = redactedHooks(combineHooks([this.#ofSettings, ...others, this.#leased]), redactor);
    const watched = watch.hooks(withShortContext(combined, saved));
    this.#all = watchingFiles(watched, (paths) => this.#follower?.watchFiles(paths));
    this.fire = hookFirer({ hooks: this.#all, common: () => commonFields(chosen, this.#main), notify: ports.notify });
  }

  wants(...asked: Parameters<Hooks["wants"]>): boolean {
    return this.#all.wants(...asked);
  }

  run(...asked: Parameters<Hooks["run"]>): ReturnType<Hooks["run"]> {
    return this.#all.run(...asked);
  }

  /** Loads the hooks of the settings, and the code that notifies hooks if there are any. */
  async open(): Promise<void> {
    const { chosen, ports } = this.#session;
    await this.#ofSettings.replace(chosen.environment.hooks);
    if (this.ofSettings || chosen.extensions.hooks || ports.given) await this.#following();
  }

  get ofSettings(): SettingsHooks | undefined {
    return this.#ofSettings.current;
  }

  async replace(declared: readonly DeclaredHook[]): Promise<void> {
    if (!(await this.#ofSettings.replace(declared)) || declared.length === 0) return;
    await this.#following();
    this.#follow();
  }

  get environment(): Environment {
    return this.#variables.environment;
  }

  changeVariables(ofSettings: Readonly<Record<string, string>>): void {
    this.#variables.setSettings(ofSettings);
  }

  async lease(declared: readonly DeclaredHook[], agentId?: string): Promise<() => void> {
    const { environment } = this.#session.chosen;
    const { settingsHooks } = await import("./settings-hooks.ts");
    const { hookContents } = await import("./changed-hooks.ts");
    const { changesOf } = hookContents(declared, { root: environment.project.root, own: environment.own });
    const made = settingsHooks(this.#ofSettings.parts, { declared, changesOf, approve: async () => false });
    const end = this.#leased.add(agentId === undefined ? made.hooks : hooksOfAgent(made.hooks, agentId));
    return () => {
      end();
      made.close();
    };
  }

  command(command: Command): Command {
    return hookedCommand(this.#session.watch.command(command), this.fire);
  }

  /** From now on, hooks are notified of the session's events. */
  follow(main: Agent, agents: Pick<SessionAgents, "subscribe">): void {
    this.#main = main;
    this.#agents = agents;
    this.#follow();
  }

  async close(): Promise<void> {
    await this.#follower?.close();
    this.#ofSettings.close();
  }

  #follow(): void {
    const { app, chosen } = this.#session;
    this.#follower?.watchNamed();
    const following = this.#following.value;
    if (this.#follower || !following || !this.#main || !this.#agents) return;
    const { workspace, instructions } = this.#main;
    const fileMatchers = () => [
      ...(this.ofSettings?.declared ?? []).flatMap((hook) => fileMatcher(hook)),
      ...chosen.extensions.fileMatchers,
    ];
    this.#follower = new following.SessionFollower({
      hooks: this.#all,
      fire: this.fire,
      agents: this.#agents,
      workspace,
      instructions,
      clock: app.clock,
      fileMatchers,
    });
  }
}

/** The matcher that names files to watch. */
function fileMatcher({ event, matcher }: DeclaredHook): readonly string[] {
  return event === "FileChanged" && matcher !== undefined ? [matcher] : [];
}

/** Limits hooks to the events of one agent. */
function hooksOfAgent(hooks: Hooks, agentId: string): Hooks {
  return {
    wants: (event, toolName) => hooks.wants(event, toolName),
    run: async (input, signal) => {
      const owner = ("subagentId" in input ? input.subagentId : input.agentId) ?? MAIN_AGENT.agentId;
      return owner === agentId ? hooks.run(input, signal) : {};
    },
  };
}

/** The hooks of skills in use, and of working agents. */
class LeasedHooks implements Hooks {
  #sources: readonly Hooks[] = [];

  /** @returns the function that removes them. */
  add(hooks: Hooks): () => void {
    this.#sources = [...this.#sources, hooks];
    return () => {
      this.#sources = this.#sources.filter((one) => one !== hooks);
    };
  }

  wants(...asked: Parameters<Hooks["wants"]>): boolean {
    return this.#sources.some((one) => one.wants(...asked));
  }

  run(...asked: Parameters<Hooks["run"]>): ReturnType<Hooks["run"]> {
    return combineHooks(this.#sources).run(...asked);
  }
}

/** Records the files that hooks ask to watch. */
function watchingFiles(hooks: Hooks, watch: (paths: readonly string[]) => void): Hooks {
  return {
    wants: (event, toolName) => hooks.wants(event, toolName),
    async run(input, signal) {
      const outcome = await hooks.run(input, signal);
      if (outcome.watchPaths) watch(outcome.watchPaths);
      return outcome;
    },
  };
}

/** Before the first agent is open, the fields are those with which it will start. */
function commonFields({ conversation, environment }: HookSession["chosen"], main: Agent | undefined): HookCommon {
  return hookFields({
    log: conversation.log,
    transcriptPath: conversation.transcriptPath,
    agent: MAIN_AGENT,
    ...(main && { state: main.state }),
    permissions: main?.permissions ?? { mode: environment.settings.defaultMode ?? "default" },
    cwd: () => (main?.workspace ?? environment.workspace).cwd,
  });
}

/** The hooks of settings files, which change with the files. If there are no hooks, their code is not loaded. */
class ChangingHooks implements Hooks {
  /** The parts from which each set of hooks is made. */
  readonly parts: HookParts;
  #declared: readonly DeclaredHook[] = [];
  /** A background hook may still run after the settings have changed. */
  readonly #earlier: SettingsHooks[] = [];
  current: SettingsHooks | undefined;

  constructor(parts: HookParts) {
    this.parts = parts;
  }

  /** @returns false if the hooks are the same. */
  async replace(declared: readonly DeclaredHook[]): Promise<boolean> {
    if (declared.length === 0 && this.#declared.length === 0) return false;
    if (isDeepStrictEqual(contentOf(declared), contentOf(this.#declared))) return false;
    this.#declared = declared;
    const make = declared.length > 0 ? await import("./settings-hooks.ts") : undefined;
    if (this.current) this.#earlier.push(this.current);
    const { environment } = this.parts.session.chosen;
    const approve: HookSet["approve"] = (hook, ask) => environment.approveHook(hook, ask);
    this.current = make?.settingsHooks(this.parts, {
      declared,
      changesOf: (hook) => environment.changesOfHook(hook),
      approve,
    });
    return true;
  }

  close(): void {
    for (const hooks of [...this.#earlier, this.current]) hooks?.close();
  }

  wants(...asked: Parameters<Hooks["wants"]>): boolean {
    return this.current?.hooks.wants(...asked) ?? false;
  }

  async run(...asked: Parameters<Hooks["run"]>): ReturnType<Hooks["run"]> {
    return this.current?.hooks.run(...asked) ?? {};
  }
}

/** A hook that only moved to another line counts as unchanged. */
function contentOf(hooks: readonly DeclaredHook[]): readonly unknown[] {
  return hooks.map(({ line: _, ...hook }) => hook);
}
