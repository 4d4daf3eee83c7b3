import { oneLine } from "@quoll/terminal-text/one-line";
import type { Skill } from "../../contracts/skill.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import { skillHooks } from "./skill-hooks.ts";

const MAX_COLUMNS = 500;

export type SkillHookEnvironment = Pick<ProjectEnvironment, "plugins" | "own" | "hasManagedHooksOnly">;
type RunningHooks = ReturnType<typeof skillHooks>;

const NO_HOOKS: RunningHooks = { hooks: [], problems: [] };

/** The hooks of a skill that may run. Hooks of an installed plugin must be unchanged since the person approved them. */
export async function runningSkillHooks(skill: Skill, environment: SkillHookEnvironment): Promise<RunningHooks> {
  if (environment.hasManagedHooksOnly) return NO_HOOKS;
  if (skill.origin !== "plugin") return skillHooks(skill);
  const plugin = environment.plugins.find(({ name }) => name === skill.plugin);
  if (!plugin) return NO_HOOKS;
  const [{ isInstalled }, { idOf, readPluginStore }, { pluginSkillHooks }] = await Promise.all([
    import("../plugins/plugin-folders.ts"),
    import("../plugins/plugin-store.ts"),
    import("../plugins/plugin-skill-hooks.ts"),
  ]);
  if (isInstalled(plugin, environment.own)) {
    const { plugins } = await readPluginStore(environment.own);
    const approved = plugins.find((one) => idOf(one) === plugin.id)?.skillHooks;
    if (approved !== (await pluginSkillHooks(plugin))) {
      const why = `hooks in the skills of the plugin ${plugin.id} have changed since you approved it`;
      const text = `/${skill.name} continues without its hooks: ${why}. quoll plugin install ${plugin.id} shows them.`;
      return { hooks: [], problems: [oneLine(text, MAX_COLUMNS)] };
    }
  }
  return skillHooks(skill, plugin);
}
