import { revealedLine } from "@quoll/terminal-text/one-line";
import { isJsonObject } from "../../contracts/message.ts";
import type { ProjectPolicy, Setting } from "../../contracts/setting.ts";
import type { HeldSetting, SettingsFile } from "../../contracts/settings.ts";
import { SETTINGS } from "../../contracts/settings-table.ts";
import { firstFew } from "../../contracts/words.ts";
import type { ParsedSettings } from "./parse-settings.ts";
import { projectMaySet } from "./refused-environment.ts";
import { type SettingPart, settingParts, settingsOf } from "./setting-keys.ts";

const MAX_NAME_COLUMNS = 100;
/** A longer effect can't be shown in full in the trust question, so it never takes effect. */
const MAX_EFFECT_COLUMNS = 3_500;
/** The maximum number of keys that one warning names. */
const MAX_NAMED = 20;

/** When a part of a project's settings takes effect: at once (it only restricts), after trust, or never. */
export type EffectTime = "now" | "trusted" | "never";

/** A part of a project's settings with its effect. */
export type Judged = SettingPart & {
  /** The key as written in settings: `permissions.allow`, `env.PATH`. Safe to print. */
  readonly name: string;
  readonly effectTime: EffectTime;
  /** The effect, for the trust question. Safe to print. */
  readonly what: string;
};

/** Judges every part of a project's settings. */
export function judgeParts(value: unknown, table: Setting = SETTINGS): readonly Judged[] {
  return [...settingParts(value, table)].flatMap(eachJudged).map(judged);
}

/** Of a list that takes effect after trust, each item is a part. */
function eachJudged(part: SettingPart): readonly SettingPart[] {
  const { path, value, setting } = part;
  if (!Array.isArray(value) || trustedPolicy(setting) === undefined) return [part];
  return value.map((item: unknown, index) => ({ path: [...path, index], value: item, setting }));
}

function judged(part: SettingPart): Judged {
  const { value, setting } = part;
  const names = part.path.filter((name) => typeof name === "string");
  const key = names.join(".");
  const name = names.slice(1).join(".");
  const time = effectTime(value, setting.project, name);
  const effect = effectOf(value, setting, { key, name });
  const what = revealedLine(effect, MAX_EFFECT_COLUMNS);
  const isCut = time === "trusted" && what !== revealedLine(effect, Number.POSITIVE_INFINITY);
  return { ...part, name: revealedLine(key, MAX_NAME_COLUMNS), effectTime: isCut ? "never" : time, what };
}

function effectTime(value: unknown, policy: ProjectPolicy | undefined, name: string): EffectTime {
  // An empty list has no effect.
  if (Array.isArray(value) && value.length === 0) return "now";
  if (policy === undefined) return "never";
  if (policy === "now" || "approved" in policy) return "now";
  if ("only" in policy) return value === policy.only ? "now" : "never";
  const isRefused = policy.never?.includes(value) || (policy.neverNames !== undefined && !projectMaySet(name));
  return isRefused ? "never" : "trusted";
}

function trustedPolicy({ project }: Setting) {
  return typeof project === "object" && "trusted" in project ? project.trusted : undefined;
}

function effectOf(value: unknown, setting: Setting, names: Readonly<Record<"key" | "name", string>>): string {
  const effect = trustedPolicy(setting) ?? "sets {key}";
  const text = typeof effect === "string" ? effect : effect[value === false ? "false" : "true"];
  const shown = String(isJsonObject(value) ? value["rule"] : value);
  return text.replace(/\{(key|name)?\}/g, (_, which?: "key" | "name") => (which ? names[which] : shown));
}

export type ProjectSettings = {
  /** The parts that take effect. */
  readonly value: SettingsFile;
  readonly held: readonly HeldSetting[];
  readonly warnings: readonly string[];
};

/** Selects the project settings that may take effect: all restrictions, and in a trusted folder the keys that a project may set. */
export function takeProjectSettings(parsed: ParsedSettings, file: string, isTrusted: boolean): ProjectSettings {
  const kept: Judged[] = [];
  const held: HeldSetting[] = [];
  const refused: { readonly name: string; readonly line: number }[] = [];
  for (const part of judgeParts(parsed.value)) {
    const line = parsed.lineOf(part.path) ?? 1;
    if (part.effectTime === "never") refused.push({ name: part.name, line });
    else if (part.effectTime === "now" || isTrusted) kept.push(part);
    else held.push({ file, line, what: part.what });
  }
  const warning = refusal(refused.toSorted(byLine), file);
  return { value: settingsOf(kept), held: held.toSorted(byLine), warnings: warning === undefined ? [] : [warning] };
}

function byLine(one: { readonly line: number }, other: { readonly line: number }): number {
  return one.line - other.line;
}

function refusal(
  refused: readonly { readonly name: string; readonly line: number }[],
  file: string,
): string | undefined {
  const line = refused[0]?.line;
  if (line === undefined) return undefined;
  const names = refused.map((part) => (part.line === line ? part.name : `${part.name} (line ${part.line})`));
  const shown = firstFew([...new Set(names)], MAX_NAMED, (count) => `and ${count} more`);
  return `${file}:${line}: ignored, because project files may not set these keys: ${shown.join(", ")}. Move them to your own settings if you want them.`;
}
