import { field } from "./error-body.ts";

/** Fields of usage that a server reports beside those of Chat Completions. */
export type ReportedUsage = {
  /** Tokens read from the prompt cache and written to it; a part of the prompt tokens. */
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** The cost of the request in US dollars. */
  readonly costUsd: number | undefined;
};

/**
 * Where servers report cache hits. Sources: the references of DeepSeek (`prompt_cache_hit_tokens`), Kimi (`cached_tokens`),
 * OpenAI, OpenRouter and Qwen (details of the prompt), and LiteLLM, which adds Anthropic's fields.
 */
const READ_FIELDS = ["prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens"] as const;
const WRITE_FIELDS = ["cache_write_tokens", "cache_creation_tokens", "cache_creation_input_tokens"] as const;
const DETAILS = ["prompt_tokens_details", "input_tokens_details"] as const;

/** Reads a usage object as it arrived; a field that is missing counts as nothing. */
export function reportedUsage(usage: unknown): ReportedUsage {
  const places = [usage, ...DETAILS.map((name) => field(usage, name))];
  const largest = (names: readonly string[]) =>
    Math.max(0, ...places.flatMap((place) => names.map((name) => amount(field(place, name)) ?? 0)));
  return {
    cacheReadTokens: largest(READ_FIELDS),
    cacheWriteTokens: largest(WRITE_FIELDS),
    costUsd: reportedCost(usage),
  };
}

/** Source: xAI's documentation, "Cost Tracking". */
const TICKS_PER_USD = 10_000_000_000;

/** OpenRouter reports a number, Perplexity an object with the total, xAI ticks. */
export function reportedCost(usage: unknown): number | undefined {
  const cost = field(usage, "cost");
  const ticks = amount(field(usage, "cost_in_usd_ticks"));
  return amount(cost) ?? amount(field(cost, "total_cost")) ?? (ticks === undefined ? undefined : ticks / TICKS_PER_USD);
}

/** Web searches on the server, as Anthropic and OpenRouter report them, or xAI. Undefined for none. */
export function reportedSearches(usage: unknown): number | undefined {
  const count =
    amount(field(field(usage, "server_tool_use"), "web_search_requests")) ??
    amount(field(field(usage, "server_side_tool_usage_details"), "web_search_calls"));
  return count === 0 ? undefined : count;
}

function amount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}
