import { oneLine } from "@quoll/terminal-text/one-line";
import { isJsonObject } from "../../contracts/message.ts";
import { type EffectiveValue, effectiveValues } from "./effective-values.ts";
import type { LoadedSettings } from "./load-settings.ts";

/** The maximum number of changes that one line names. */
const MAX_NAMED = 5;
const MAX_ITEM_COLUMNS = 60;

/** Keys that take effect in a running session. */
const LIVE: readonly string[] = [
  "permissions.allow",
  "permissions.ask",
  "permissions.deny",
  "permissions.disableBypassPermissionsMode",
  "permissions.disableAutoMode",
  "permissions.allowManagedPermissionRulesOnly",
  "disableAllHooks",
  "allowManagedHooksOnly",
  "destructiveGuard",
  "tools.bashTimeoutMs",
  "tools.bashMaxTimeoutMs",
  "tools.bashMaxOutputChars",
  "tools.bashWakes",
  "terminal.editor",
];
/** Sections that take effect as a whole, and their keys that do not. */
const LIVE_SECTIONS: Readonly<Record<string, readonly string[]>> = {
  env: ["pass", "PATH"],
  spend: [],
  agents: ["maxRunning", "keepInProject"],
  statusLine: [],
};

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
    ...(now.length > 0 ? [`In effect now: ${listed(now)}.`] : []),
    ...(atNextStart.length > 0 ? [`At the next start: ${listed(atNextStart)}.`] : []),
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
  // A project's hook or status line needs an approval, for which the next start asks.
  return path[0] === "hooks" || path[0] === "statusLine" ? source.layer !== "project" : takesEffectNow(path);
}

/** True if a running session takes a change of this key at once. */
export function takesEffectNow(path: readonly string[]): boolean {
  const [section = "", key = ""] = path;
  return section === "hooks" || LIVE.includes(path.join(".")) || LIVE_SECTIONS[section]?.includes(key) === false;
}

function listed(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return more > 0 ? `${names.slice(0, MAX_NAMED).join(", ")} and ${more} more` : names.join(", ");
}
