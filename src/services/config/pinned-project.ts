import { isDeepStrictEqual } from "node:util";
import type { RuleSource } from "../../contracts/settings.ts";
import { mergeSettings } from "./merge-settings.ts";
import { type Judged, judgeParts } from "./project-policy.ts";
import { settingsOf, valueAt } from "./setting-keys.ts";
import type { NamedLayer, PinLayers } from "./settings-layer.ts";

/**
 * The layers of a repository's files in a running session. A pull must not widen what the session may do: restrictions that
 * the session began with stay, new restrictions are added, a loosening that was taken out ends, and a new one waits for
 * the next start.
 * @param start All layers that the session began with.
 */
export function pinnedToStart(start: readonly NamedLayer[]): PinLayers {
  return { layers: (now) => pinnedLayers(start, now), merge: mergeSettings };
}

function pinnedLayers(start: readonly NamedLayer[], now: readonly NamedLayer[]): readonly NamedLayer[] {
  const kept = start.filter(isOfRepository).map((layer) =>
    stillCounting(
      layer,
      now.find(({ file }) => file === layer.file),
    ),
  );
  const known = kept.flatMap(({ rules }) => rules);
  return [...kept, ...now.map((layer) => restrictions(layer, known))];
}

function isOfRepository({ name }: NamedLayer): boolean {
  return name === "foreign" || name === "project";
}

function stillCounting(old: NamedLayer, now: NamedLayer | undefined): NamedLayer {
  const parts = judgeParts(old.value).filter((part) => isRestriction(part) || isPartOf(part, now?.value));
  const rules = old.rules.filter((rule) => rule.decision !== "allow" || isAmong(rule, now?.rules ?? []));
  return { ...old, value: settingsOf(parts), rules };
}

function restrictions(now: NamedLayer, known: readonly RuleSource[]): NamedLayer {
  const rules = now.rules.filter((rule) => rule.decision !== "allow" && !isAmong(rule, known));
  return { ...now, value: settingsOf(judgeParts(now.value).filter(isRestriction)), rules, hooks: [] };
}

function isRestriction({ effectTime }: Judged): boolean {
  return effectTime === "now";
}

/** True if the settings still have this list item, or this key with any value. */
function isPartOf({ path, value }: Judged, settings: unknown): boolean {
  const isItem = typeof path.at(-1) === "number";
  const keys = isItem ? path.slice(0, -1) : path;
  const found = valueAt(settings, keys);
  return isItem ? Array.isArray(found) && found.some((one) => isDeepStrictEqual(one, value)) : found !== undefined;
}

function isAmong({ rule, decision }: RuleSource, rules: readonly RuleSource[]): boolean {
  return rules.some((one) => one.rule === rule && one.decision === decision);
}
