import type { Approvable } from "../../contracts/approval.ts";
import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import type { Plugin } from "../../contracts/plugin.ts";
import type { Skill } from "../../contracts/skill.ts";
import { sha256 } from "../../platform/digest.ts";
import { SkillSet } from "../../services/skills/skill-set.ts";
import { hookApprovables } from "../../services/trust/hook-approvables.ts";
import { pluginFolders, SKILL_FOLDERS } from "../content-folders.ts";
import { skillHooks } from "../hooks/skill-hooks.ts";
import { pluginSkillItem } from "../skills/skill-permissions.ts";

/** The skills of a plugin, as currently on the disk. */
export async function skillsOfPlugin(plugin: Plugin): Promise<SkillSet> {
  const set = new SkillSet(() => pluginFolders(plugin, SKILL_FOLDERS));
  await set.refresh();
  return set;
}

/** The hooks in the skills of a plugin. */
export function hooksOfSkills(
  skills: readonly Skill[],
  plugin: Plugin,
): readonly { readonly skill: Skill; readonly hook: DeclaredHook }[] {
  return skills.flatMap((skill) =>
    skill.hooks === undefined ? [] : skillHooks(skill, plugin).hooks.map((hook) => ({ skill, hook })),
  );
}

/** The skills of a plugin that run commands or loosen rules, as items to approve. */
export async function pluginSkillItems(plugin: Plugin): Promise<readonly Approvable[]> {
  const { skills } = await skillsOfPlugin(plugin);
  const items = await Promise.all(skills.map((skill) => pluginSkillItem(skill, plugin)));
  return items.filter((item) => item !== undefined && item !== "unchecked");
}

/** The hash of the hooks in a plugin's skills, and of the files that they name, as currently on the disk. */
export async function pluginSkillHooks(plugin: Plugin): Promise<string> {
  const { skills } = await skillsOfPlugin(plugin);
  const contents = hooksOfSkills(skills, plugin).map(({ skill, hook }) => [
    skill.name,
    hookApprovables([hook], plugin.root)[0]?.content,
  ]);
  return sha256(JSON.stringify(contents.sort()));
}
