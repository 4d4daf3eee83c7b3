import { type RankedTexts, rankedMatches, wordsOf } from "./rank-match.ts";
import type { SessionSummary } from "./session.ts";

/** The parts of a session by which a person names it. */
type Nameable = { readonly id: string; readonly title: string; readonly isNamed?: true };

/**
 * The sessions that a person means: the session with this id; otherwise those with this title; otherwise those whose
 * id, or whose given name, begins with the words. Upper and lower case are the same in titles.
 * @param wanted Words without blanks around them; empty words mean no session.
 */
export function matchingSessions<Session extends Nameable>(
  wanted: string,
  all: readonly Session[],
): readonly Session[] {
  if (wanted === "") return [];
  const words = wanted.toLowerCase();
  const byId = all.find(({ id }) => id === wanted);
  if (byId) return [byId];
  const exact = all.filter(({ title }) => title.toLowerCase() === words);
  if (exact.length > 0) return exact;
  const begins = ({ id, title, isNamed }: Nameable) =>
    id.startsWith(wanted) || (isNamed && title.toLowerCase().startsWith(words));
  return all.filter(begins);
}

type Described = Pick<SessionSummary, "id" | "title"> & Partial<SessionSummary>;

/** The sessions with their folders as a list shows them, in which words are looked for. */
export function asListed<Session extends Pick<SessionSummary, "folder">>(
  all: readonly Session[],
  shown: (path: string) => string,
): readonly Session[] {
  return all.map((one) => (one.folder === undefined ? one : { ...one, folder: shown(one.folder) }));
}

/** The sessions with all of the words in their name, prompts, branch or folder, the best first. */
export function describedSessions<Session extends Described>(
  words: string,
  all: readonly Session[],
): readonly Session[] {
  return rankedMatches(wordsOf(words), all, textsOf);
}

function textsOf({ id, title, firstPrompt, lastPrompt, branch, worktree, folder }: Described): RankedTexts {
  const more = [firstPrompt, lastPrompt, branch, worktree, folder].filter((text) => text !== undefined);
  return { id, title: title.toLowerCase(), more: more.join("\n").toLowerCase() };
}
