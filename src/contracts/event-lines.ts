import type { CacheMiss, EngineEvent } from "./event.ts";
import { namedFew } from "./words.ts";

/** Makes the line for the person: why the provider read input without its cache, and the cost of that. */
export function cacheMissedLine({ missedTokens, costUsd, ...change }: CacheMiss): string {
  const price = costUsd === undefined ? "" : `, $${costUsd.toFixed(costUsd < 0.01 ? 4 : 2)} more than from the cache`;
  return `The provider read about ${missedTokens} tokens again without its cache${price}: ${reason(change)}.`;
}

function reason({ changed, detail = "" }: Pick<CacheMiss, "changed" | "detail">): string {
  switch (changed) {
    case "tools":
      return `the tool ${detail} changed in the tool list`;
    case "prompt":
      return "the system prompt changed";
    case "outputSchema":
      return "the schema of the answer changed";
    case "message":
      return `message ${detail} of the conversation changed`;
    case "nothing":
      return "Quoll sent the same beginning as before, so the provider lost its cache";
    default:
      return `the setting ${changed} changed`;
  }
}

const MAX_NAMES = 3;

/** One line for the person: why a request is sent without the provider's cache. */
export function toolsChangedLine({
  added,
  changed,
  resentTokens,
}: Extract<EngineEvent, { type: "tools_changed" }>): string {
  const parts = [
    ...(added.length > 0 ? [`New tools: ${namedFew(added, MAX_NAMES)}`] : []),
    ...(changed.length > 0 ? [`Changed tools: ${namedFew(changed, MAX_NAMES)}`] : []),
  ];
  return `${parts.join(". ")}. The next request sends about ${resentTokens} tokens again without the cache.`;
}
