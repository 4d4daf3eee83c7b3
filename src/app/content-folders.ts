import { dirname, join } from "node:path";
import type { ContentFolder, ContentFormat } from "../contracts/content-folder.ts";
import type { Plugin, PluginPath } from "../contracts/plugin.ts";
import type { ProjectConfig } from "../contracts/session-config.ts";
import type { SkillFormat } from "../contracts/skill.ts";
import type { Directories } from "../platform/directories.ts";
import type { Environment } from "../platform/env.ts";
import { entryExists } from "../platform/paths.ts";

/** A folder by its path below another one, and the form of its files. */
type Named<Format extends ContentFormat> = readonly [format: Format, name: string];

/** Where the files of one kind lie; each list has the highest precedence first. */
type ContentNames<Format extends ContentFormat> = {
  readonly order: readonly ContentFolder["origin"][];
  /** Below Quoll's own folder of settings, `$HOME`, or the folders of Claude Code and Codex. */
  readonly user: readonly (readonly [format: Format, home: "config" | "home" | "claude" | "codex", name: string])[];
  /** Below the working folder and each folder above it in the project. In each of these groups, the nearest is first. */
  readonly project: readonly (readonly Named<Format>[])[];
  /** True if only the project root has such folders. */
  readonly isOfRootOnly?: true;
  plugin(plugin: Plugin): readonly (readonly [format: Format, paths: readonly PluginPath[]])[];
  /** True if the folders of an untrusted project are left out. */
  readonly needsTrust: boolean;
};

const PROJECT_SKILLS = inForm(
  "skill",
  ...[".quoll/skills", ".agents/skills", ".claude/skills", ".opencode/skills", ".opencode/skill"],
);

/** Skills and commands. Without an approval, a skill of the project runs nothing and allows nothing. */
export const SKILL_FOLDERS: ContentNames<SkillFormat> = {
  order: ["user", "project", "plugin"],
  user: [
    ["skill", "config", "skills"],
    ["skill", "home", ".agents/skills"],
    ["skill", "claude", "skills"],
    ["command", "config", "commands"],
    ["command", "claude", "commands"],
    ["prompt", "home", ".config/opencode/commands"],
    ["prompt", "home", ".config/opencode/command"],
    ["toml", "home", ".gemini/commands"],
    ["toml", "home", ".qwen/commands"],
    ["prompt", "codex", "prompts"],
  ],
  project: [
    PROJECT_SKILLS,
    [
      ...inForm("command", ".quoll/commands", ".claude/commands"),
      ...inForm("prompt", ".opencode/commands", ".opencode/command"),
      ...inForm("toml", ".gemini/commands", ".qwen/commands"),
    ],
  ],
  plugin: ({ skills, commands }) => [
    ["skill", skills],
    ["command", commands],
  ],
  needsTrust: false,
};

/** Definitions of agents. */
export const AGENT_FOLDERS: ContentNames<"agent"> = {
  order: ["project", "user", "plugin"],
  user: [
    ["agent", "config", "agents"],
    ["agent", "claude", "agents"],
  ],
  project: [inForm("agent", ".quoll/agents", ".claude/agents")],
  plugin: ({ agentFiles }) => [["agent", agentFiles]],
  needsTrust: true,
};

/** Extensions. The person's own are first: of two tools with the same name, the first is used. */
export const EXTENSION_FOLDERS: ContentNames<"extension"> = {
  order: ["user", "project", "plugin"],
  user: [["extension", "config", "extensions"]],
  project: [inForm("extension", ".quoll/extensions")],
  isOfRootOnly: true,
  plugin: ({ root }) => [["extension", [{ folder: join(root, "extensions") }]]],
  needsTrust: true,
};

/** Output styles, which become a part of the system prompt. */
export const STYLE_FOLDERS: ContentNames<"style"> = {
  order: ["project", "user", "plugin"],
  user: [
    ["style", "home", ".quoll/output-styles"],
    ["style", "claude", "output-styles"],
  ],
  project: [inForm("style", ".quoll/output-styles", ".claude/output-styles")],
  isOfRootOnly: true,
  plugin: ({ styles }) => [["style", styles]],
  needsTrust: true,
};

type Config = Pick<ProjectConfig, "isBare" | "settingSources">;
export type ContentSources = {
  readonly env: Environment;
  readonly own: Pick<Directories, "config" | "home">;
  readonly project: ProjectFolders;
  readonly plugins: readonly Plugin[];
  readonly isTrusted: boolean;
};
type ProjectFolders = { readonly cwd: string; readonly root: string };

function inForm<Format extends ContentFormat>(format: Format, ...names: readonly string[]): readonly Named<Format>[] {
  return names.map((name) => [format, name]);
}

/** True if a session uses files of the person, or of the project. */
export function readsContent({ isBare, settingSources }: Config, source: "user" | "project"): boolean {
  return !isBare && (settingSources?.includes(source) ?? true);
}

/** The existing folders of one kind of files in a session, highest precedence first. */
export function contentFolders<Format extends ContentFormat>(
  config: Config,
  { env, own, project, plugins, isTrusted }: ContentSources,
  names: ContentNames<Format>,
): readonly ContentFolder<Format>[] {
  if (config.isBare) return [];
  const homes = {
    ...own,
    claude: env["CLAUDE_CONFIG_DIR"] || join(own.home, ".claude"),
    codex: env["CODEX_HOME"] || join(own.home, ".codex"),
  };
  const ofUser = (): readonly ContentFolder<Format>[] =>
    names.user.map(([format, home, name]) => ({ folder: join(homes[home], name), format, origin: "user" }));
  const isUsed = isTrusted || !names.needsTrust;
  const found = {
    user: () => (readsContent(config, "user") ? ofUser().filter(({ folder }) => entryExists(folder)) : []),
    project: () => (readsContent(config, "project") && isUsed ? projectFolders(project, names) : []),
    plugin: () => plugins.flatMap((plugin) => pluginFolders(plugin, names)),
  };
  return names.order.flatMap((origin) => found[origin]());
}

/** The existing folders of a project that apply to its working folder, whether the project is trusted or not. */
export function projectFolders<Format extends ContentFormat>(
  { cwd, root }: ProjectFolders,
  names: Pick<ContentNames<Format>, "project" | "isOfRootOnly">,
): readonly ContentFolder<Format>[] {
  const places = names.isOfRootOnly ? [root] : foldersUpTo(cwd, root);
  return names.project.flatMap((group) => places.flatMap((at) => foldersAt(at, root, group)));
}

/** The existing skill folders directly below a folder of a project. */
export function skillFoldersAt(folder: string, root: string): readonly ContentFolder<SkillFormat>[] {
  return foldersAt(folder, root, PROJECT_SKILLS);
}

/** The folders of one plugin. */
export function pluginFolders<Format extends ContentFormat>(
  plugin: Plugin,
  names: Pick<ContentNames<Format>, "plugin">,
): readonly ContentFolder<Format>[] {
  const about = { origin: "plugin", plugin: plugin.name, within: plugin.root } as const;
  return names
    .plugin(plugin)
    .flatMap(([format, paths]) => paths.map((path) => ({ ...path, ...about, format })))
    .filter(({ folder }) => entryExists(folder));
}

function foldersAt<Format extends ContentFormat>(
  at: string,
  root: string,
  group: readonly Named<Format>[],
): readonly ContentFolder<Format>[] {
  return group
    .map(([format, name]) => ({ folder: join(at, name), format, origin: "project" as const, within: root }))
    .filter(({ folder }) => entryExists(folder));
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
