/** The changes that a person may make to a turn or a result in the model's view. */
export const CONTEXT_VERBS = ["drop", "collapse", "pin", "unpin"] as const;
export type ContextVerb = (typeof CONTEXT_VERBS)[number];

/** One change. `id`: the number of a turn (from 1), the id of its first message, or the id of the call of a result. */
export type ContextMark = { readonly verb: ContextVerb; readonly id: string };

/** The effect of changes that have not been made yet. */
export type ContextEditPreview = {
  readonly turns: number;
  readonly results: number;
  /** The estimated number of freed tokens; 0 if the changes only pin. */
  readonly freedTokens: number;
  /**
   * Tokens after the first change, which the next request sends without the prompt cache; 0 if the cache has already
   * expired.
   */
  readonly resentTokens: number;
  /** US dollars for reading the resent tokens without the cache; absent if the price is unknown. */
  readonly costUsd?: number;
};

/** Changes the model's view of turns and results. */
export type ContextEdits = {
  /** @throws {UserFacingError} (as a rejection) a turn runs, a mark names nothing, or too much would be pinned. */
  preview(marks: readonly ContextMark[]): Promise<ContextEditPreview>;
  /** Makes the changes. @throws {UserFacingError} (as a rejection) for the reasons that `preview` names. */
  apply(marks: readonly ContextMark[]): Promise<ContextEditPreview>;
};
