import { isDeepStrictEqual } from "node:util";
import { oneLine } from "@quoll/terminal-text/one-line";
import { isJsonObject, type JsonObject } from "../../contracts/message.ts";
import type { Setting } from "../../contracts/setting.ts";
import { SETTINGS } from "../../contracts/settings-table.ts";
import { namedFew } from "../../contracts/words.ts";
import type { SettingChange } from "./edit-settings.ts";
import { type EffectiveValue, effectiveValues } from "./effective-values.ts";
import type { LoadedSettings } from "./load-settings.ts";
import { partOf } from "./setting-keys.ts";

/** The maximum number of changes that one line names. */
const MAX_NAMED = 5;
const MAX_ITEM_COLUMNS = 60;

export type ChangedSettings = {
  /** Changes that take effect at once, one phrase each. */
  readonly now: readonly string[];
  readonly atNextStart: readonly string[];
};

/**
 * Compares the settings of a running session with those of the files.
 * @param before The current settings.
 * @param after The new settings: those of the files, without loosening changes of a project's file.
 * @param whole The settings that the next start would read.
 */
export function changedSettings(before: LoadedSettings, after: LoadedSettings, whole: LoadedSettings): ChangedSettings {
  const values = effectiveValues(before.layers);
  const now = differences(values, effectiveValues(after.layers)).filter(isLive);
  const later = differences(values, effectiveValues(whole.layers));
  const names = now.map(nameOf);
  const waiting = later.filter((one) => !isLive(one) || !names.includes(nameOf(one)));
  return { now: names, atNextStart: waiting.map(nameOf) };
}

/** One line for the person; undefined if no relevant setting changed. */
export function changedLine({ now, atNextStart }: ChangedSettings, files: readonly string[]): string | undefined {
  if (now.length === 0 && atNextStart.length === 0) return undefined;
  const parts = [
    `Settings changed in ${files.join(" and ")}.`,
    ...(now.length > 0 ? [`In effect now: ${namedFew(now, MAX_NAMED)}.`] : []),
    ...(atNextStart.length > 0 ? [`At the next start: ${namedFew(atNextStart, MAX_NAMED)}.`] : []),
  ];
  return parts.join(" ");
}

type Difference = Pick<EffectiveValue, "key" | "path" | "source"> & { readonly item?: string };

function differences(before: readonly EffectiveValue[], after: readonly EffectiveValue[]): readonly Difference[] {
  const was = new Map(before.map((value) => [identity(value), value]));
  const is = new Map(after.map((value) => [identity(value), value]));
  const gone = before.filter((value) => !is.has(identity(value))).map((value) => difference(value, "−"));
  const come = after.filter((value) => !was.has(identity(value))).map((value) => difference(value, "+"));
  const all = [...gone, ...come];
  // A replaced value appears as one removed and one added value. Hooks of the user and of the project have the same key
  // but take effect at different times.
  const isSame = (one: Difference, other: Difference) => nameOf(one) === nameOf(other) && isLive(one) === isLive(other);
  return all.filter((one, at) => all.findIndex((other) => isSame(one, other)) === at);
}

function identity({ key, value }: EffectiveValue): string {
  return `${key}\n${JSON.stringify(value)}`;
}

function difference({ key, path, value, isListItem, source }: EffectiveValue, sign: string): Difference {
  if (!isListItem) return { key, path, source };
  const text = isJsonObject(value) ? value["rule"] : value;
  // A part of a larger value, such as a hook, is not readable if it is cut.
  return typeof text === "string"
    ? { key, path, source, item: `${sign} ${oneLine(text, MAX_ITEM_COLUMNS)}` }
    : { key, path, source };
}

/** Values of single keys may be secret, so only their name is shown. */
function nameOf({ key, item }: Difference): string {
  return item === undefined ? key : `${key} ${item}`;
}

function isLive({ path, source }: Difference): boolean {
  const live = liveOf(path);
  return live === "yours" ? source.layer !== "project" : live;
}

/** True if a running session takes this change of a key at once: of a section, every part that differs. */
export function changeTakesEffectNow(path: readonly string[], { before, after }: SettingChange): boolean {
  if (!isJsonObject(before ?? after)) return takesEffectNow(path);
  const [was, is] = [before, after].map((value) => (isJsonObject(value) ? value : {})) as [JsonObject, JsonObject];
  const changed = Object.keys({ ...was, ...is }).filter((name) => !isDeepStrictEqual(was[name], is[name]));
  return changed.every((name) => takesEffectNow([...path, name]));
}

/** True if a running session takes a change of this key at once. */
export function takesEffectNow(path: readonly string[], table: Setting = SETTINGS): boolean {
  return liveOf(path, table) !== false;
}

function liveOf(path: readonly string[], table: Setting = SETTINGS): boolean | "yours" {
  let setting: Setting | undefined = table;
  for (const name of path) {
    setting = setting && partOf(setting, name);
    const live = setting?.live;
    if (live !== undefined) return typeof live === "object" ? !live.except.includes(name) : live;
  }
  return setting !== undefined && isWhollyLive(setting);
}

/** True for a section of which every key is live. */
function isWhollyLive(setting: Setting): boolean {
  if (setting.live !== undefined) return setting.live === true;
  return setting.type === "object" && !setting.others && Object.values(setting.keys).every(isWhollyLive);
}
