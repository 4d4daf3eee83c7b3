import { isDeepStrictEqual } from "node:util";
import { UserFacingError } from "../../contracts/errors.ts";
import { fitSetting } from "../../contracts/fit-setting.ts";
import { parsedJson } from "../../contracts/parsed-json.ts";
import type { SettingScope } from "../../contracts/setting-sources.ts";
import { changeFile, withItem, withValue } from "./change-file.ts";
import { trustedLayer } from "./parse-layer.ts";
import { parseSettings } from "./parse-settings.ts";
import { takeProjectSettings } from "./project-policy.ts";
import { type SettingKey, valueAt } from "./setting-keys.ts";

export type SettingTarget = {
  readonly scope: SettingScope;
  readonly file: string;
  readonly key: SettingKey;
};

/** The value before and after a change; undefined where the key is not set. */
export type SettingChange = { readonly before: unknown; readonly after: unknown };

/**
 * Reads a typed value according to the key's form: strings as typed, all other types as JSON.
 * @param isItem True for one item of a list.
 * @throws {UserFacingError} (exit 2) the value does not fit.
 */
export function settingValue({ name, setting, kind, isAnswer }: SettingKey, typed: string, isItem = false): unknown {
  if (isAnswer)
    throw new UserFacingError(`${name} holds an answer that you gave to a question: only the question sets it.`, 2);
  if (isItem && setting.type !== "list") throw new UserFacingError(`${name} is not a list: leave out --add.`, 2);
  const wanted = setting.type === "list" && isItem ? setting.of : setting;
  const asText = fitSetting(typed, wanted);
  if ("value" in asText) return asText.value;
  const parsed = parsedJson(typed);
  const asJson = parsed === undefined ? asText : fitSetting(parsed, wanted);
  if ("value" in asJson) return asJson.value;
  const { path, expected } = asJson.misfit;
  const hint = kind === "list" && !isItem ? ` as JSON; --add adds one value` : "";
  const place = [name, ...path].join(".");
  throw new UserFacingError(`${place} must be ${expected}${hint}, not ${shown(typed)}.`, 2);
}

/**
 * Sets a key in a settings file, or adds items to its list. Comments and formatting stay.
 * @throws {UserFacingError} the file may not set this key or is malformed (exit 2), or it can't be written.
 */
export function setSetting(target: SettingTarget, value: unknown, adds = false): Promise<SettingChange> {
  const { key } = target;
  assertMaySet(target, adds ? [value] : value);
  return change(target, (text, before) => {
    if (!adds) return withValue(text, [...key.path], value);
    if (!Array.isArray(before)) return withValue(text, [...key.path], [value]);
    return before.some((one) => isDeepStrictEqual(one, value)) ? text : withItem(text, [...key.path], value);
  });
}

/** Removes a key, or one item of its list, from a settings file. @throws as `setSetting`. */
export function unsetSetting(target: SettingTarget, item?: unknown): Promise<SettingChange> {
  const { path } = target.key;
  return change(target, (text, before) => {
    if (before === undefined) return text;
    if (item === undefined) return withValue(text, [...path], undefined);
    const index = Array.isArray(before) ? before.findIndex((one) => isDeepStrictEqual(one, item)) : -1;
    return index < 0 ? text : withValue(text, [...path, index], undefined);
  });
}

async function change(
  { file, scope, key }: SettingTarget,
  edit: (text: string, before: unknown) => string,
): Promise<SettingChange> {
  let before: unknown;
  let after: unknown;
  await changeFile({ file, what: key.name, isShared: scope === "project" }, (text) => {
    before = valueAt(parseSettings(text, file).value, key.path);
    const changed = edit(text, before);
    after = valueAt(parseSettings(changed, file).value, key.path);
    return changed;
  });
  return { before, after };
}

/**
 * A file in which a key is ignored must not get it, because the person would believe that the setting takes effect.
 * @throws {UserFacingError} (exit 2)
 */
export function assertMaySet({ scope, file, key }: SettingTarget, value: unknown): void {
  const text = withValue("", [...key.path], value);
  const parsed = parseSettings(text, file);
  const [unknown] = parsed.warnings;
  if (unknown !== undefined) throw new UserFacingError(unknown.replace(/^.*?:\d+:\d+: /, ""), 2);
  if (scope === "project") {
    if (takeProjectSettings(parsed, file, true).warnings.length === 0) return;
    const given = typeof value === "string" ? ` to ${shown(value)}` : "";
    throw new UserFacingError(`A project's file may not set ${key.name}${given}: use --scope user or --scope own.`, 2);
  }
  if (trustedLayer(text, { file, layer: scope, base: "/" }).warnings.length > 0)
    throw new UserFacingError(`Only the managed file may set ${key.name}.`, 2);
}

function shown(text: string): string {
  return text.length > 80 ? `${JSON.stringify(text.slice(0, 80))}…` : JSON.stringify(text);
}
