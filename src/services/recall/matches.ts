import { setImmediate as giveWay } from "node:timers/promises";
import type { RecallAnswer, RecallKind, RecallMatch, RecallSearch } from "../../contracts/recall.ts";
import type { Entry } from "../../contracts/session.ts";
import type { EntryText } from "./entry-texts.ts";
import { excerptOf, MAX_QUERY_WORDS, type Query } from "./recall-query.ts";

/** Texts that fit much worse than the best are left out. */
const MIN_SHARE_OF_BEST = 0.4;
/** The weight of the order in which the index returns matches. Together, all words of the query have the weight 2. */
const ORDER_WEIGHT = 0.4;
/** Summaries and notes repeat other texts, so they weigh less. */
const KIND_WEIGHT: Readonly<Record<RecallKind, number>> = {
  user: 0.2,
  assistant: 0.1,
  result: 0.1,
  call: 0,
  spilled: 0,
  note: -0.3,
  summary: -0.3,
};

/**
 * A possible match without its text, which may have megabytes and is read again only for the matches that are shown.
 */
export type Candidate = Omit<RecallMatch, "excerpt"> & {
  /** How well the text matches each word of the query, from 0 to 1. */
  readonly scores: readonly number[];
  /** Reads the whole text; undefined if it no longer exists. */
  readText(): string | undefined;
};

/** A text that was read. */
type Found = Pick<Candidate, "scores" | "readText"> & { readonly entry: Entry; readonly found: EntryText };

/** Keeps of a text what a comparison needs. */
export function candidateOf(
  { sessionId, projectId, cwd, title }: Pick<Candidate, "sessionId" | "projectId" | "cwd" | "title">,
  { entry, found, scores, readText }: Found,
): Candidate {
  const { kind, id, text } = found;
  const place = { sessionId, projectId, cwd, title, kind, id, entryId: entry.id, time: entry.time };
  return { ...place, chars: text.length, scores, readText };
}

type Scored = { readonly candidate: Candidate; readonly fit: number; readonly score: number };

/** A search, and the function that hides credentials in a whole text: a part of a key is not recognised. */
type Asked = { readonly search: RecallSearch; readonly signal: AbortSignal; redact(text: string): string };

/**
 * The best of the candidates. The same text counts once, even if a fork of its session repeats it.
 * @param candidates The candidates, best first according to the index.
 * @throws the abort reason of `signal`.
 */
export async function bestMatches(candidates: readonly Candidate[], query: Query, asked: Asked): Promise<RecallAnswer> {
  const { search } = asked;
  const different = distinct(search.hidesNotes ? candidates.filter(({ kind }) => kind !== "note") : candidates);
  const weights = weightsOf(
    different.map(({ scores }) => scores),
    query,
  );
  const scored = different.map((candidate, at, { length }): Scored => {
    const fit = candidate.scores.reduce((sum, score, word) => sum + score * (weights[word] ?? 0), 0);
    const score = fit * 2 + KIND_WEIGHT[candidate.kind] + (1 - at / length) * ORDER_WEIGHT;
    return { candidate, fit, score };
  });
  const best = Math.max(0, ...scored.map(({ fit }) => fit));
  const fitting = scored
    .filter(({ fit }) => fit > 0 && fit >= best * MIN_SHARE_OF_BEST)
    .toSorted((a, b) => b.score - a.score);
  const notes = query.ignored > 0 ? [`Only the first ${MAX_QUERY_WORDS} words of the query were used.`] : [];
  const matches: RecallMatch[] = [];
  for (const { candidate } of fitting.slice(0, search.maxMatches)) {
    asked.signal.throwIfAborted();
    matches.push(...matchOf(candidate, query, asked));
    await giveWay();
  }
  return {
    matches,
    more: Math.max(0, fitting.length - search.maxMatches),
    notes,
  };
}

/** The weight of each word: a word that occurs in few candidates weighs more. The sum is 1. */
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
    const { kind, id, chars } = candidate;
    const key = `${kind} ${id} ${chars}`;
    if (!known.has(key)) known.set(key, candidate);
  }
  return [...known.values()];
}

/** Undefined if the text no longer exists. */
function matchOf(candidate: Candidate, query: Query, { search, redact }: Asked): readonly RecallMatch[] {
  const { scores: _, readText, ...match } = candidate;
  const whole = readText();
  if (whole === undefined) return [];
  const text = redact(whole);
  const excerpt = excerptOf(text, query, search.excerptChars);
  return [{ ...match, title: redact(match.title), chars: text.length, excerpt }];
}
