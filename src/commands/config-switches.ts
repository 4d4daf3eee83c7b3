import type { Choice } from "../contracts/command-result.ts";
import type { SettingScope } from "../contracts/setting-sources.ts";
import type { SettingRow, SettingsView } from "../contracts/settings-view.ts";
import { aboutSetting, configInput, plainValue, settingChoice } from "./config-choices.ts";

/** A setting that people look for, with a name in words. */
export type NamedSetting = {
  readonly key: string;
  readonly name: string;
  /** The value that applies if none is set, as JSON, or words for it. */
  readonly byDefault: string;
  /** Enter opens the values and switches nothing, because a switch could lose work. */
  readonly isAsked?: true;
  /** The words for some values. */
  readonly words?: Readonly<Record<string, string>>;
};

const ON_OFF: Readonly<Record<string, string>> = { true: "on", false: "off" };

/** The first rows of `/config`, in their order. A test compares the defaults with the texts of the settings. */
// biome-ignore format: a table with one setting a line
export const NAMED_SETTINGS: readonly NamedSetting[] = [
  { key: "model", name: "Model at the start", byDefault: "chosen by the provider" },
  { key: "permissions.defaultMode", name: "Permission mode at the start", byDefault: "default" },
  { key: "outputStyle", name: "Output style", byDefault: "default" },
  { key: "language", name: "Language of the answers", byDefault: "yours" },
  { key: "terminal.theme", name: "Theme", byDefault: "auto" },
  { key: "terminal.editorMode", name: "Vim keys", byDefault: "plain", words: { plain: "off", vim: "on" } },
  { key: "terminal.reducedMotion", name: "Reduced motion", byDefault: "false" },
  { key: "terminal.screen", name: "Screen", byDefault: "auto" },
  { key: "terminal.diff", name: "Changes side by side", byDefault: "auto" },
  { key: "terminal.notifications", name: "Desktop notifications", byDefault: "auto" },
  { key: "terminal.bell", name: "Bell", byDefault: "unless notifications are off" },
  { key: "terminal.title", name: "State in the window title", byDefault: "true" },
  { key: "terminal.images", name: "Images", byDefault: "auto" },
  { key: "terminal.mouse", name: "Mouse wheel on a full screen", byDefault: "true" },
  { key: "terminal.ghostText", name: "Earlier prompts as suggestions", byDefault: "true" },
  { key: "terminal.tips", name: "Tips in long turns", byDefault: "true" },
  { key: "terminal.respondToShell", name: "Answer !commands at once", byDefault: "false" },
  { key: "compaction.auto", name: "Automatic compaction", byDefault: "true" },
  { key: "compaction.idle", name: "Compact a resting conversation", byDefault: "false" },
  { key: "memory.enabled", name: "Notes about projects", byDefault: "true" },
  { key: "recall.otherSessions", name: "Recall of earlier sessions", byDefault: "false" },
  { key: "checkpoints.enabled", name: "Checkpoints for /rewind", byDefault: "true", isAsked: true },
];

/** All settings: first those with a name in words, then the others by their keys. */
export function settingChoices(
  rows: readonly SettingRow[],
  scope: SettingScope,
  files: SettingsView["files"],
): readonly Choice[] {
  const named = NAMED_SETTINGS.flatMap((setting) => {
    const row = rows.find(({ key }) => key === setting.key);
    return row ? [namedChoice(setting, row, scope, files)] : [];
  });
  const known = new Set(NAMED_SETTINGS.map(({ key }) => key));
  const others = rows.filter(({ key }) => !known.has(key));
  return [...named, ...others.map((row) => settingChoice(row, scope, files))];
}

/** Enter switches what is on or off. The key stays among the words that typing finds. */
function namedChoice(
  setting: NamedSetting,
  row: SettingRow,
  scope: SettingScope,
  files: SettingsView["files"],
): Choice {
  const { key, name, byDefault, isAsked, words = ON_OFF } = setting;
  const value = row.value === undefined ? byDefault : plainValue(row.value);
  const shown = words[value] ?? value;
  const switched = Object.hasOwn(words, value) ? Object.keys(words).find((other) => other !== value) : undefined;
  const isSwitch = switched !== undefined && !isAsked && row.values.includes(switched);
  return {
    ...settingChoice(row, scope, files),
    label: name,
    detail: row.source === undefined ? shown : `${shown} · ${row.source}`,
    brief: shown,
    input: isSwitch ? configInput(scope, key, switched) : configInput(scope, key),
    about: aboutSetting(row, files[scope], key),
  };
}
