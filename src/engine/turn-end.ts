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
