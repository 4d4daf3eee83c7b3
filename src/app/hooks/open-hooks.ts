import { isDeepStrictEqual } from "node:util";
import { MAIN_AGENT } from "../../contracts/agent.ts";
import type { Command } from "../../contracts/command.ts";
import type { CommandResult } from "../../contracts/command-result.ts";
import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import type { FireHook, HookCommon, Hooks } from "../../contracts/hook.ts";
import { hookFields } from "../../engine/ask-hooks.ts";
import { combineHooks } from "../../services/hooks/combine-hooks.ts";
import { withShortContext } from "../../services/hooks/long-context.ts";
import type { AgentParts } from "../agent/agent-parts.ts";
import type { Agent } from "../agent/open-agent.ts";
import type { Closers } from "../closers.ts";
import type { OpenExtensions } from "../extensions/session-extensions.ts";
import type { SessionFollower } from "../session/notices/follow-session.ts";
import { hookFirer } from "./fire-hook.ts";
import { redactedHooks } from "./redacted-hooks.ts";
import { SessionVariables } from "./session-variables.ts";
import type { HookParts, SettingsHooks } from "./settings-hooks.ts";

type Opening = Omit<HookParts, "main" | "variables"> &
  Pick<AgentParts, "conversation" | "transcriptPath" | "agents"> & {
    readonly closers: Closers;
    /** The hooks of the program that drives the session. */
    readonly given: Hooks | undefined;
    readonly extensions: Pick<OpenExtensions, "hooks" | "fileMatchers">;
  };

/** The hooks of a session, from all sources. */
export type SessionHooks = {
  readonly hooks: Hooks;
  /** The hooks of settings files; `current` is undefined if there are none. */
  readonly settingsHooks: { readonly current: SettingsHooks | undefined };
  /** Replaces the hooks of settings files by those of changed files. */
  replaceHooks(declared: readonly DeclaredHook[]): Promise<void>;
  /** The variables that commands inherit; hooks can add some. */
  readonly environment: SessionVariables["environment"];
  /** Takes the `env` of changed settings. */
  changeVariables(ofSettings: Readonly<Record<string, string>>): void;
  readonly fireHook: FireHook;
  /**
   * Adds hooks until the returned function is called.
   * @param agentId If set, the hooks run only for events of this agent.
   * @returns the function that removes the hooks.
   */
  leaseHooks(declared: readonly DeclaredHook[], agentId?: string): Promise<() => void>;
  /** Wraps a slash command so that hooks are asked about the prompt that it makes. */
  command(command: Command): Command;
  /** From now on, hooks are notified of the session's events. */
  follow(main: Agent): void;
};

/** Opens the hooks of a session. If the settings have no hooks, their code is not loaded. */
export async function openHooks(opening: Opening): Promise<SessionHooks> {
  const { app, place, artifacts, watch, closers, given, tell } = opening;
  const late: { main?: Agent; follower?: SessionFollower } = {};
  const variables = new SessionVariables(place.env, place.settings.env);
  const settingsHooks = new ChangingHooks({ ...opening, variables, main: () => late.main });
  await settingsHooks.replace(place.hooks);
  closers.defer(() => settingsHooks.close());
  const sources = [settingsHooks, opening.extensions.hooks, given].filter((one) => one !== undefined);
  const saved = (text: string) => artifacts.save(`hook-context-${app.ids.next()}.txt`, text);
  const leased = new LeasedHooks();
  const all = redactedHooks(combineHooks([...sources, leased]), opening.redactor);
  const combined = watch.hooks(withShortContext(all, saved));
  const hooks = watchingFiles(combined, (paths) => late.follower?.watchFiles(paths));
  const fireHook = hookFirer({ hooks, common: () => commonFields(opening, late.main), tell });
  const fileMatchers = () => [
    ...(settingsHooks.current?.declared ?? []).flatMap((hook) => fileMatcher(hook)),
    ...opening.extensions.fileMatchers,
  ];
  const loadFollower = () => import("../session/notices/follow-session.ts");
  const hasHooks = settingsHooks.current !== undefined || sources.length > 1;
  let following = hasHooks ? await loadFollower() : undefined;
  const followMain = () => {
    const { main } = late;
    if (!following || !main) return;
    late.follower?.watchNamed();
    if (late.follower) return;
    const follower = new following.SessionFollower({
      hooks,
      fire: fireHook,
      agents: opening.agents,
      workspace: main.workspace,
      instructions: main.instructions,
      clock: app.clock,
      fileMatchers,
    });
    closers.defer(() => follower.close());
    late.follower = follower;
  };
  return {
    hooks,
    settingsHooks,
    replaceHooks: async (declared) => {
      if (!(await settingsHooks.replace(declared)) || declared.length === 0) return;
      following ??= await loadFollower();
      followMain();
    },
    environment: variables.environment,
    changeVariables: (ofSettings) => variables.setSettings(ofSettings),
    fireHook,
    leaseHooks: async (declared, agentId) => {
      const { settingsHooks: make } = await import("./settings-hooks.ts");
      const { hookContents } = await import("./changed-hooks.ts");
      const { changesOf } = hookContents(declared, { root: place.project.root, own: place.own });
      const leasedPlace = { ...place, hooks: declared, changesOfHook: changesOf, approveHook: async () => false };
      const made = make({ ...opening, place: leasedPlace, variables, main: () => late.main });
      const end = leased.add(agentId === undefined ? made.hooks : hooksOfAgent(made.hooks, agentId));
      return () => {
        end();
        made.close();
      };
    },
    command: (command) => hookedCommand(command, fireHook),
    follow: (main) => {
      late.main = main;
      followMain();
    },
  };
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
function commonFields({ conversation, transcriptPath, place }: Opening, main: Agent | undefined): HookCommon {
  return hookFields({
    log: conversation.log,
    transcriptPath,
    agent: MAIN_AGENT,
    ...(main && { state: main.state }),
    permissions: main?.permissions ?? { mode: place.settings.defaultMode ?? "default" },
    cwd: () => (main?.workspace ?? place.workspace).cwd,
  });
}

/** The hooks of settings files, which change with the files. If there are no hooks, their code is not loaded. */
class ChangingHooks implements Hooks {
  readonly #parts: HookParts;
  #declared: readonly DeclaredHook[] = [];
  /** A background hook may still run after the settings have changed. */
  readonly #earlier: SettingsHooks[] = [];
  current: SettingsHooks | undefined;

  constructor(parts: HookParts) {
    this.#parts = parts;
  }

  /** @returns false if the hooks are the same. */
  async replace(declared: readonly DeclaredHook[]): Promise<boolean> {
    if (declared.length === 0 && this.#declared.length === 0) return false;
    if (isDeepStrictEqual(contentOf(declared), contentOf(this.#declared))) return false;
    this.#declared = declared;
    const make = declared.length > 0 ? await import("./settings-hooks.ts") : undefined;
    if (this.current) this.#earlier.push(this.current);
    this.current = make?.settingsHooks({ ...this.#parts, place: { ...this.#parts.place, hooks: declared } });
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

/** Wraps a slash command: hooks are asked about a prompt that it makes, and may refuse the prompt or add text. */
function hookedCommand(command: Command, fire: FireHook): Command {
  return {
    ...command,
    run: async (argument, context, signal) => {
      const result = await command.run(argument, context, signal);
      const { prompt } = { prompt: undefined, ...result };
      if ((result.kind !== "prompt" && result.kind !== "operation") || prompt === undefined) return result;
      const said = await expanded({ command, argument, prompt }, fire, signal);
      if ("refusal" in said) return { kind: "text", lines: [said.refusal] };
      return said.context === undefined ? result : withContext(result, prompt, said.context);
    },
  };
}

type Expansion = { readonly command: Command; readonly argument: string; readonly prompt: string };
type Said = { readonly refusal: string } | { readonly context: string | undefined };

async function expanded(
  { command: { name }, argument, prompt }: Expansion,
  fire: FireHook,
  signal: AbortSignal,
): Promise<Said> {
  const kind = name.startsWith("mcp__") ? "mcp_prompt" : "slash_command";
  const said = await fire({ event: "UserPromptExpansion", kind, command: name, arguments: argument, prompt }, signal);
  const refusal = said.block ?? said.stop;
  if (refusal) return { refusal: `A hook refused /${name}: ${refusal.reason}` };
  return { context: said.additionalContext };
}

type Asking = Extract<CommandResult, { readonly kind: "prompt" | "operation" }>;

function withContext(result: Asking, prompt: string, context: string): CommandResult {
  if (result.kind === "prompt") return { ...result, prompt: `${prompt}\n\n${context}` };
  return { ...result, run: (report, signal) => result.run(report, signal, context) };
}
