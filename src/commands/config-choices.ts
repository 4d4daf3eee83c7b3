import { type Choice, choiceInUse } from "../contracts/command-result.ts";
import type { SettingScope } from "../contracts/setting-sources.ts";
import type { SettingRow, SettingsView } from "../contracts/settings-view.ts";

const DEFAULT = "default";

/** A command line of `/config`; the user's own file needs no scope. */
export function configInput(scope: SettingScope, ...words: readonly string[]): string {
  return ["/config", ...(scope === "user" ? [] : ["--scope", scope]), ...words].join(" ");
}

/** A value as a person types it: texts without quotes. */
export function plainValue(json: string): string {
  return json.startsWith('"') ? String(JSON.parse(json)) : json;
}

/**
 * A row for one setting in the list of all settings. Enter switches a boolean that has a value, and opens every other
 * setting.
 */
export function settingChoice(row: SettingRow, scope: SettingScope, files: SettingsView["files"]): Choice {
  const { key, value, source } = row;
  const shown = value === undefined ? DEFAULT : value;
  const switched = value === "true" ? "false" : value === "false" ? "true" : undefined;
  const isSwitch = switched !== undefined && row.values.includes(switched);
  return {
    label: key,
    detail: source === undefined ? shown : `${shown} · ${source}`,
    brief: shown,
    input: configInput(scope, key, ...(isSwitch ? [switched] : [])),
    also: { r: configInput(resetScope(row, scope), key, "--unset") },
    about: aboutSetting(row, files[scope]),
  };
}

/** @param name The key, where the row shows a name in words. */
export function aboutSetting(row: SettingRow, file: string, name?: string): readonly string[] {
  const { type, source, overridden, isLive } = row;
  const description = descriptionOf(row);
  const others = overridden.length === 0 ? "" : `, not ${overridden.join(", ")}`;
  const facts = [...(name === undefined ? [] : [name]), type, `acts at ${isLive ? "once" : "the next start"}`];
  return [
    ...(description === "" ? [] : [`${description}.`]),
    facts.join(" · "),
    `changes go to ${file}`,
    ...(source === undefined ? [] : [`set in ${source}${others}`]),
  ];
}

/** The description without the links to pages of the guide: ` ([plugins](../plugins.md))`. */
export function descriptionOf({ description }: Pick<SettingRow, "description">): string {
  return description.replace(/ ?\(\[[^\]]+\]\([^)]+\)\)/g, "").replace(/\[([^\]]+)\]\([^)]+\)/g, "$1");
}

/**
 * A value is removed from the person's file that contains it; from the shared file only if the person chose that file.
 */
function resetScope({ scope: of }: SettingRow, scope: SettingScope): SettingScope {
  return of === undefined || (of === "project" && scope !== "project") ? scope : of;
}

/** The values of a setting that has few values, and the default. */
export function valueChoices(row: SettingRow, scope: SettingScope): readonly Choice[] {
  if (row.values.length === 0) return [];
  const current = row.value === undefined ? DEFAULT : plainValue(row.value);
  const inputs = row.values.map((value) => [value, configInput(scope, row.key, value)] as const);
  const unset = [DEFAULT, configInput(resetScope(row, scope), row.key, "--unset")] as const;
  return [...inputs, unset].map(([label, input]) => ({
    ...choiceInUse(label, input, current),
    about: [`${descriptionOf(row)}.`],
  }));
}

/** The items of a list setting: Enter removes an item that the person added. */
export function itemChoices(row: SettingRow, scope: SettingScope): readonly Choice[] {
  const { key, items = [] } = row;
  const description = descriptionOf(row);
  const about = description === "" ? {} : { about: [`${description}.`] };
  const own = items.map(({ value, source, scope: of }) => ({
    label: plainValue(value),
    detail: of === undefined ? `read-only · ${source}` : `enter removes the value · ${source}`,
    brief: of === undefined ? "read-only" : "enter removes",
    input: of === undefined ? configInput(scope, key) : configInput(of, key, "--remove", plainValue(value)),
    ...about,
  }));
  return [{ label: "add a value …", detail: "", input: configInput(scope, key, "--add"), ...about }, ...own];
}
