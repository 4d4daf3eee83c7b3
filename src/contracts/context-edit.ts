/** The changes that a person may make to a turn or a result in the model's view. */
export const CONTEXT_VERBS = ["drop", "collapse", "pin", "unpin"] as const;
export type ContextVerb = (typeof CONTEXT_VERBS)[number];

/** One change. `id`: the number of a turn (from 1), the id of its first message, or the id of the call of a result. */
export type ContextMark = { readonly verb: ContextVerb; readonly id: string };

/** The effect of changes that are not made yet. */
export type ContextEditPreview = {
  readonly turns: number;
  readonly results: number;
  /** Estimated; 0 where things are only pinned. */
  readonly freedTokens: number;
  /** Tokens behind the first change, which the next request sends without the prompt cache; 0 where the cache has expired anyway. */
  readonly resentTokens: number;
  /** US dollars for reading those tokens anew instead of from the cache; absent where the price is unknown. */
  readonly costUsd?: number;
};

/** Changes the model's view of turns and results. */
export type ContextEdits = {
  /** @throws {UserFacingError} (as a rejection) a turn runs, a mark names nothing, or too much would be pinned. */
  preview(marks: readonly ContextMark[]): Promise<ContextEditPreview>;
  /** Makes the changes. @throws {UserFacingError} (as a rejection) as `preview`. */
  apply(marks: readonly ContextMark[]): Promise<ContextEditPreview>;
};
