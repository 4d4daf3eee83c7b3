import { errorMessage } from "../contracts/errors.ts";
import type { Outcome, PermissionDenial, TurnReport } from "../contracts/event.ts";
import type { Conversation } from "./conversation.ts";
import { finalText } from "./final-text.ts";
import type { SpendTally } from "./spend-tally.ts";
import type { TurnResult } from "./turn.ts";

/** The abort reason of a turn that a hook ended. */
export class EndedByHook extends Error {
  override name = "EndedByHook";
}

export type TurnFacts = {
  readonly conversation: Conversation;
  readonly spent: SpendTally;
  readonly denials: readonly PermissionDenial[];
  readonly durationMs: number;
  readonly waitedMs: number;
  readonly signal: AbortSignal;
};

/** The report on a turn that has ended. */
export function reportOf(
  result: TurnResult,
  { conversation, spent, denials, durationMs, waitedMs, signal }: TurnFacts,
): TurnReport {
  const { usage, costUsd, usageByModel } = spent.spent;
  return {
    outcome: outcomeOf(result, signal),
    text: finalText(conversation.messages),
    steps: result.steps,
    durationMs: Math.round(durationMs),
    waitedMs: Math.round(waitedMs),
    apiMs: result.apiMs,
    usage,
    costUsd,
    usageByModel,
    denials,
    ...("structuredOutput" in result && { structuredOutput: result.structuredOutput }),
  };
}

/** Records the end of a turn in the log. @returns its outcome, which is a failure when the log could not be written. */
export async function noteEnd(report: TurnReport, conversation: Conversation): Promise<Outcome> {
  const { outcome, costUsd = null, durationMs, waitedMs, usage } = report;
  const shown = { outcome, durationMs, waitedMs, usage };
  try {
    conversation.append({ kind: "turn_finished", reason: outcome.reason, costUsd, shown });
  } catch (error) {
    return { reason: "failed", message: errorMessage(error) };
  }
  await conversation.sync().catch(() => undefined);
  return outcome;
}

/** A turn that a hook ended does not count as interrupted by the person. */
function outcomeOf({ outcome }: TurnResult, { reason }: AbortSignal): Outcome {
  if (outcome.reason !== "aborted" || !(reason instanceof EndedByHook)) return outcome;
  return { reason: "stopped_short", message: `A hook ended the turn: ${reason.message}` };
}
