import { withClearedInput } from "../../../contracts/cleared-input.ts";
import type { ToolUseBlock } from "../../../contracts/message.ts";
import type { Entry } from "../../../contracts/session.ts";
import type { FoundCall, FoundResult } from "./found-results.ts";

/**
 * Tells which calls may lose the long fields of their inputs: those of finished turns, and in the current turn those
 * without a signature, because a provider that signs calls checks the calls of the current turn. The newest to-do list
 * stays.
 * @param history The entries of the conversation, oldest first.
 * @returns a function that returns the call without its long fields; undefined if the call stays.
 */
export function clearableCalls(
  results: readonly FoundResult[],
  history: readonly Entry[],
  canRecall: boolean,
): (call: FoundCall) => ToolUseBlock | undefined {
  const todos = results.findLast(({ use, block }) => use?.name === "TodoWrite" && !block.isError)?.call?.block;
  const end = history.findLastIndex(({ kind }) => kind === "turn_finished");
  const finished = new Set(
    history.slice(0, Math.max(0, end)).flatMap((entry) => (entry.kind === "assistant" ? [entry.message.id] : [])),
  );
  return ({ messageId, block }) => {
    const isSigned = block.signature !== undefined && !finished.has(messageId);
    return isSigned || block === todos ? undefined : withClearedInput(block, canRecall);
  };
}
