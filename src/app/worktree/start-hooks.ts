import type { FireHook } from "../../contracts/hook.ts";
import { childEnvironment } from "../../platform/processes/child-environment.ts";
import { findShell } from "../../platform/processes/shell-program.ts";
import { runCommandHook } from "../../services/hooks/command-hook.ts";
import { runHttpHook } from "../../services/hooks/http-hook.ts";
import { registeredHook } from "../../services/hooks/registered-hook.ts";
import { HookRunner } from "../../services/hooks/run-hooks.ts";
import { hookFirer } from "../hooks/fire-hook.ts";
import { hookProcesses } from "../hooks/hook-processes.ts";
import type { App } from "../open-app.ts";
import { sessionOrphans } from "../session/open-orphan-watch.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";

const EVENTS: readonly string[] = ["WorktreeCreate", "WorktreeRemove"];

export type StartHooks = { readonly fire: FireHook; close(): Promise<void> };

/** The hooks of worktrees outside a session: commands and HTTP requests. The other kinds need a session. */
export function startHooks(app: App, environment: ProjectEnvironment, notify: (line: string) => void): StartHooks {
  const { env, settings, project, workspace } = environment;
  const orphans = sessionOrphans(app);
  const variables = { ...env, ...settings.env };
  const path = variables["PATH"] ?? "";
  const ports = {
    projectRoot: project.root,
    environment: async (tag: string) => childEnvironment(variables, { path, tag, pass: settings.passedVariables }),
    processes: hookProcesses(orphans, app.clock),
    shell: () => findShell(path, (file) => !workspace.contains(file)),
  };
  const wanted = environment.hooks.filter(({ event }) => EVENTS.includes(event));
  const usable = wanted.filter(({ hook: { type } }) => type === "command" || type === "http");
  for (const { event, hook } of wanted.filter((one) => !usable.includes(one)))
    notify(`A hook of the kind ${hook.type} does not run at ${event} before a session has begun.`);
  const runner = new HookRunner(app.clock, {});
  runner.register(
    usable.map((declared) =>
      registeredHook(declared, async ({ hook }, input, signal, watch) => {
        if (environment.changesOfHook(declared))
          throw new Error("a file that it names has changed since you approved it, so it did not run");
        return hook.type === "http"
          ? runHttpHook(hook, input, { fetch: globalThis.fetch, environment: env }, signal)
          : runCommandHook(declared, input, ports, signal, watch);
      }),
    ),
  );
  const mode = settings.defaultMode ?? "default";
  const common = () => ({ sessionId: "", transcriptPath: "", cwd: workspace.cwd, mode });
  return {
    fire: hookFirer({ hooks: runner, common, notify }),
    close: async () => {
      runner.close();
      await orphans.close();
    },
  };
}
