import type { Message } from "./message.ts";

/** Why the conversation has to become shorter. `full`: it comes near the window's end. `too_long`: the provider refused it. */
export type CompactionReason = "full" | "too_long";

export type FitRequest = {
  readonly messages: readonly Message[];
  /** Of the request that would be sent: estimated, from the last exact count on. */
  readonly usedTokens: number;
  readonly windowTokens: number;
  /** Kept free for the answer. */
  readonly reservedTokens: number;
  /** Set when the provider refused what was sent: the estimate was wrong, and more must go. */
  readonly isTooLong: boolean;
};

export type Fitted = {
  /** The very same array when nothing had to be done. */
  readonly messages: readonly Message[];
  /** Estimated tokens that it freed. */
  readonly freedTokens: number;
  /** One line for the person; undefined when nothing was done. */
  readonly note?: string;
};

/** Makes a conversation fit its window: stages, cheapest first. What it takes out stays in the session's file. */
export interface Compactor {
  /** Never splits a call from its result. Gives back the input itself when it fits. */
  fit(request: FitRequest, signal: AbortSignal): Promise<Fitted>;
}
