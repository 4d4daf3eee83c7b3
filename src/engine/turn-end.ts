import { type Message, textOf } from "../contracts/message.ts";
import { GO_ON_WRITING } from "./harness-words.ts";
import type { QueryResult } from "./query.ts";

/** What a hook said when it ended the turn: the reason of the turn's abort. */
export class EndedByHook extends Error {
  override name = "EndedByHook";
}

/** A turn that a hook ended is not one that the person broke off. */
export function stoppedByHook(result: QueryResult, { reason }: AbortSignal): QueryResult {
  if (result.outcome.reason !== "aborted" || !(reason instanceof EndedByHook)) return result;
  return { ...result, outcome: { reason: "stopped_short", message: `A hook ended the turn: ${reason.message}` } };
}

/** The text of the last answer, with the parts before it where it was cut off and gone on with. */
export function lastWords(messages: readonly Message[]): string {
  const parts: string[] = [];
  for (let at = messages.length - 1; at >= 0; at -= 2) {
    const message = messages[at];
    if (message?.role !== "assistant") break;
    parts.unshift(textOf(message.content));
    const before = messages[at - 1];
    if (before?.role !== "user" || textOf(before.content) !== GO_ON_WRITING) break;
  }
  return parts.join("");
}
