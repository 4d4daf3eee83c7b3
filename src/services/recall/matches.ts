import type { RecallAnswer, RecallKind, RecallMatch, RecallSearch } from "../../contracts/recall.ts";
import type { Entry } from "../../contracts/session.ts";
import type { EntryText } from "./entry-texts.ts";
import { excerptOf, MAX_QUERY_WORDS, type Query, wordScores } from "./query.ts";

/** Texts that fit much worse than the best are left out. */
const MIN_SHARE_OF_BEST = 0.4;
/** The weight of the order that the index gives. All words of the query together have the weight 2. */
const ORDER_WEIGHT = 0.4;
/** Summaries and notes repeat what stands elsewhere. */
const KIND_WEIGHT: Readonly<Record<RecallKind, number>> = {
  user: 0.2,
  assistant: 0.1,
  result: 0.1,
  call: 0,
  spilled: 0,
  note: -0.3,
  summary: -0.3,
};

/** A text that may fit, and where it stands. */
export type Candidate = Pick<RecallMatch, "sessionId" | "projectId" | "cwd" | "title"> & {
  readonly entry: Entry;
  readonly found: EntryText;
};

type Scored = { readonly candidate: Candidate; readonly fit: number; readonly score: number };

/** A search, and the function that hides credentials in a whole text: a part of a key is not recognised. */
type Asked = { readonly search: RecallSearch; redact(text: string): string };

/**
 * The best of the candidates. One text counts once, also where a fork of its session repeats it.
 * @param candidates The best first, as far as the index can tell.
 */
export function bestMatches(candidates: readonly Candidate[], query: Query, asked: Asked): RecallAnswer {
  const { search } = asked;
  const different = distinct(candidates);
  const words = different.map(({ found }) => wordScores(found.text, query));
  const weights = weightsOf(words, query);
  const scored = different.map((candidate, at, { length }): Scored => {
    const fit = (words[at] ?? []).reduce((sum, score, word) => sum + score * (weights[word] ?? 0), 0);
    const score = fit * 2 + KIND_WEIGHT[candidate.found.kind] + (1 - at / length) * ORDER_WEIGHT;
    return { candidate, fit, score };
  });
  const best = Math.max(0, ...scored.map(({ fit }) => fit));
  const fitting = scored
    .filter(({ fit }) => fit > 0 && fit >= best * MIN_SHARE_OF_BEST)
    .toSorted((a, b) => b.score - a.score);
  const notes = query.ignored > 0 ? [`Only the first ${MAX_QUERY_WORDS} words of the query were used.`] : [];
  return {
    matches: fitting.slice(0, search.maxMatches).map(({ candidate }) => matchOf(candidate, query, asked)),
    more: Math.max(0, fitting.length - search.maxMatches),
    notes,
  };
}

/** The weight of each word: a word that few candidates have weighs more. The sum is 1. */
function weightsOf(scores: readonly (readonly number[])[], { words }: Query): readonly number[] {
  const rarities = words.map((_, word) => {
    const having = scores.filter((one) => (one[word] ?? 0) > 0).length;
    return Math.log(1 + (scores.length + 1) / (having + 1));
  });
  const sum = rarities.reduce((all, rarity) => all + rarity, 0);
  return rarities.map((rarity) => rarity / sum);
}

function distinct(candidates: readonly Candidate[]): readonly Candidate[] {
  const known = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const { kind, id, text } = candidate.found;
    const key = `${kind} ${id} ${text.length}`;
    if (!known.has(key)) known.set(key, candidate);
  }
  return [...known.values()];
}

function matchOf({ entry, found, ...place }: Candidate, query: Query, { search, redact }: Asked): RecallMatch {
  const { kind, id } = found;
  const { sessionId, projectId, cwd } = place;
  const title = redact(place.title);
  const text = redact(found.text);
  return {
    ...{ sessionId, projectId, cwd, title, kind, id, entryId: entry.id, time: entry.time },
    chars: text.length,
    excerpt: excerptOf(text, query, search.excerptChars),
  };
}
