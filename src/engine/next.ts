import { errorMessage, ProviderError } from "../contracts/errors.ts";
import type { ContinueReason, Outcome } from "../contracts/event.ts";
import { type AssistantMessage, textOf } from "../contracts/message.ts";

/** What one round of the loop comes to. */
export type Next =
  | { readonly kind: "go_on"; readonly reason: ContinueReason }
  | { readonly kind: "end"; readonly outcome: Outcome; readonly structuredOutput?: unknown };

/** Whether an answer that is over holds nothing to show and asks for nothing. */
export function isEmpty({ content, stopReason }: AssistantMessage): boolean {
  const isOver = stopReason === "end_turn" || stopReason === "stop_sequence" || stopReason === "tool_use";
  return isOver && content.every((block) => block.type === "thinking" || block.type === "redacted_thinking");
}

export function goOn(reason: ContinueReason): Next {
  return { kind: "go_on", reason };
}

export function ended(outcome: Outcome): Extract<Next, { kind: "end" }> {
  return { kind: "end", outcome };
}

/** How a turn ends with this answer as its last. */
export function outcomeOf(reply: AssistantMessage): Outcome {
  switch (reply.stopReason) {
    case "refusal":
      return { reason: "stopped_short", message: "The model declined to answer. Put the request another way." };
    case "max_tokens":
      return { reason: "stopped_short", message: "The answer was cut off at its greatest length. Ask for the rest." };
    case "context_exceeded":
      return { reason: "stopped_short", message: "The model's window is full: start anew with /clear." };
    case "unfinished":
      return { reason: "stopped_short", message: textOf(reply.content) };
    default:
      return { reason: "completed" };
  }
}

export function failure(error: unknown): Outcome {
  const message = errorMessage(error);
  const status = error instanceof ProviderError ? error.status : undefined;
  return status === undefined ? { reason: "failed", message } : { reason: "failed", message, status };
}
