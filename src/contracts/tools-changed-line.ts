import type { EngineEvent } from "./event.ts";

const MAX_NAMES = 3;

/** One line for the person: why a request is sent without the provider's cache. */
export function toolsChangedLine({
  added,
  changed,
  resentTokens,
}: Extract<EngineEvent, { type: "tools_changed" }>): string {
  const parts = [
    ...(added.length > 0 ? [`New tools: ${tools(added)}`] : []),
    ...(changed.length > 0 ? [`Changed tools: ${tools(changed)}`] : []),
  ];
  return `${parts.join(". ")}. The next request sends about ${resentTokens} tokens again without the cache.`;
}

function tools(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(", ");
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown;
}
