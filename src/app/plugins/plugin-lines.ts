import type { Plugin } from "../../contracts/plugin.ts";
import type { FetchedPlugin } from "./fetch-plugin.ts";
import type { WantedPlugin } from "./marketplaces.ts";
import type { PluginEffects } from "./plugin-effects.ts";
import type { InstalledPlugin } from "./plugin-store.ts";

const COMMIT_CHARS = 12;

/** The lines that a person reads before they install a plugin. */
export function installLines(
  { plugin, commit }: Pick<FetchedPlugin, "plugin" | "commit">,
  effects: PluginEffects,
  { source }: Pick<WantedPlugin, "source">,
): readonly string[] {
  const { description } = plugin;
  return [
    `${titleOf(plugin)} from ${source}${commitText(commit)}`,
    ...(description === undefined ? [] : [`  ${description}`]),
    ...effectLines(effects),
  ];
}

/** Describes a plugin's parts, effects and token costs. */
export function effectLines({ adds, mayDo, remarks, listTokens }: PluginEffects): readonly string[] {
  return [
    ...section("It adds:", adds.length > 0 ? adds : ["nothing"]),
    ...section("It may do, without a question each time:", mayDo.length > 0 ? mayDo : ["nothing of its own"]),
    ...section("Remarks:", remarks),
    ...(listTokens > 0 ? [`Its skills take about ${listTokens} tokens of each request.`] : []),
  ];
}

type Update = { readonly installed: InstalledPlugin; readonly old: Plugin; readonly fetched: FetchedPlugin };

/** The difference between an installed plugin and its newest files. */
export function updateLines(
  { installed, old, fetched }: Update,
  effects: { readonly old: PluginEffects; readonly new: PluginEffects },
): readonly string[] {
  const changed = [
    ...difference(effects.old.adds, effects.new.adds),
    ...difference(effects.old.mayDo, effects.new.mayDo),
  ];
  return [
    `${titleOf(old)}${commitText(installed.commit)} → ${fetched.plugin.version ?? "new files"}${commitText(fetched.commit)}`,
    ...(changed.length > 0
      ? section("Its parts and permissions change:", changed)
      : ["  It adds the same parts and may do the same; the content of its files has changed."]),
    ...section("Remarks:", effects.new.remarks),
  ];
}

function titleOf({ id, version }: Plugin): string {
  return version === undefined ? id : `${id} ${version}`;
}

function commitText(commit: string | undefined): string {
  return commit === undefined ? "" : `, commit ${commit.slice(0, COMMIT_CHARS)}`;
}

function difference(before: readonly string[], after: readonly string[]): readonly string[] {
  return [
    ...before.filter((line) => !after.includes(line)).map((line) => `- ${line}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
  ];
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}
