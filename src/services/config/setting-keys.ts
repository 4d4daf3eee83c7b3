import { nearestName } from "../../contracts/did-you-mean.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import { isJsonObject } from "../../contracts/message.ts";
import type { Setting } from "../../contracts/setting.ts";
import type { SettingsFile } from "../../contracts/settings.ts";
import { SETTINGS } from "../../contracts/settings-table.ts";

/** A key of the settings in the form that `config get` and `config set` accept. */
export type SettingKey = {
  /** The key as typed: `permissions.allow`. */
  readonly name: string;
  readonly path: readonly string[];
  readonly setting: Setting;
  /** A section contains other keys; the values of a list are joined across the files. */
  readonly kind: "section" | "list" | "value";
  /** True for a part of an answer to a question: only the question sets it. */
  readonly isAnswer: boolean;
};

/** Names of a key, separated by dots; a name with a dot is put in double quotes: `models."gpt-5.1".price`. */
const KEY_PART = /"([^"]+)"|([^."]+)/g;

/**
 * Finds a key in the table of settings.
 * @throws {UserFacingError} (exit 2) there is no such key; the message names the most similar one.
 */
export function findSettingKey(name: string, table: Setting = SETTINGS): SettingKey {
  const path = [...name.matchAll(KEY_PART)].map(([, quoted, plain]) => quoted ?? plain ?? "");
  let setting = table;
  let isAnswer = false;
  for (const part of path) {
    setting = partOf(setting, part) ?? unknownKey(name, table);
    isAnswer ||= setting.layer === "own";
  }
  if (path.length === 0 || path[0] === "$schema") return unknownKey(name, table);
  return { name, path, setting, kind: kindOf(setting), isAnswer };
}

/** The names of all keys that have a fixed name; sections are left out. */
export function settingKeyNames(setting: Setting = SETTINGS, prefix = ""): readonly string[] {
  if (setting.type !== "object") return prefix === "" ? [] : [prefix];
  return Object.entries(setting.keys)
    .filter(([name]) => name !== "$schema")
    .flatMap(([name, part]) => settingKeyNames(part, prefix === "" ? name : `${prefix}.${name}`));
}

/** The allowed values of each key that has few: `true` and `false`, or the names of a choice. */
export function settingValues(): Readonly<Record<string, readonly string[]>> {
  const known = settingKeyNames().map((name) => [name, choices(findSettingKey(name).setting)] as const);
  return Object.fromEntries(known.filter(([, values]) => values.length > 0));
}

/** A setting in words. `choices`: all values of the key, if they are few. */
export type SettingWords = {
  readonly description: string;
  readonly type: string;
  readonly choices: readonly string[];
};

/** Describes a setting by its declaration. */
export function describeSetting({ setting }: Pick<SettingKey, "setting">): SettingWords {
  const all = choices(setting);
  return { description: setting.about ?? "", type: typeWords(setting, all), choices: all };
}

function typeWords({ type }: Setting, all: readonly string[]): string {
  if (type === "list") return "a list";
  if (all.length > 0) return all.join(" or ");
  if (type === "number" || type === "integer") return "a number";
  return type === "text" || type === "path" || type === "url" ? "a text" : "JSON";
}

/** All values of a setting; none if the setting takes other values, too. */
function choices(setting: Setting): readonly string[] {
  if (setting.type === "boolean") return ["true", "false"];
  if (setting.type === "choice") return setting.values;
  if (setting.type !== "either") return [];
  const each = setting.of.map(choices);
  return each.some((values) => values.length === 0) ? [] : each.flat();
}

/** The setting of a part of a value; undefined if the value has no such part. */
export function partOf(setting: Setting, name: string): Setting | undefined {
  if (setting.type === "map") return setting.of;
  if (setting.type === "either") return setting.of.map((one) => partOf(one, name)).find((found) => found !== undefined);
  if (setting.type !== "object") return undefined;
  return Object.hasOwn(setting.keys, name) ? setting.keys[name] : setting.others;
}

function kindOf({ type }: Setting): SettingKey["kind"] {
  if (type === "list") return "list";
  return type === "object" || type === "map" ? "section" : "value";
}

function unknownKey(name: string, table: Setting): never {
  const names = settingKeyNames(table);
  const last = names.find((known) => known.endsWith(`.${name}`));
  const nearest = last ?? nearestName(name, names);
  const hint =
    nearest === undefined
      ? "`/config` lists them all (in a shell: `quoll config schema`)."
      : `did you mean ${nearest}?`;
  throw new UserFacingError(`There is no setting "${name}": ${hint}`, 2);
}

/** The value of a key; undefined if it is not set. */
export function valueAt(settings: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((value, name) => (isJsonObject(value) ? value[String(name)] : undefined), settings);
}

/** One key with its value. */
export type SettingPart = {
  /** The place of the value; a number is the position in a list. */
  readonly path: readonly (string | number)[];
  readonly value: unknown;
  readonly setting: Setting;
};

/** The keys of settings with their values. A section whose rules concern it as a whole is one part. */
export function* settingParts(
  value: unknown,
  setting: Setting = SETTINGS,
  path: readonly string[] = [],
): Generator<SettingPart, void> {
  const isWhole = setting.project !== undefined || setting.layer !== undefined;
  if (isWhole || setting.type !== "object" || !isJsonObject(value)) yield { path, value, setting };
  else
    for (const [name, inner] of Object.entries(value)) {
      const part = partOf(setting, name);
      if (part && inner !== undefined) yield* settingParts(inner, part, [...path, name]);
    }
}

/** Rebuilds settings that contain only these parts; an item of a list follows the items before it. */
export function settingsOf(parts: Iterable<SettingPart>): SettingsFile {
  const root: Record<string, unknown> = {};
  for (const { path, value } of parts) {
    const isItem = typeof path.at(-1) === "number";
    const names = (isItem ? path.slice(0, -1) : path).map(String);
    const key = names.pop() ?? "";
    let inner = root;
    for (const name of names) {
      inner[name] ??= {};
      inner = inner[name] as Record<string, unknown>;
    }
    const before = inner[key];
    if (isItem && Array.isArray(before)) before.push(value);
    else inner[key] = isItem ? [value] : value;
  }
  return root as SettingsFile;
}
