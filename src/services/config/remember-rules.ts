import type { SandboxScope } from "../../contracts/settings.ts";
import { type Change, changeFile, withItem, withValue } from "./change-file.ts";
import { parseSettings } from "./parse-settings.ts";
import { valueAt } from "./setting-keys.ts";

const AGREED = ["sandbox", "agreed"];

/**
 * Adds rules to `permissions.allow` in the user's own file for this project, and keeps its comments and other content. The
 * file is replaced atomically, under a lock, so that two sessions do not lose each other's rules.
 * @throws {UserFacingError} the file is malformed, locked for too long, or not writable; nothing is changed.
 */
export function rememberRules(file: string, rules: readonly string[]): Promise<void> {
  return rememberItems({ file, what: "the rule" }, ["permissions", "allow"], rules);
}

/** Like `rememberRules`, for patterns of commands that run outside the sandbox: `sandbox.excludedCommands`. */
export function rememberOutside(file: string, patterns: readonly string[]): Promise<void> {
  return rememberItems({ file, what: "the pattern" }, ["sandbox", "excludedCommands"], patterns);
}

/** Like `rememberRules`, for names of variables that commands may get: `env.pass`. */
export function rememberPassedVariables(file: string, names: readonly string[]): Promise<void> {
  return rememberItems({ file, what: "the variable's name" }, ["env", "pass"], names);
}

/**
 * Saves the answer that confined commands run without asking, with their current limits, and replaces an earlier
 * answer; without limits, the answer is revoked.
 * @throws as `rememberRules`.
 */
export function rememberConsent(file: string, scope: SandboxScope | undefined): Promise<void> {
  return rememberSetting({ file, what: scope ? "the answer" : "the change" }, AGREED, scope);
}

/**
 * Sets one setting, or removes it.
 * @param path Its place: `["terminal", "editorMode"]`.
 * @param value If undefined, the setting is removed.
 * @throws as `rememberRules`.
 */
export function rememberSetting(target: Change, path: readonly string[], value: unknown): Promise<void> {
  return changeFile(target, (text) => {
    const before = valueAt(parseSettings(text, target.file).value, path);
    return value === undefined && before === undefined ? text : withValue(text, [...path], value);
  });
}

/**
 * Switches a skill off or on: `skills.disabled`.
 * @returns false if the file does not disable it, so that another file may.
 * @throws as `rememberRules`.
 */
export async function rememberSkill(file: string, name: string, isOff: boolean): Promise<boolean> {
  let wasOff = false;
  await changeFile({ file, what: "the setting" }, (text) => {
    const names = parseSettings(text, file).value.skills?.disabled ?? [];
    wasOff = names.includes(name);
    if (wasOff === isOff) return text;
    return withValue(text, ["skills", "disabled"], isOff ? [...names, name] : names.filter((one) => one !== name));
  });
  return wasOff;
}

async function rememberItems(target: Change, path: readonly string[], items: readonly string[]): Promise<void> {
  if (items.length === 0) return;
  await changeFile(target, (text) => {
    const before = valueAt(parseSettings(text, target.file).value, path);
    const present = Array.isArray(before) ? before.map((one: unknown) => valueAt(one, ["rule"]) ?? one) : [];
    const missing = [...new Set(items)].filter((item) => !present.includes(item));
    if (missing.length === 0) return text;
    if (before === undefined) return withValue(text, [...path], missing);
    return missing.reduce((result, item) => withItem(result, [...path], item), text);
  });
}
