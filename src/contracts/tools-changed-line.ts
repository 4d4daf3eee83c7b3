import type { EngineEvent } from "./event.ts";

const MAX_NAMES = 3;

/** One line for the person: why a request is sent without the provider's cache. */
export function toolsChangedLine({
  added,
  changed,
  resentTokens,
}: Extract<EngineEvent, { type: "tools_changed" }>): string {
  const parts = [
    ...(added.length > 0 ? [`${tools(added)} joined the tool list`] : []),
    ...(changed.length > 0 ? [`${tools(changed)} changed in the tool list`] : []),
  ];
  return `${parts.join("; ")}: the next request sends about ${resentTokens} tokens again without the cache.`;
}

function tools(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(", ");
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more tools` : shown;
}
