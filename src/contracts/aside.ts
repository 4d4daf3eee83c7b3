/** An answer that is not part of the conversation. `costUsd`: US dollars; undefined if the price is unknown. */
export type AsideAnswer = { readonly text: string; readonly tokens: number; readonly costUsd: number | undefined };

/**
 * Asks the conversation's model outside the conversation, also while a turn runs: neither the question nor the answer
 * becomes part of the conversation, and no tool runs.
 */
export type Asides = {
  /** @throws {UserFacingError} (as a rejection) there is no model or no conversation yet, or no answer came. @throws {SpendLimitError} a cap leaves no room. */
  ask(question: string, signal: AbortSignal): Promise<AsideAnswer>;
  /**
   * Sends a first short request without the conversation, which shows that the key, the model and the network work. The
   * request fails at the first failure that a conversation would retry.
   * @throws {UserFacingError} (as a rejection) there is no model, or no answer came.
   * @throws {SpendLimitError} a cap leaves no room.
   */
  tryOut(signal: AbortSignal): Promise<AsideAnswer>;
  /** Sums up the work so far in a few lines. @throws as `ask`. */
  recap(signal: AbortSignal): Promise<AsideAnswer>;
};
