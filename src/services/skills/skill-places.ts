import { dirname, join } from "node:path";
import type { Plugin, PluginPath } from "../../contracts/plugin.ts";
import type { SkillFormat, SkillOrigin } from "../../contracts/skill.ts";

/** A folder that may hold skills. */
export type SkillPlace = {
  readonly folder: string;
  readonly origin: SkillOrigin;
  /** The plugin's name, which is put before the names of its skills. */
  readonly plugin?: string;
  readonly format: SkillFormat;
  /** The folder that must contain the files, links resolved; absent for the user's own files. */
  readonly within?: string;
  /** If set, only this entry of the folder is read. */
  readonly only?: string;
};

export type SkillHomes = {
  /** `$HOME`. */
  readonly home: string;
  /** Quoll's own folder of settings. */
  readonly config: string;
  /** `CLAUDE_CONFIG_DIR` and `CODEX_HOME`, if they are set. */
  readonly claude?: string | undefined;
  readonly codex?: string | undefined;
};

/** The user's folders, highest precedence first. */
export function userPlaces({ home, config, claude, codex }: SkillHomes): readonly SkillPlace[] {
  const claudeHome = claude || join(home, ".claude");
  const place = (format: SkillFormat, folder: string): SkillPlace => ({ folder, origin: "user", format });
  return [
    place("skill", join(config, "skills")),
    place("skill", join(home, ".agents/skills")),
    place("skill", join(claudeHome, "skills")),
    place("command", join(config, "commands")),
    place("command", join(claudeHome, "commands")),
    place("prompt", join(home, ".config/opencode/commands")),
    place("prompt", join(home, ".config/opencode/command")),
    place("toml", join(home, ".gemini/commands")),
    place("toml", join(home, ".qwen/commands")),
    place("prompt", join(codex || join(home, ".codex"), "prompts")),
  ];
}

/** The folders of a project that apply to a working folder, the nearest first. */
export function projectPlaces(cwd: string, projectRoot: string): readonly SkillPlace[] {
  const folders = foldersUpTo(cwd, projectRoot);
  return [
    ...folders.flatMap((at) => skillsAt(at, projectRoot)),
    ...folders.flatMap((at) => commandsAt(at, projectRoot)),
  ];
}

/** The folders of a plugin. */
export function pluginPlaces({ name, root, skills, commands }: Plugin): readonly SkillPlace[] {
  const place = (format: SkillFormat, path: PluginPath): SkillPlace => ({
    ...path,
    origin: "plugin",
    plugin: name,
    format,
    within: root,
  });
  return [...skills.map((path) => place("skill", path)), ...commands.map((path) => place("command", path))];
}

/** The skill folders directly below a folder of a project. */
export function skillsAt(folder: string, projectRoot: string): readonly SkillPlace[] {
  return [".quoll/skills", ".agents/skills", ".claude/skills", ".opencode/skills", ".opencode/skill"].map((name) => ({
    folder: join(folder, name),
    origin: "project",
    format: "skill",
    within: projectRoot,
  }));
}

function commandsAt(folder: string, projectRoot: string): readonly SkillPlace[] {
  const place = (format: SkillFormat, name: string): SkillPlace => ({
    folder: join(folder, name),
    origin: "project",
    format,
    within: projectRoot,
  });
  return [
    place("command", ".quoll/commands"),
    place("command", ".claude/commands"),
    place("prompt", ".opencode/commands"),
    place("prompt", ".opencode/command"),
    place("toml", ".gemini/commands"),
    place("toml", ".qwen/commands"),
  ];
}

/** The folder and its parents up to `root`; only the folder if it is not inside `root`. */
export function foldersUpTo(folder: string, root: string): readonly string[] {
  const folders = [folder];
  for (let at = folder; at !== root; ) {
    const above = dirname(at);
    if (above === at) return [folder];
    folders.push(above);
    at = above;
  }
  return folders;
}
