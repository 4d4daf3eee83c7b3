import type { CacheMiss, EngineEvent } from "../contracts/event.ts";
import type { Message, Usage } from "../contracts/message.ts";
import { NO_USAGE, totalInputTokens } from "../contracts/message.ts";
import type { Clock, ModelCatalog } from "../contracts/ports.ts";
import type { ProviderRequest, ToolDeclaration } from "../contracts/provider.ts";
import { CACHE_TTL_MS, type CacheTtl } from "./cache-warmth.ts";

/** A miss of fewer tokens is not reported: providers cache in blocks of about a thousand. */
const MIN_MISSED_TOKENS = 2_000;

type Sent = Omit<ProviderRequest, "messages"> & {
  readonly messages: readonly Message[];
  readonly sentAt: number;
  /** How long the provider that got the request keeps its prefix. */
  readonly ttlMs: number;
};

/**
 * Compares the tokens that a provider read from its prompt cache with those that the last request stored there, and
 * finds the part that changed between the two requests. Each step costs one copy of the list of messages; contents are
 * compared only after a miss.
 */
export class CacheWatch {
  readonly #clock: Pick<Clock, "now">;
  readonly #ttlMs: CacheTtl | undefined;
  /** The newest answered request, and the tokens that it left in the cache. */
  #last: { readonly sent: Sent; readonly cachedTokens: number } | undefined;
  #sending: Sent | undefined;
  /** True if the reason of the next miss was already reported. */
  #isExplained = false;

  constructor(clock: Pick<Clock, "now">, ttlMs: CacheTtl | undefined) {
    this.#clock = clock;
    this.#ttlMs = ttlMs;
  }

  /** Notes events that explain the loss of the cached prefix. */
  note(event: EngineEvent): void {
    const isReason =
      ["compacted", "tools_changed", "conversation_changed", "model_changed"].includes(event.type) ||
      (event.type === "continued" && (event.reason === "images_reduced" || event.reason === "media_left_out"));
    if (isReason) this.#isExplained = true;
  }

  sending(request: ProviderRequest): void {
    const ttlMs = this.#ttlMs?.() ?? CACHE_TTL_MS;
    this.#sending = { ...request, messages: [...request.messages], sentAt: this.#clock.now(), ttlMs };
  }

  /**
   * @returns the tokens that the answered request did not read from the cache for an unknown reason; undefined if there
   * is nothing to report.
   */
  answered(usage: Usage): CacheMiss | undefined {
    const [sent, last, isExplained] = [this.#sending, this.#last, this.#isExplained];
    if (!sent || usage.estimated || totalInputTokens(usage) === 0) return undefined;
    this.#isExplained = false;
    this.#last = { sent, cachedTokens: usage.cacheReadTokens + usage.cacheWriteTokens };
    if (!last || isExplained || last.sent.model !== sent.model) return undefined;
    if (sent.sentAt - last.sent.sentAt > last.sent.ttlMs) return undefined;
    const missedTokens = Math.min(last.cachedTokens, totalInputTokens(usage)) - usage.cacheReadTokens;
    return missedTokens < MIN_MISSED_TOKENS ? undefined : { ...firstChange(last.sent, sent), missedTokens };
  }
}

/** The extra cost of the tokens that were not read from the cache, in US dollars; undefined if the price is unknown. */
export async function missCost(
  { missedTokens }: CacheMiss,
  { model, usage }: { readonly model: string; readonly usage: Usage },
  catalog: Pick<ModelCatalog, "cost">,
): Promise<number | undefined> {
  const kind = usage.cacheWriteTokens > 0 ? "cacheWriteTokens" : "inputTokens";
  const paid = await catalog.cost(model, { ...NO_USAGE, [kind]: missedTokens });
  const usual = await catalog.cost(model, { ...NO_USAGE, cacheReadTokens: missedTokens });
  return paid === undefined || usual === undefined ? undefined : Math.max(0, paid - usual);
}

/** Finds the first changed part, in the order in which a provider reads the parts. */
function firstChange(before: Sent, after: Sent): Pick<CacheMiss, "changed" | "detail"> {
  const tool = changedTool(before.tools, after.tools);
  if (tool !== undefined) return { changed: "tools", detail: tool };
  if (before.system !== after.system) return { changed: "prompt" };
  for (const part of ["thinking", "effort", "outputSchema"] as const)
    if (!isSame(before[part], after[part])) return { changed: part };
  const at = before.messages.findIndex((message, index) => !isSame(message, after.messages[index]));
  return at === -1 ? { changed: "nothing" } : { changed: "message", detail: String(at + 1) };
}

function changedTool(before: readonly ToolDeclaration[], after: readonly ToolDeclaration[]): string | undefined {
  if (before === after) return undefined;
  const at = before.findIndex((tool, index) => !isSame(tool, after[index]));
  if (at !== -1) return before[at]?.name;
  return after[before.length]?.name;
}

function isSame(before: unknown, after: unknown): boolean {
  return before === after || JSON.stringify(before) === JSON.stringify(after);
}
