import type { CommandContext } from "../contracts/command.ts";
import type { SessionSummary } from "../contracts/session.ts";

const MAX_TITLED = 5;

/** The sessions that are found by their titles, and by id the titles that are not the first prompt. */
export type Titled = { readonly found: readonly SessionSummary[]; readonly byId: ReadonlyMap<string, string> };

/** The sessions that `titledSessions` finds among all but this one. If their list fails, a search goes on without it. */
export async function titledIn(
  query: string,
  { engine, sessions }: Pick<CommandContext, "engine" | "sessions">,
): Promise<Titled> {
  const all = await (sessions.listAll?.() ?? sessions.list()).catch(() => []);
  const others = all.filter(({ id }) => id !== engine.state.sessionId);
  const byId = new Map(all.flatMap(({ id, title, firstPrompt }) => (firstPrompt === undefined ? [] : [[id, title]])));
  return { found: titledSessions(query, others), byId };
}

/**
 * The sessions whose name, or title by a model, holds all words of a query: exact words first, then the newest. A title
 * that is the first prompt is found as a prompt.
 * @param sessions Newest first.
 */
export function titledSessions<Session extends Pick<SessionSummary, "title" | "firstPrompt">>(
  query: string,
  sessions: readonly Session[],
): readonly Session[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  const found = sessions.flatMap((session) => {
    if (session.firstPrompt === undefined) return [];
    const title = folded(session.title);
    if (!words.every((word) => title.includes(word))) return [];
    const own = new Set(wordsOf(session.title));
    return [{ session, isExact: words.every((word) => own.has(word)) }];
  });
  const sorted = found.toSorted((a, b) => Number(b.isExact) - Number(a.isExact));
  return sorted.slice(0, MAX_TITLED).map(({ session }) => session);
}

function wordsOf(text: string): readonly string[] {
  return folded(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Upper case and accents do not count, as in the rest of the search. */
function folded(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}
