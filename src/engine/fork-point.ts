import type { Entry } from "../contracts/session.ts";
import { endsInCall } from "./project.ts";

/** The kinds of entries that belong to the unfinished answer. */
const OF_ANSWER: ReadonlySet<Entry["kind"]> = new Set(["assistant", "tool_started", "tool_finished", "shown"]);

/**
 * The entry at which a fork begins: the conversation up to this entry is what the model got with its last request. The
 * answer to that request, and the answer's calls, are not included.
 * @param history The entries of the conversation that is forked, oldest first.
 * @returns null if the conversation is empty.
 */
export function forkPoint(history: readonly Entry[]): string | null {
  const isOpen = endsInCall(history);
  return history.findLast(({ kind }) => !isOpen || !OF_ANSWER.has(kind))?.id ?? null;
}
