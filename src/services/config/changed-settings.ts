import { oneLine } from "@quoll/terminal-text/one-line";
import { type EffectiveValue, effectiveValues } from "./effective-values.ts";
import type { LoadedSettings } from "./load-settings.ts";

/** Most changes that one line names. */
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
  "destructiveGuard",
];

export type ChangedSettings = {
  /** Changes that take effect at once, one phrase each. */
  readonly now: readonly string[];
  readonly atNextStart: readonly string[];
};

/**
 * Compares settings of a running session with those of the files.
 * @param before The settings in force.
 * @param after The settings that come into force: the files', without the loosening of a project's file.
 * @param whole The settings that the next start would read.
 */
export function changedSettings(before: LoadedSettings, after: LoadedSettings, whole: LoadedSettings): ChangedSettings {
  const values = effectiveValues(before.layers);
  const now = differences(values, effectiveValues(after.layers)).filter(isLive);
  const later = differences(values, effectiveValues(whole.layers));
  const names = now.map(nameOf);
  return { now: names, atNextStart: later.map(nameOf).filter((name) => !names.includes(name)) };
}

/** One line for the person; undefined if nothing changed that counts. */
export function changedLine({ now, atNextStart }: ChangedSettings, files: readonly string[]): string | undefined {
  if (now.length === 0 && atNextStart.length === 0) return undefined;
  const parts = [
    `Settings changed in ${files.join(" and ")}.`,
    ...(now.length > 0 ? [`In effect now: ${listed(now)}.`] : []),
    ...(atNextStart.length > 0 ? [`At the next start: ${listed(atNextStart)}.`] : []),
  ];
  return parts.join(" ");
}

type Difference = { readonly key: string; readonly path: readonly string[]; readonly item?: string };

function differences(before: readonly EffectiveValue[], after: readonly EffectiveValue[]): readonly Difference[] {
  const was = new Map(before.map((value) => [identity(value), value]));
  const is = new Map(after.map((value) => [identity(value), value]));
  const gone = before.filter((value) => !is.has(identity(value))).map((value) => difference(value, "−"));
  const come = after.filter((value) => !was.has(identity(value))).map((value) => difference(value, "+"));
  const all = [...gone, ...come];
  // A replaced value is gone and come.
  return all.filter((one, at) => all.findIndex((other) => nameOf(other) === nameOf(one)) === at);
}

function identity({ key, value }: EffectiveValue): string {
  return `${key}\n${JSON.stringify(value)}`;
}

function difference({ key, path, value, isListItem }: EffectiveValue, sign: string): Difference {
  if (!isListItem) return { key, path };
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return { key, path, item: `${sign} ${oneLine(text, MAX_ITEM_COLUMNS)}` };
}

/** Values of single keys may be secret, so only their name is shown. */
function nameOf({ key, item }: Difference): string {
  return item === undefined ? key : `${key} ${item}`;
}

function isLive({ path }: Difference): boolean {
  return LIVE.includes(path.join("."));
}

function listed(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return more > 0 ? `${names.slice(0, MAX_NAMED).join(", ")} and ${more} more` : names.join(", ");
}
