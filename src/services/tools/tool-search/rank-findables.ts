import type { Findable } from "../../../contracts/findable.ts";
import { searchWords } from "../../../contracts/search-words.ts";
import { searchIndexOf } from "./search-index.ts";

/** Entries with a much lower score than the best one are left out. */
const MIN_SHARE_OF_BEST = 0.25;
const SERVER_PREFIX = /^mcp__.+?__/;
/** The beginning of a query that names tools. */
export const SELECT = /^select:/i;

export type Found = {
  readonly items: readonly Findable[];
  /** Names in a `select:` query that no entry has. */
  readonly missing: readonly string[];
};

/**
 * Finds the matches of a query, best first: by exact name (also without the server's prefix), by `select:a,b`, else by words. A
 * word with `+` must occur. Ties keep the order of `all`, so that the same query gives the same answer.
 */
export function findByQuery(query: string, all: readonly Findable[]): Found {
  if (SELECT.test(query)) return select(query.replace(SELECT, "").split(","), all);
  const exact = named(query, all);
  if (exact.length > 0) return { items: exact, missing: [] };
  return { items: rank(query, all), missing: [] };
}

function select(names: readonly string[], all: readonly Findable[]): Found {
  const wanted = names.map((name) => name.trim()).filter((name) => name !== "");
  const items = new Set(wanted.flatMap((name) => named(name, all)));
  return { items: [...items], missing: wanted.filter((name) => named(name, all).length === 0) };
}

function named(name: string, all: readonly Findable[]): readonly Findable[] {
  const folded = name.toLowerCase();
  const ending: { readonly item: Findable; readonly name: string }[] = [];
  const { names } = searchIndexOf(all);
  for (let at = 0; at < names.length; at += 1) {
    const item = names[at]?.endsWith(folded) ? all[at] : undefined;
    if (item) ending.push({ item, name: names[at] ?? "" });
  }
  const whole = ending.filter((one) => one.name === folded);
  const found = whole.length > 0 ? whole : ending.filter((one) => one.name.replace(SERVER_PREFIX, "") === folded);
  return found.map(({ item }) => item);
}

function rank(query: string, all: readonly Findable[]): readonly Findable[] {
  const scores = scoresOf(query, all);
  const best = scores.reduce((most, score) => Math.max(most, score), 0);
  const least = Math.max(best * MIN_SHARE_OF_BEST, Number.MIN_VALUE);
  // Entries with the same score keep their order; most share theirs with many others.
  const byScore = new Map<number, Findable[]>();
  for (let at = 0; at < all.length; at += 1) {
    const item = all[at];
    const score = scores[at] ?? 0;
    if (!item || score < least) continue;
    const same = byScore.get(score);
    if (same) same.push(item);
    else byScore.set(score, [item]);
  }
  return [...byScore].sort(([a], [b]) => b - a).flatMap(([, items]) => items);
}

/** The score of each entry; 0 for one that lacks a required word. */
function scoresOf(query: string, all: readonly Findable[]): Float64Array {
  const index = searchIndexOf(all);
  const terms = query.split(/\s+/).map((term) => ({ words: searchWords(term), isRequired: term.startsWith("+") }));
  const required = new Set(terms.filter(({ isRequired }) => isRequired).flatMap(({ words }) => words));
  const scores = new Float64Array(all.length);
  for (const word of new Set(terms.flatMap((term) => term.words))) index.addTo(scores, word);
  for (const word of required) {
    const own = new Float64Array(all.length);
    index.addTo(own, word);
    for (let at = 0; at < all.length; at += 1) if (own[at] === 0) scores[at] = 0;
  }
  return scores;
}
