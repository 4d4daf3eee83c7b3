import { isDeepStrictEqual } from "node:util";
import { isJsonObject } from "../../contracts/message.ts";
import type { MergeWay, Setting } from "../../contracts/setting.ts";
import type { RuleLayer } from "../../contracts/settings.ts";
import { SETTINGS } from "../../contracts/settings-table.ts";
import { partOf, valueAt } from "./setting-keys.ts";
import type { NamedLayer } from "./settings-layer.ts";

/** The place of a value. */
export type ValueSource = {
  readonly layer: RuleLayer;
  /** A path, or the option that gave it. */
  readonly file: string;
  /** The line, counted from 1; absent for an option. */
  readonly line?: number;
};

/** One value that counts. A list has an entry for each of its items. */
export type EffectiveValue = {
  /** The key in the form `permissions.allow`. */
  readonly key: string;
  readonly path: readonly string[];
  readonly value: unknown;
  readonly isListItem: boolean;
  readonly source: ValueSource;
  /** The places of other values for the same key, which are overridden. */
  readonly overridden: readonly ValueSource[];
};

type Written = Omit<EffectiveValue, "overridden"> & { readonly merge: MergeWay | undefined };

/**
 * The effective values and their places: for a single value that of the highest layer, for a cap the lowest, for a list
 * the items of all layers, as in `mergeSettings`. Ordered as in the table.
 * @param layers The layers, lowest first.
 */
export function effectiveValues(layers: readonly NamedLayer[]): readonly EffectiveValue[] {
  const byKey = new Map<string, Written[]>();
  for (const layer of layers)
    for (const written of writtenIn(layer)) {
      const before = byKey.get(written.key);
      if (before) before.push(written);
      else byKey.set(written.key, [written]);
    }
  const places = Object.keys(SETTINGS.keys);
  const counting = [...byKey.values()].flatMap(countingOf);
  return counting.toSorted((a, b) => places.indexOf(a.path[0] ?? "") - places.indexOf(b.path[0] ?? ""));
}

function countingOf(all: readonly Written[]): readonly EffectiveValue[] {
  const last = all.at(-1);
  if (!last) return [];
  if (last.isListItem) {
    const items = last.merge === "highest" ? all.filter(({ source }) => source.layer === last.source.layer) : all;
    const unique = items.filter(
      (item, at) => items.findIndex(({ value }) => isDeepStrictEqual(value, item.value)) === at,
    );
    return unique.map((item) => ({ ...item, overridden: [] }));
  }
  const counting = countingValue(last, all);
  return [{ ...counting, overridden: all.filter((one) => one !== counting).map(({ source }) => source) }];
}

function countingValue(last: Written, all: readonly Written[]): Written {
  // Each layer can only lower a cap.
  if (last.merge === "lowest") return all.reduce((low, one) => (Number(one.value) < Number(low.value) ? one : low));
  // A refusal in any layer takes effect.
  if (last.key === "sandbox.autoAllowBashIfSandboxed") return all.findLast(({ value }) => value === false) ?? last;
  return last;
}

function* writtenIn(layer: NamedLayer): Generator<Written, void> {
  const permissions = { ...layer.value.permissions };
  for (const { rule, decision, line } of layer.rules) {
    const source = { layer: layer.name, file: layer.file, ...(line !== undefined && { line }) };
    const path = ["permissions", decision];
    yield { key: path.join("."), path, value: rule, isListItem: true, source, merge: "apart" };
  }
  // Only the rules above take effect.
  const { allow, ask, deny, ...others } = permissions;
  yield* partsOf({ value: { ...layer.value, permissions: others }, setting: SETTINGS, path: [] }, layer);
}

type Part = { readonly value: unknown; readonly setting: Setting; readonly path: readonly string[] };

function* partsOf({ value, setting, path }: Part, layer: NamedLayer): Generator<Written, void> {
  if (path[0] === "$schema" || value === undefined) return;
  const isByName = setting.type === "map" && path.length === 1;
  if (isJsonObject(value) && (setting.type === "object" || isByName)) {
    for (const [name, inner] of Object.entries(value)) {
      const part = { value: inner, setting: partOf(setting, name) ?? setting, path: [...path, name] };
      if (isByName) yield writtenAt(part, layer);
      else yield* partsOf(part, layer);
    }
  } else if (Array.isArray(value)) {
    for (const item of value) yield { ...writtenAt({ value: item, setting, path }, layer, true), isListItem: true };
  } else yield writtenAt({ value, setting, path }, layer);
}

function writtenAt({ path, value, setting }: Part, layer: NamedLayer, isItem = false): Written {
  const { name, file, written } = layer;
  const at = isItem ? [...path, indexOf(written?.value, path, value)] : path;
  const line = written?.lineOf(at) ?? written?.lineOf(path);
  const source = { layer: name, file, ...(line !== undefined && { line }) };
  const key = path.map((part) => (part.includes(".") ? `"${part}"` : part)).join(".");
  return { key, path, value, isListItem: false, source, merge: setting.merge };
}

/** The position of an item in the list of the file, of which only a part of a project's layer may apply. */
function indexOf(whole: unknown, path: readonly string[], item: unknown): number {
  const list = valueAt(whole, path);
  return Array.isArray(list) ? list.findIndex((one) => isDeepStrictEqual(one, item)) : -1;
}
