import { LRUCache } from "lru-cache";
import { withoutEscapes } from "../../platform/processes/token-shapes.ts";
import { assignmentFinder } from "./assignment.ts";
import { contextFinder } from "./context-rules.ts";
import { knownValueFinder } from "./known-value.ts";
import { kubernetesSecretFinder } from "./kubernetes-secret.ts";
import { namedPairFinder } from "./named-pair.ts";
import { findPlaceholders } from "./placeholder.ts";
import { privateKeyFinder } from "./private-key.ts";
import { isPublished } from "./published-values.ts";
import type { Finder, SecretMatch } from "./secret-match.ts";
import { jwtFinder, tokenShapeFinder } from "./token-shape.ts";
import { urlPasswordFinder } from "./url-password.ts";

const MAX_CLEAN_TEXTS = 64;
const MAX_CLEAN_CHARS = 8_192;

/** Finders, most specific first: the first that finds a credential names its kind. */
export function secretFinder(ruleSet: Finder, knownValues: readonly string[], remembered: Finder = () => []): Finder {
  const finders = [
    privateKeyFinder,
    tokenShapeFinder,
    ruleSet,
    jwtFinder,
    urlPasswordFinder,
    kubernetesSecretFinder,
    contextFinder,
    namedPairFinder,
    assignmentFinder,
  ];
  const byShape = [tokenShapeFinder, ruleSet, jwtFinder];
  const known = knownValueFinder(knownValues);
  const guess = withoutRepeats((text) => {
    const plain = withoutEscapes(text);
    const guessed = [
      ...finders.flatMap((find) => find(text)),
      ...(plain === text ? [] : byShape.flatMap((find) => find(plain))),
    ];
    return guessed.filter((match) => !isPublished(text, match));
  });
  return (text) => {
    const found = [...guess(text), ...known(text), ...remembered(text)];
    return found.length === 0 ? found : merge(text, outsidePlaceholders(text, found));
  };
}

/**
 * Caches the last short texts without secrets, since one result passes the finder several times (content, display,
 * progress). A text with a secret is never cached.
 */
function withoutRepeats(find: Finder): Finder {
  const clean = new LRUCache<string, true>({ max: MAX_CLEAN_TEXTS });
  return (text) => {
    if (clean.get(text)) return [];
    const found = find(text);
    if (found.length === 0 && text.length <= MAX_CLEAN_CHARS) clean.set(text, true);
    return found;
  };
}

/** Drops matches that are placeholders or that match only because they contain one. */
function outsidePlaceholders(text: string, found: readonly SecretMatch[]): readonly SecretMatch[] {
  const taken = findPlaceholders(text);
  if (taken.length === 0) return found;
  let first = 0;
  return [...found]
    .sort((a, b) => a.start - b.start)
    .filter(({ start, end }) => {
      while (first < taken.length && (taken[first]?.end ?? 0) <= start) first += 1;
      const next = taken[first];
      return next === undefined || next.start >= end;
    });
}

/** Sorted and without overlap: two overlapping matches become one that covers both. */
function merge(text: string, found: readonly SecretMatch[]): readonly SecretMatch[] {
  const ranked = found.map((match, rank) => ({ match, rank }));
  ranked.sort((a, b) => a.match.start - b.match.start || b.match.end - a.match.end || a.rank - b.rank);
  const merged: SecretMatch[] = [];
  for (const { match } of ranked) {
    const last = merged.at(-1);
    if (!last || match.start >= last.end) merged.push(match);
    else if (match.end > last.end) merged[merged.length - 1] = { start: last.start, end: match.end, kind: last.kind };
  }
  return merged.filter(({ start, end }) => text.slice(start, end).trim() !== "");
}
