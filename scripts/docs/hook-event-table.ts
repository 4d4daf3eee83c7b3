import { CONFIGURABLE_EVENTS, factsOfEvent } from "../../src/contracts/hook-events.ts";
import { table } from "./markdown.ts";

export const HOOKS_START = "<!-- hook events: generated from src/contracts/hook-events.ts -->";
export const HOOKS_END = "<!-- end of hook events -->";

/** The events of hooks, for docs/guide/hooks.md. */
export function hookEventTable(): string {
  const rows = CONFIGURABLE_EVENTS.map((event) => {
    const { summary, matcher = "–", block = "–", isUnused } = factsOfEvent(event);
    return [`\`${event}\``, isUnused ? `${summary}. Nothing causes this event yet` : summary, matcher, block];
  });
  return [HOOKS_START, "", table(["event", "when", "matcher", "a block"], rows), "", HOOKS_END].join("\n");
}
