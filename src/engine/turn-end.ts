import type { UserInput } from "../contracts/engine.ts";
import { errorMessage } from "../contracts/errors.ts";
import type { EngineEvent, Outcome, PermissionDenial, TurnReport } from "../contracts/event.ts";
import type { Clock } from "../contracts/ports.ts";
import type { Conversation } from "./conversation.ts";
import { finalText } from "./final-text.ts";
import type { QuestionRelay } from "./question-relay.ts";
import type { ReturnablePrompt } from "./returnable-prompt.ts";
import type { SessionState } from "./session-state.ts";
import type { SpendBook } from "./spend-tally.ts";
import type { TurnResult } from "./turn.ts";

/** The abort reason of a turn that a hook ended. */
export class EndedByHook extends Error {
  override name = "EndedByHook";
}

type Services = { readonly clock: Pick<Clock, "monotonicMs">; readonly state: Pick<SessionState, "promptId"> };
type Recorded = {
  readonly conversation: Pick<Conversation, "messages" | "append" | "sync">;
  readonly prompt: ReturnablePrompt;
  readonly spend: Pick<SpendBook, "startTurn" | "turn">;
  readonly relay: Pick<QuestionRelay, "startTurn" | "turnWaitedMs">;
};

/** The time, the spending and the denied calls of the newest turn. */
export class TurnRecord {
  readonly #services: Services;
  readonly #recorded: Recorded;
  #startedAtMs = 0;
  #denials: readonly PermissionDenial[] = [];

  constructor(services: Services, recorded: Recorded) {
    this.#services = services;
    this.#recorded = recorded;
  }

  /** The input's id identifies the prompt for hooks. */
  start(input: UserInput): void {
    const { clock, state } = this.#services;
    const { spend, relay, prompt } = this.#recorded;
    state.promptId = input.id ?? crypto.randomUUID();
    prompt.begin(input);
    this.#startedAtMs = clock.monotonicMs();
    this.#denials = [];
    spend.startTurn();
    relay.startTurn();
  }

  note(event: EngineEvent): void {
    this.#recorded.prompt.note(event);
    if (event.type === "permission_denied") this.#denials = [...this.#denials, event.denial];
  }

  /** Records the end of the turn. @returns the report; its outcome is a failure if the log could not be written. */
  async end(report: TurnReport): Promise<TurnReport> {
    const final = await noteEnd(report, this.#recorded.conversation);
    this.#recorded.prompt.ended(final.outcome);
    return final;
  }

  /** The report on a turn that has ended. */
  report(result: TurnResult, signal: AbortSignal): TurnReport {
    const { clock } = this.#services;
    const { conversation, spend, relay } = this.#recorded;
    const { usage, costUsd, usageByModel } = spend.turn.spent;
    return {
      outcome: outcomeOf(result, signal),
      text: finalText(conversation.messages),
      steps: result.steps,
      durationMs: Math.round(clock.monotonicMs() - this.#startedAtMs),
      waitedMs: Math.round(relay.turnWaitedMs),
      apiMs: result.apiMs,
      usage,
      costUsd,
      usageByModel,
      denials: this.#denials,
      ...("structuredOutput" in result && { structuredOutput: result.structuredOutput }),
    };
  }
}

async function noteEnd(report: TurnReport, conversation: Recorded["conversation"]): Promise<TurnReport> {
  const { outcome, costUsd = null, durationMs, waitedMs, usage } = report;
  const shown = { outcome, durationMs, waitedMs, usage };
  try {
    conversation.append({ kind: "turn_finished", reason: outcome.reason, costUsd, shown });
  } catch (error) {
    return { ...report, outcome: { reason: "failed", message: errorMessage(error) } };
  }
  await conversation.sync().catch(() => undefined);
  return report;
}

/** A turn that a hook ended does not count as interrupted by the person. */
function outcomeOf({ outcome }: TurnResult, { reason }: AbortSignal): Outcome {
  if (outcome.reason !== "aborted" || !(reason instanceof EndedByHook)) return outcome;
  return { reason: "stopped_short", message: `A hook ended the turn: ${reason.message}` };
}
