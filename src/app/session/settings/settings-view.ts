import type { CommandContext } from "../../../contracts/command.ts";
import { SETTING_SCOPES, type SettingScope } from "../../../contracts/setting-sources.ts";
import type { SettingRow, SettingsView } from "../../../contracts/settings-view.ts";
import { takesEffectNow } from "../../../services/config/changed-settings.ts";
import type { EffectiveValue } from "../../../services/config/effective-values.ts";
import {
  describeSetting,
  findSettingKey,
  type SettingKey,
  settingKeyNames,
} from "../../../services/config/setting-keys.ts";
import type { Session } from "../session.ts";
import { editSetting, type FolderSettings, folderSettings } from "./folder-settings.ts";
import { readProjectSettings } from "./read-project-settings.ts";
import { assertUsable, THEME_KEY } from "./usable-value.ts";

type Parts = Pick<Session, "environment" | "config"> & {
  readonly context: Pick<CommandContext, "outputStyles" | "themes">;
};

/** Reads and changes the settings of a running session's folder. */
export async function settingsView({ environment, config, context }: Parts): Promise<SettingsView> {
  const around = { env: environment.env, machine: environment.machine, own: environment.own };
  const open = async () => folderSettings(around, await readProjectSettings(around, config), environment.isTrusted);
  const { paths, sourceName } = await open();
  return {
    files: Object.fromEntries(SETTING_SCOPES.map((scope) => [scope, sourceName({ file: paths[scope] })])) as Record<
      SettingScope,
      string
    >,
    async list() {
      const [rows, themes] = await Promise.all([rowsOf(await open()), context.themes?.list()]);
      const names = themes?.themes.map(({ name }) => name) ?? [];
      return rows.map((row) => (row.key === THEME_KEY ? { ...row, values: names } : row));
    },
    describe: (name) => ({ key: name, overridden: [], ...wordsOf(findSettingKey(name)) }),
    async edit(edit) {
      const styles = async () => (await context.outputStyles?.list()) ?? [];
      await assertUsable(edit, { userSettingsFile: environment.userSettingsFile, env: environment.env, styles });
      const done = await editSetting(await open(), edit);
      await environment.live.written();
      return done;
    },
  };
}

async function rowsOf(folder: FolderSettings): Promise<readonly SettingRow[]> {
  const byKey = Map.groupBy(folder.values, ({ key }) => key);
  const names = [...new Set([...settingKeyNames(), ...byKey.keys()])];
  const found = await Promise.all(names.map((name) => rowOf(name, byKey.get(name) ?? [], folder)));
  return found.filter((row) => row !== undefined);
}

async function rowOf(
  name: string,
  values: readonly EffectiveValue[],
  folder: FolderSettings,
): Promise<SettingRow | undefined> {
  const key = findSettingKey(name);
  const words = wordsOf(key);
  const items = await Promise.all(
    values.map(async ({ path, value, source }) => {
      const scope = scopeOf(source.layer);
      return { value: await folder.shown(path, value), source: folder.sourceName(source), ...(scope && { scope }) };
    }),
  );
  const [first] = values;
  // Without a managed file, an administrator's key is useless to a person.
  if (key.isAnswer || (!first && key.setting.layer === "managed")) return undefined;
  const scope = first && scopeOf(first.source.layer);
  const source = items[0]?.source;
  const isList = words.isList || first?.isListItem === true;
  const isHidden = values.some(({ value }, at) => items[at]?.value !== JSON.stringify(value));
  return {
    key: name,
    ...(items.length > 0 && { value: items.map(({ value }) => value).join(", ") }),
    ...(isList && { items }),
    ...(source !== undefined && { source }),
    ...(scope && { scope }),
    ...words,
    isList,
    ...(isHidden && { isHidden }),
    overridden: first?.overridden.map(folder.sourceName) ?? [],
  };
}

function wordsOf(key: SettingKey): Pick<SettingRow, "description" | "type" | "values" | "isList" | "isLive"> {
  const { description, type, choices } = describeSetting(key);
  return { description, type, values: choices, isList: key.kind === "list", isLive: takesEffectNow(key.path) };
}

/** The scope of `quoll config` that writes a layer. */
function scopeOf(layer: EffectiveValue["source"]["layer"]): SettingScope | undefined {
  return SETTING_SCOPES.find((scope) => scope === layer);
}
