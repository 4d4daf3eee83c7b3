import type { Entry } from "../contracts/session.ts";
import { endsInCall } from "./project.ts";

/** Entries of the answer that is under way. */
const OF_ANSWER: ReadonlySet<Entry["kind"]> = new Set(["assistant", "tool_started", "tool_finished", "shown"]);

/**
 * The entry with which a fork begins: the conversation up to it is what the model got with its last request. The answer
 * to this request, and its calls, are not part of it.
 * @param history The entries of the conversation that is forked, oldest first. @returns null if it is empty.
 */
export function forkPoint(history: readonly Entry[]): string | null {
  const isOpen = endsInCall(history);
  return history.findLast(({ kind }) => !isOpen || !OF_ANSWER.has(kind))?.id ?? null;
}
