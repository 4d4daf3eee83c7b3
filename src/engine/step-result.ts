import { type NoteFault, withLogPath } from "../contracts/debug.ts";
import { errorMessage, ProviderError, SpendLimitError } from "../contracts/errors.ts";
import type { Outcome } from "../contracts/event.ts";
import { type AssistantMessage, type StopReason, textOf } from "../contracts/message.ts";
import { NoRoomError } from "./no-room.ts";

/** The result of one step of the loop. */
export type StepResult =
  | { readonly kind: "aborted" }
  | { readonly kind: "failed"; readonly error: unknown }
  /** The answer was truncated, or had no room in the window, and was dropped. */
  | { readonly kind: "dropped"; readonly reply: AssistantMessage }
  /** The answer had calls, and they have results. */
  | { readonly kind: "results"; readonly isLoop: boolean }
  | {
      readonly kind: "answered";
      readonly reply: AssistantMessage;
      /** The answer has nothing to show and asks for nothing. */
      readonly isEmpty: boolean;
      /** The model has finished the task. */
      readonly isDone: boolean;
    };

export function answeredStep(reply: AssistantMessage): StepResult {
  const isEmpty = holdsNothing(reply);
  return { kind: "answered", reply, isEmpty, isDone: !isEmpty && outcomeOfReply(reply).reason === "completed" };
}

/** The stop reasons of an answer that should hold something. */
const OVER: ReadonlySet<StopReason> = new Set(["end_turn", "stop_sequence", "tool_use", "other"]);

function holdsNothing({ content, stopReason }: AssistantMessage): boolean {
  return (
    OVER.has(stopReason) && content.every((block) => block.type === "thinking" || block.type === "redacted_thinking")
  );
}

/** The outcome of a turn that ends with this answer. */
export function outcomeOfReply(reply: AssistantMessage): Outcome {
  switch (reply.stopReason) {
    case "refusal":
      return { reason: "stopped_short", message: "The model declined to answer. Rephrase the request." };
    case "max_tokens":
      return { reason: "stopped_short", message: "The answer reached its maximum length. Ask for the rest." };
    case "context_exceeded":
      return {
        reason: "stopped_short",
        message: "The model's window is full: run /compact, or start a new conversation with /clear.",
      };
    case "tool_use":
      return { reason: "stopped_short", message: "The model's answer ended as if it made a call, but it made none." };
    case "other":
      return { reason: "stopped_short", message: "The model's answer ended for a reason that Quoll does not know." };
    case "unfinished":
      return { reason: "stopped_short", message: textOf(reply.content) };
    default:
      return { reason: "completed" };
  }
}

/** True if the request did not fit the window. */
export function isTooLong(error: unknown): boolean {
  return error instanceof NoRoomError || (error instanceof ProviderError && error.kind === "too_long");
}

export function failureOutcome(error: unknown, noteFault?: NoteFault): Outcome {
  const message = errorMessage(error);
  if (error instanceof SpendLimitError) return { reason: "budget", message };
  if (error instanceof NoRoomError) return { reason: "stopped_short", message };
  if (error instanceof ProviderError && error.kind === "too_long") {
    const advice = message.includes("/clear")
      ? ""
      : " Send a shorter message, start a new conversation with /clear, or choose a model with a larger window.";
    return {
      reason: "failed",
      message: `${message}${advice}`,
      ...(error.status !== undefined && { status: error.status }),
    };
  }
  const status = error instanceof ProviderError ? error.status : undefined;
  return status === undefined
    ? { reason: "failed", message: withLogPath(message, noteFault?.(error)) }
    : { reason: "failed", message, status };
}
