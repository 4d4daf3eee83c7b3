import type { SandboxScope, SettingsFile } from "../../contracts/settings.ts";
import { type Change, changeFile, withItem, withValue } from "./change-file.ts";
import { parseSettings } from "./parse-settings.ts";

/**
 * Adds rules to `permissions.allow` in the user's own file for this project, and keeps its comments and other content. The
 * file is replaced atomically, under a lock, so that two sessions do not lose each other's rules.
 * @throws {UserFacingError} the file is malformed, locked for too long, or not writable; nothing is changed.
 */
export function rememberRules(file: string, rules: readonly string[]): Promise<void> {
  return remember({ file, path: ["permissions", "allow"], what: "the rule", present: allowedIn }, rules);
}

/** Like `rememberRules`, for patterns of commands that run outside the sandbox: `sandbox.excludedCommands`. */
export function rememberOutside(file: string, patterns: readonly string[]): Promise<void> {
  const present = ({ sandbox }: SettingsFile) => sandbox?.excludedCommands;
  return remember({ file, path: ["sandbox", "excludedCommands"], what: "the pattern", present }, patterns);
}

/** Like `rememberRules`, for names of variables that commands may get: `env.pass`. */
export function rememberPassedVariables(file: string, names: readonly string[]): Promise<void> {
  const present = ({ env }: SettingsFile) => env?.pass;
  return remember({ file, path: ["env", "pass"], what: "the variable's name", present }, names);
}

/**
 * Saves the answer that confined commands run without asking, with their current limits, and replaces an earlier
 * answer.
 * @throws as `rememberRules`.
 */
export function rememberConsent(file: string, scope: SandboxScope): Promise<void> {
  return changeFile({ file, what: "the answer" }, (text) => {
    parseSettings(text, file);
    return withValue(text, AGREED, scope);
  });
}

/** Revokes that answer. @throws as `rememberRules`. */
export function forgetConsent(file: string): Promise<void> {
  return changeFile({ file, what: "the change" }, (text) =>
    parseSettings(text, file).value.sandbox?.agreed === undefined ? text : withValue(text, AGREED, undefined),
  );
}

/** Sets one setting to a text. @param path Its place: `["terminal", "editorMode"]`. @throws as `rememberRules`. */
export function rememberSetting(file: string, path: readonly string[], value: string): Promise<void> {
  return changeFile({ file, what: "the setting" }, (text) => {
    parseSettings(text, file);
    return withValue(text, [...path], value);
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

const AGREED = ["sandbox", "agreed"];

function allowedIn({ permissions }: SettingsFile): readonly string[] | undefined {
  return permissions?.allow?.map((entry) => (typeof entry === "string" ? entry : entry.rule));
}

type Kept = Change & {
  /** The list to extend. */
  readonly path: string[];
  present(settings: SettingsFile): readonly string[] | undefined;
};

async function remember(kept: Kept, items: readonly string[]): Promise<void> {
  if (items.length === 0) return;
  await changeFile(kept, (text) => withItems(text, kept, items));
}

function withItems(text: string, { file, path, present }: Kept, items: readonly string[]): string {
  const before = present(parseSettings(text, file).value);
  const missing = [...new Set(items)].filter((item) => !before?.includes(item));
  if (missing.length === 0) return text;
  if (before === undefined) return withValue(text, path, missing);
  return missing.reduce((result, item) => withItem(result, path, item), text);
}
