import { withClearedInput } from "../../../contracts/cleared-input.ts";
import type { StageContext } from "../../../contracts/compactor.ts";
import type { ToolUseBlock } from "../../../contracts/message.ts";
import type { Entry } from "../../../contracts/session.ts";
import type { FoundCall, FoundResult } from "./found-results.ts";

/**
 * Tells which calls may lose the long fields of their inputs: those of finished turns, and in the current turn those
 * without a signature, because a provider that signs calls checks the calls of the current turn. The newest to-do list
 * stays.
 * @param history Reads entries of the conversation, oldest first; called only if a call is signed, because it reads the log.
 * @returns a function that returns the call without its long fields; undefined if the call stays.
 */
export function clearableCalls(
  results: readonly FoundResult[],
  history: StageContext["history"],
  canRecall: boolean,
): (call: FoundCall) => ToolUseBlock | undefined {
  const todos = results.findLast(({ use, block }) => use?.name === "TodoWrite" && !block.isError)?.call?.block;
  let finished: ReadonlySet<string> | undefined;
  const isFinished = (messageId: string) => {
    finished ??= finishedAnswers(history(["assistant", "turn_finished"]));
    return finished.has(messageId);
  };
  return ({ messageId, block }) => {
    const isSigned = block.signature !== undefined && !isFinished(messageId);
    return isSigned || block === todos ? undefined : withClearedInput(block, canRecall);
  };
}

/** The ids of the answers in finished turns. */
function finishedAnswers(history: readonly Entry[]): ReadonlySet<string> {
  const end = history.findLastIndex(({ kind }) => kind === "turn_finished");
  const entries = history.slice(0, Math.max(0, end));
  return new Set(entries.flatMap((entry) => (entry.kind === "assistant" ? [entry.message.id] : [])));
}
