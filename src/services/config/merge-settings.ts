import { join, resolve } from "node:path";
import { isJsonObject } from "../../contracts/message.ts";
import type { ObjectSetting, Setting } from "../../contracts/setting.ts";
import type { RuleLayer, SettingsFile } from "../../contracts/settings.ts";
import { SETTINGS } from "../../contracts/settings-table.ts";
import { partOf } from "./setting-keys.ts";

type Valued = { readonly name: RuleLayer; readonly value: unknown; readonly folder: string };

/** Merges the values of files as their table says, with absolute paths. @param files The files, lowest first. */
export function mergeSettings(files: readonly Valued[], home: string, table: ObjectSetting = SETTINGS): SettingsFile {
  const written = files.flatMap(({ value }) => (isJsonObject(value) ? Object.keys(value) : []));
  const merged = [...new Set([...Object.keys(table.keys), ...written])].flatMap((name) => {
    const setting = partOf(table, name);
    const value = setting && mergeValues(filesWith(name, setting, files), setting, home);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(merged);
}

/** The values of one key. A key that belongs to another one does not count below the highest file with that other key. */
function filesWith(name: string, { belongsTo, layer }: Setting, files: readonly Valued[]): readonly Valued[] {
  const owner = belongsTo === undefined ? -1 : files.findLastIndex((file) => valueIn(file, belongsTo) !== undefined);
  return files.slice(Math.max(0, owner)).flatMap((file) => {
    const value = valueIn(file, name);
    return value === undefined || (layer !== undefined && file.name !== layer) ? [] : [{ ...file, value }];
  });
}

function valueIn({ value }: Valued, name: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** @returns undefined if no file has a value, or if all values are empty. */
function mergeValues(files: readonly Valued[], setting: Setting, home: string): unknown {
  if (files.length === 0 || setting.merge === "apart") return undefined;
  const values = files.map(({ value }) => value);
  if (setting.merge === "lowest") return Math.min(...values.map(Number));
  if (setting.merge === "highest") return values.at(-1);
  if (setting.type === "map") return Object.assign({}, ...values);
  if (setting.type === "object") {
    const merged = mergeSettings(files, home, setting);
    return Object.keys(merged).length > 0 ? merged : undefined;
  }
  if (setting.type !== "list") return values.at(-1);
  const joined = files.flatMap(({ value, folder }) => itemsOf(value, setting.of, { folder, home }));
  return joined.length > 0 ? [...new Set(joined)] : undefined;
}

function itemsOf(value: unknown, { type }: Setting, place: { readonly folder: string; readonly home: string }) {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return type === "path" ? items.map((path) => absolute(String(path), place)) : items;
}

function absolute(path: string, { folder, home }: { readonly folder: string; readonly home: string }): string {
  if (path === "~") return home;
  return path.startsWith("~/") ? join(home, path.slice(2)) : resolve(folder, path);
}
