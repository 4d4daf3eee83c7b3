import { MAIN_AGENT } from "../../contracts/agent.ts";
import type { Command } from "../../contracts/command.ts";
import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import type { FireHook, HookCommon, Hooks } from "../../contracts/hook.ts";
import { hookFields } from "../../engine/ask-hooks.ts";
import { combineHooks } from "../../services/hooks/combine-hooks.ts";
import { withShortContext } from "../../services/hooks/long-context.ts";
import type { AgentParts } from "../agent/agent-parts.ts";
import type { Agent } from "../agent/open-agent.ts";
import type { Closers } from "../closers.ts";
import { hookFirer } from "./fire-hook.ts";
import type { SessionFollower } from "./follow-session.ts";
import { hookedCommand } from "./hooked-command.ts";
import { redactedHooks } from "./redacted-hooks.ts";
import { SessionVariables } from "./session-variables.ts";
import type { HookParts, SettingsHooks } from "./settings-hooks.ts";

type Opening = Omit<HookParts, "main" | "variables"> &
  Pick<AgentParts, "conversation" | "transcriptPath" | "agents"> & {
    readonly closers: Closers;
    /** The hooks of the program that drives the session. */
    readonly given: Hooks | undefined;
  };

/** The hooks of a session, of all sources. */
export type SessionHooks = {
  readonly hooks: Hooks;
  /** The hooks of settings files; undefined without any. */
  readonly settingsHooks: SettingsHooks | undefined;
  /** The variables that commands inherit; hooks can add some. */
  readonly environment: SessionVariables["environment"];
  readonly fireHook: FireHook;
  /** Puts hooks in force for a while. @returns the function that ends it. */
  lendHooks(declared: readonly DeclaredHook[]): Promise<() => void>;
  /** The same slash command; hooks hear of the prompt that it makes. */
  command(command: Command): Command;
  /** From now on, hooks hear of the session's events. */
  follow(main: Agent): void;
};

/** Opens the hooks of a session. Without hooks in settings, their code is not loaded. */
export async function openHooks(opening: Opening): Promise<SessionHooks> {
  const { app, place, artifacts, watch, closers, given, tell } = opening;
  const late: { main?: Agent; follower?: SessionFollower } = {};
  const variables = new SessionVariables(place.env, place.settings.env);
  const settingsHooks = await ofSettings({ ...opening, variables, main: () => late.main });
  closers.defer(() => settingsHooks?.close());
  const sources = [settingsHooks?.hooks, given].filter((one) => one !== undefined);
  const saved = (text: string) => artifacts.save(`hook-context-${app.ids.next()}.txt`, text);
  const lent = new LentHooks();
  const all = redactedHooks(combineHooks([...sources, lent]), opening.redactor);
  const combined = watch.hooks(withShortContext(all, saved));
  const hooks = watchingFiles(combined, (paths) => late.follower?.watchFiles(paths));
  const fireHook = hookFirer({ hooks, common: () => commonFields(opening, late.main), tell });
  const following = sources.length > 0 ? await import("./follow-session.ts") : undefined;
  return {
    hooks,
    settingsHooks,
    environment: variables.environment,
    fireHook,
    lendHooks: async (declared) => {
      const { settingsHooks: make } = await import("./settings-hooks.ts");
      const isHookChanged = await changeCheck(declared, place.project.root);
      const lentPlace = { ...place, hooks: declared, isHookChanged };
      const made = make({ ...opening, place: lentPlace, variables, main: () => late.main });
      const end = lent.add(made.hooks);
      return () => {
        end();
        made.close();
      };
    },
    command: (command) => (sources.length === 0 ? command : hookedCommand(command, fireHook)),
    follow: (main) => {
      late.main = main;
      if (!following) return;
      const follower = new following.SessionFollower({
        ...{ hooks, fire: fireHook, agents: opening.agents, workspace: main.workspace },
        ...{ instructions: main.instructions, clock: app.clock },
        fileMatchers: place.hooks.flatMap(({ event, matcher }) => (event === "FileChanged" ? (matcher ?? []) : [])),
      });
      closers.defer(() => follower.close());
      late.follower = follower;
    },
  };
}

/** Compares a project's hooks with their content now. @returns true for a hook that names a file that has changed since. */
async function changeCheck(declared: readonly DeclaredHook[], root: string): Promise<(hook: DeclaredHook) => boolean> {
  const { hookApprovables } = await import("../../services/trust/hook-approvables.ts");
  const contentOf = (hook: DeclaredHook) => hookApprovables([hook], root)[0]?.content;
  const ofProject = declared.filter(({ layer }) => layer === "project");
  const before = new Map(ofProject.map((hook) => [hook, contentOf(hook)]));
  return (hook) => before.has(hook) && before.get(hook) !== contentOf(hook);
}

/** Hooks of skills in use. */
class LentHooks implements Hooks {
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

async function ofSettings(parts: HookParts): Promise<SettingsHooks | undefined> {
  if (parts.place.hooks.length === 0) return undefined;
  const { settingsHooks } = await import("./settings-hooks.ts");
  return settingsHooks(parts);
}

/** Notes the files for whose changes hooks ask. */
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
    ...{ log: conversation.log, transcriptPath, agent: MAIN_AGENT, ...(main && { state: main.state }) },
    permissions: main?.permissions ?? { mode: place.settings.defaultMode ?? "default" },
    cwd: () => (main?.workspace ?? place.workspace).cwd,
  });
}
