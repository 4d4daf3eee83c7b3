import { relative } from "node:path";
import { oneLine, revealedLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import type { Approvable } from "../../contracts/approval.ts";
import type { Plugin } from "../../contracts/plugin.ts";
import type { Skill } from "../../contracts/skill.ts";
import { CHARS_PER_TOKEN } from "../../contracts/token-estimate.ts";
import { namedFew } from "../../contracts/words.ts";
import { findExtensions } from "../../services/extensions/find-extensions.ts";
import { markdownNames } from "../../services/plugins/read-plugin.ts";
import { hookApprovables, hookEffect } from "../../services/trust/hook-approvables.ts";
import { serverApprovable } from "../../services/trust/server-approvable.ts";
import { effectLine } from "../../services/trust/shown-effects.ts";
import { EXTENSION_FOLDERS, pluginFolders } from "../content-folders.ts";
import { permissionLines } from "../skills/skill-permissions.ts";
import { hooksOfSkills, skillsOfPlugin } from "./plugin-skill-hooks.ts";

const MAX_COLUMNS = 600;
const OWN_FOLDER = /\$\{(?:CLAUDE|QUOLL)_PLUGIN_(ROOT|DATA)\}/g;
/** Names in one line. */
const MAX_NAMED = 30;

/** The parts and the effects of a plugin; every line is safe to print. */
export type PluginEffects = {
  /** One line for each kind of part. */
  readonly adds: readonly string[];
  /** Programs that the plugin starts, addresses that it uses, and calls that it allows. */
  readonly mayDo: readonly string[];
  /** Parts that have no effect, and parts that can't be used. */
  readonly remarks: readonly string[];
  /**
   * Estimated tokens that each request carries for the plugin's skills; the tools of its servers are counted when the
   * servers run.
   */
  readonly listTokens: number;
};

export async function pluginEffects(plugin: Plugin): Promise<PluginEffects> {
  const { hooks, servers, root, unsupported, problems } = plugin;
  const set = await skillsOfPlugin(plugin);
  const ofSkills = set.skills.filter(({ format }) => format === "skill");
  const ofCommands = set.skills.filter(({ format }) => format !== "skill");
  const folders = pluginFolders(plugin, EXTENSION_FOLDERS);
  const extensions = folders.flatMap(({ folder, within }) => findExtensions(folder, within).files);
  const adds = [
    ...named("skills", ofSkills.map(slashName)),
    ...named("commands", ofCommands.map(slashName)),
    ...(hooks.length > 0 ? [plural(hooks.length, "hook")] : []),
    ...named("MCP servers", Object.keys(servers)),
    ...named("output styles", markdownNames(plugin.styles)),
    ...named(
      "extensions",
      extensions.map(({ name }) => name),
    ),
    ...named("agents", plugin.agents),
  ];
  const permissions = await Promise.all(set.skills.map((skill) => permissionLines(skill, root)));
  const mayDo = [
    ...hookApprovables(hooks, root).flatMap(({ lines }) => lines),
    ...Object.entries(servers).flatMap(
      ([name, entry]) => serverApprovable({ name, entry: shownEntry(entry), file: "the plugin" }, root).lines,
    ),
    ...permissions.flat(),
    ...hooksOfSkills(set.skills, plugin).map(
      ({ skill, hook }) => `${hookEffect(hook)}, while /${skill.name} is in use (${relative(root, skill.file)})`,
    ),
    ...extensions.map(
      ({ file }) => `runs ${relative(root, file)} inside Quoll, where its code can do everything that you can`,
    ),
  ];
  const remarks = [
    ...(unsupported.length > 0 ? [`Quoll does not support yet: ${unsupported.join(", ")}`] : []),
    ...[...problems, ...set.warnings.map(({ line }) => line)].map((line) => `can't be used: ${line}`),
  ];
  const listed = set.skills.filter(({ isForModel, paths }) => isForModel && paths.length === 0);
  const chars = listed.reduce(
    (sum, { name, description, whenToUse = "" }) => sum + name.length + description.length + whenToUse.length,
    0,
  );
  const shown = (lines: readonly string[]) => lines.map((line) => revealedLine(line, MAX_COLUMNS));
  return {
    adds: shown(adds),
    mayDo: mayDo.map(effectLine),
    remarks: shown(remarks),
    listTokens: Math.ceil(chars / CHARS_PER_TOKEN),
  };
}

/** The entry of a server, with short names for the plugin's own folders. */
function shownEntry(entry: unknown): unknown {
  return JSON.parse(
    JSON.stringify(entry ?? null).replace(OWN_FOLDER, (_, name: string) => (name === "ROOT" ? "<plugin>" : "<data>")),
  );
}

/** A plugin as the item that a person approves. @param tree The hash of the plugin's files. */
export function pluginApprovable(id: string, tree: string, lines: readonly string[] = []): Approvable {
  return { kind: "plugin", name: id, content: tree, lines };
}

function slashName({ name }: Skill): string {
  return `/${name}`;
}

function named(what: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const shown = names.map((name) => oneLine(name, 100));
  return [`${what}: ${namedFew(shown, MAX_NAMED)}`];
}
