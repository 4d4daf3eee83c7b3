/** The tool by which the model brings back what it no longer sees. */
export const RECALL = "Recall";
/** The element around what that tool returns. */
export const MATERIAL_TAG = "earlier-material";

/**
 * The part of an entry that a search finds. `note`: text that Quoll or a hook put beside the user's words. `spilled`: the file that
 * holds a result which was too large for the context.
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

/** A place where the words of a query stand. */
export type RecallMatch = {
  readonly sessionId: string;
  /** The name of the folder that holds the sessions of its project. */
  readonly projectId: string;
  /** Where the session was started; empty where unknown. */
  readonly cwd: string;
  /** The session's first prompt on one line; empty where it has none. */
  readonly title: string;
  readonly entryId: string;
  /** The id that brings the whole back: of the call, or of the entry. */
  readonly id: string;
  readonly kind: RecallKind;
  /** ISO 8601, UTC. */
  readonly time: string;
  /** Characters of the whole text. */
  readonly chars: number;
  /** The part of the text around the words. */
  readonly excerpt: string;
};

export type RecallAnswer = {
  /** The best first. */
  readonly matches: readonly RecallMatch[];
  /** How many more matches there are at least. */
  readonly more: number;
  /** Facts about the search for the person or the model, a line each: an index that was rebuilt, sessions that were left out. */
  readonly notes: readonly string[];
};

/** Text of an entry. */
export type RecallPassage = Pick<RecallMatch, "sessionId" | "entryId" | "id" | "kind" | "time"> & {
  readonly text: string;
};

/** The sessions that are searched. `session`: the conversation since it was last cleared, with its branches and child agents. */
export type RecallScope = "session" | "project" | "all";

/** One session. */
export type RecallPlace = Pick<RecallMatch, "projectId" | "sessionId">;

export type RecallSearch = {
  readonly query: string;
  readonly scope: RecallScope;
  readonly maxMatches: number;
  /** The longest excerpt, in characters. */
  readonly excerptChars: number;
  /** Called with the progress while an index is being built. */
  report?(indexed: { readonly done: number; readonly total: number }): void;
};

/** Finds what was said and done earlier. */
export interface Recall {
  /** @throws the abort reason of `signal`. @throws {UserFacingError} the query has no word, or the sessions can't be read. */
  search(search: RecallSearch, signal: AbortSignal): Promise<RecallAnswer>;
  /**
   * The texts of the entry, call or message with this id, in the order in which they were said; none where there is no such id.
   * @param where One session, or several; the own one goes first.
   * @throws {UserFacingError} the session can't be read.
   */
  find(id: string, where: RecallScope | RecallPlace, signal: AbortSignal): Promise<readonly RecallPassage[]>;
}
