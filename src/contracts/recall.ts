/** The tool with which the model retrieves content that is no longer in its context. */
export const RECALL = "Recall";
/** The tag around the content that Recall returns. */
export const MATERIAL_TAG = "earlier-material";

/**
 * The part of an entry that a search finds. `note`: text that Quoll or a hook added to the user's message. `spilled`: a
 * file with a result that was too large for the context.
 */
export type RecallKind = "user" | "note" | "assistant" | "call" | "result" | "spilled" | "summary";

/** The kinds of text, as a person reads them. */
export const MATCH_WORDS: Readonly<Record<RecallKind, string>> = {
  user: "prompt",
  note: "note",
  assistant: "answer",
  call: "call",
  result: "result",
  spilled: "result in a file",
  summary: "summary",
};

/** A match of a query in a session. */
export type RecallMatch = {
  readonly sessionId: string;
  /** The name of the folder that contains the sessions of the match's project. */
  readonly projectId: string;
  /** The folder in which the session was started; empty if unknown. */
  readonly cwd: string;
  /** The session's first prompt on one line; empty if there is none. */
  readonly title: string;
  readonly entryId: string;
  /** The id with which Recall returns the whole text: of the call, or of the entry. */
  readonly id: string;
  readonly kind: RecallKind;
  /** ISO 8601, UTC. */
  readonly time: string;
  /** The length of the whole text in characters. */
  readonly chars: number;
  /** The part of the text around the matching words. */
  readonly excerpt: string;
};

export type RecallAnswer = {
  /** The best first. */
  readonly matches: readonly RecallMatch[];
  /** The minimum number of further matches. */
  readonly more: number;
  /** Facts about the search for the person or the model, a line each: an index that was rebuilt, sessions that were left out. */
  readonly notes: readonly string[];
};

/** Text of an entry. */
export type RecallPassage = Pick<RecallMatch, "sessionId" | "entryId" | "id" | "kind" | "time"> & {
  readonly text: string;
};

/**
 * The sessions that are searched. `session`: the conversation since the last `/clear`, with its branches and child
 * agents.
 */
export type RecallScope = "session" | "project" | "all";

/** One session. */
export type RecalledSession = Pick<RecallMatch, "projectId" | "sessionId">;

export type RecallSearch = {
  readonly query: string;
  readonly scope: RecallScope;
  readonly maxMatches: number;
  /** The maximum length of an excerpt, in characters. */
  readonly excerptChars: number;
  /** True to leave out what was added to prompts: a person has never seen it. */
  readonly hidesNotes?: true;
  /** Called with the progress while an index is being built. */
  report?(indexed: IndexedPart): void;
  /**
   * Called with what is found so far while an index is being built, the newest sessions first, as soon as there is a
   * match, and then from time to time. The search goes on meanwhile.
   */
  partial?(answer: RecallAnswer, indexed: IndexedPart): void;
};

/** How far an index is, in bytes of the logs. */
export type IndexedPart = { readonly done: number; readonly total: number };

/** Finds earlier messages and actions in saved sessions. */
export interface Recall {
  /** @throws the abort reason of `signal`. @throws {UserFacingError} the query has no word, or the sessions can't be read. */
  search(search: RecallSearch, signal: AbortSignal): Promise<RecallAnswer>;
  /**
   * The texts of the entry, call or message with this id, oldest first; empty if there is no such id.
   * @param where One session, or several sessions starting with the current one.
   * @throws {UserFacingError} the session can't be read.
   */
  find(id: string, where: RecallScope | RecalledSession, signal: AbortSignal): Promise<readonly RecallPassage[]>;
}
