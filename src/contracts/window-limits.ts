import type { ModelCapabilities } from "./provider.ts";

/** The requested number of output tokens, unless the model or its window allows fewer. */
export const WANTED_OUTPUT_TOKENS = 32_000;
/** The maximum share of the window that is kept free for the answer. */
const RESERVED_SHARE = 0.1;
const WARN_PERCENT = 80;
const COMPACT_PERCENT = 90;
const STOP_PERCENT = 97;

/** A person's own limits: percentages of the usable window, and the tokens to keep free for the answer. */
export type WindowSettings = {
  /** False if a conversation is compacted only when the person asks for it. */
  readonly auto?: boolean | undefined;
  /** True if a resting conversation is summarised before the provider's cache expires. */
  readonly idle?: boolean | undefined;
  readonly warnPercent?: number | undefined;
  readonly compactPercent?: number | undefined;
  readonly stopPercent?: number | undefined;
  readonly reserveTokens?: number | undefined;
};

/**
 * Limits in tokens. `compact`: Quoll compacts the conversation automatically; `stop`: Quoll sends no further request
 * before a compaction.
 */
export type WindowLimits = {
  readonly window: number;
  readonly reserved: number;
  readonly usable: number;
  readonly warn: number;
  readonly compact: number;
  readonly stop: number;
};

/** How much of a model's window a conversation may use: one formula for every window. */
export function windowLimits(
  { contextWindow, maxOutputTokens }: Pick<ModelCapabilities, "contextWindow" | "maxOutputTokens">,
  settings: WindowSettings = {},
): WindowLimits {
  const wanted = Math.min(maxOutputTokens, WANTED_OUTPUT_TOKENS);
  const reserved = Math.min(settings.reserveTokens ?? wanted, Math.floor(contextWindow * maxReserve(settings)));
  const usable = contextWindow - reserved;
  const percent = (value: number) => Math.floor((usable * value) / 100);
  const stop = settings.stopPercent ?? STOP_PERCENT;
  const compact = Math.min(settings.compactPercent ?? COMPACT_PERCENT, stop);
  const warn = Math.min(settings.warnPercent ?? WARN_PERCENT, compact);
  return {
    window: contextWindow,
    reserved,
    usable,
    warn: percent(warn),
    compact: percent(compact),
    stop: percent(stop),
  };
}

/** A person may choose a larger reserve, but half of the window stays usable. */
function maxReserve({ reserveTokens }: WindowSettings): number {
  return reserveTokens === undefined ? RESERVED_SHARE : 0.5;
}

/** How to load a model of a local server with a larger window, as a clause. */
export const LARGER_WINDOW =
  "set OLLAMA_CONTEXT_LENGTH for the server, or num_ctx in the model's Modelfile, and load the model again";

/** One line about a model that could take more than the window with which its server loaded it. */
export function loadedWindowLine(model: string, tokens: number): string {
  return `The server has loaded ${model} with a window of ${tokens.toLocaleString("en-US")} tokens: for more, ${LARGER_WINDOW}.`;
}
