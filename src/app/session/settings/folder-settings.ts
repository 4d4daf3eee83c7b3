import { oneLine } from "@quoll/terminal-text/one-line";
import { UserFacingError } from "../../../contracts/errors.ts";
import type { Decision } from "../../../contracts/permission.ts";
import type { SettingScope } from "../../../contracts/setting-sources.ts";
import type { SettingEdit, SettingEdited } from "../../../contracts/settings-view.ts";
import { shortPath } from "../../../platform/directories.ts";
import { realPathOrSelf } from "../../../platform/paths.ts";
import { withheldVariables } from "../../../platform/processes/credential-variables.ts";
import { changeTakesEffectNow } from "../../../services/config/changed-settings.ts";
import { type SettingTarget, setSetting, settingValue, unsetSetting } from "../../../services/config/edit-settings.ts";
import { type EffectiveValue, effectiveValues, type ValueSource } from "../../../services/config/effective-values.ts";
import { findSettingKey, type SettingKey } from "../../../services/config/setting-keys.ts";
import { compileRules } from "../../../services/permission/rules/compile-rules.ts";
import type { ProcessEnvironment } from "../../process-environment.ts";
import { lazyRedactor } from "../wire-safety.ts";
import type { ProjectSettings } from "./read-project-settings.ts";

const DECISIONS = ["allow", "ask", "deny"] as const satisfies readonly Decision[];

/** The settings of a folder, as people read and change them. */
export type FolderSettings = ProjectSettings &
  ProcessEnvironment & {
    /** Hides credentials in a text. */
    redactor(): Promise<(text: string) => string>;
    /** True if the person has trusted the folder before, or for this run. */
    readonly isTrusted: boolean;
    /** The location in a file, in the form that people read. */
    sourceName(source: Pick<ValueSource, "file" | "line">): string;
    /** The values that take effect in this folder. */
    readonly values: readonly EffectiveValue[];
    /** A value as JSON, with each credential replaced by a placeholder. */
    shown(path: readonly string[], value: unknown): Promise<string>;
  };

export function folderSettings(around: ProcessEnvironment, read: ProjectSettings, isTrusted: boolean): FolderSettings {
  const { layers, settings } = read.load(isTrusted);
  const redactor = lazyRedactor({ ...around, settings });
  return {
    ...around,
    ...read,
    isTrusted,
    redactor: async () => {
      const { redact } = await redactor();
      return redact;
    },
    sourceName: ({ file, line }) => `${shortPath(file, around.own.home)}${line === undefined ? "" : `:${line}`}`,
    values: effectiveValues(layers),
    shown: async (path, value) =>
      isCredential(path, value) ? JSON.stringify("[hidden]") : (await redactor()).redact(JSON.stringify(value)),
  };
}

/** True for a variable with the name of a credential. */
function isCredential([section, name = ""]: readonly string[], value: unknown): boolean {
  return section === "env" && typeof value === "string" && withheldVariables({ [name]: value }).length > 0;
}

/**
 * Sets or removes a setting in a file.
 * @throws {UserFacingError} (as a rejection) the key or the value does not fit, or the file can't be written.
 */
export async function editSetting(folder: FolderSettings, edit: SettingEdit): Promise<SettingEdited> {
  return edit.what === "set" ? set(folder, edit) : unset(folder, edit);
}

async function set(folder: FolderSettings, edit: Extract<SettingEdit, { what: "set" }>): Promise<SettingEdited> {
  const key = findSettingKey(edit.key);
  const value = settingValue(key, edit.value, edit.adds);
  const target = targetOf(folder, key, edit.scope);
  const warnings = ruleWarnings(target, edit.adds ? [value] : value, folder);
  const change = await setSetting(target, value, edit.adds);
  const { before, after } = change;
  const isSame = JSON.stringify(before) === JSON.stringify(after);
  const replaced = before === undefined || edit.adds ? "" : ` (was ${await folder.shown(key.path, before)})`;
  const shown = await folder.shown(key.path, edit.adds ? value : after);
  const line = `${key.name} = ${shown} in ${folder.sourceName(target)}${isSame ? " (no change)" : replaced}`;
  const isLive = changeTakesEffectNow(key.path, change);
  return { lines: [line, ...(await effectLines(folder, target))], warnings, isSame, isLive };
}

async function unset(folder: FolderSettings, edit: Extract<SettingEdit, { what: "unset" }>): Promise<SettingEdited> {
  const key = findSettingKey(edit.key);
  const item = edit.value === undefined ? undefined : settingValue(key, edit.value, true);
  const target = targetOf(folder, key, edit.scope);
  const change = await unsetSetting(target, item);
  const { before, after } = change;
  const isSame = JSON.stringify(before) === JSON.stringify(after);
  const name = item === undefined ? key.name : `${await folder.shown(key.path, item)} of ${key.name}`;
  const file = folder.sourceName(target);
  const line = isSame ? `${file} does not set ${name}.` : `Removed ${name} from ${file}.`;
  return { lines: [line], warnings: [], isSame, isLive: changeTakesEffectNow(key.path, change) };
}

function targetOf({ paths }: FolderSettings, key: SettingKey, scope: SettingScope): SettingTarget {
  return { key, scope, file: paths[scope] };
}

/** @throws {UserFacingError} (exit 2) a rule is invalid. */
function ruleWarnings(
  { key, scope, file }: SettingTarget,
  value: unknown,
  { project, own }: FolderSettings,
): readonly string[] {
  const decision = DECISIONS.find((one) => key.name === `permissions.${one}`);
  if (!decision) return [];
  const items = (Array.isArray(value) ? value : [value]) as readonly (string | { readonly rule: string })[];
  const sources = items.map((item) => ({
    ...(typeof item === "string" ? { rule: item } : item),
    decision,
    file,
    layer: scope,
    base: project.root,
  }));
  const home = realPathOrSelf(own.home);
  const context = { roots: [project.root], home, isCaseInsensitive: false, realPath: realPathOrSelf, isTrusted: true };
  const { ignored, warnings } = compileRules(sources, context);
  const [invalid] = ignored.filter(({ isInvalid }) => isInvalid);
  if (invalid)
    throw new UserFacingError(
      `${file}: the ${decision} rule ${JSON.stringify(oneLine(invalid.rule.text))} is invalid: ${invalid.why}.`,
      2,
    );
  return warnings;
}

/** One line if the written file does not decide in this folder. */
async function effectLines(folder: FolderSettings, { key, file, scope }: SettingTarget): Promise<readonly string[]> {
  const load = await folder.read();
  const [counting] = effectiveValues(load(folder.isTrusted).layers).filter(
    ({ path, isListItem }) => !isListItem && path.join("\n") === key.path.join("\n"),
  );
  return [
    ...(counting && counting.source.file !== file
      ? [`Here ${folder.sourceName(counting.source)} decides: ${await valueLine(counting, folder)}`]
      : []),
    ...(scope === "project" && !folder.isTrusted && load(false).held.length > 0
      ? ["It takes effect when you trust this folder."]
      : []),
  ];
}

/** Formats a value: `key = value  (file:line, not file:line)`. */
export async function valueLine(
  { key, path, value, source, overridden }: EffectiveValue,
  { sourceName, shown }: Pick<FolderSettings, "sourceName" | "shown">,
): Promise<string> {
  const others = overridden.length === 0 ? "" : `, not ${overridden.map(sourceName).join(", ")}`;
  return `${key} = ${await shown(path, value)}  (${sourceName(source)}${others})`;
}
