import { ProviderError, type ProviderFailureKind } from "../../../contracts/errors.ts";
import type { Clock } from "../../../contracts/ports.ts";
import type { ProviderEvent } from "../../../contracts/provider.ts";
import type { FailureContext } from "./failure-context.ts";
import { type Failure, type GivenUp, MAX_ATTEMPTS, MAX_RETRY_AFTER_MS, planRetry } from "./retry.ts";

export type LoopOptions = {
  /** Sends the request once. Its last event is `done`. */
  readonly attempt: (signal: AbortSignal) => AsyncGenerator<ProviderEvent, void>;
  readonly failureContext: () => FailureContext;
  readonly clock: Clock;
  /** A number in [0, 1) that spreads the retries. */
  readonly random: () => number;
  /** The maximum number of consecutive attempts at an overloaded server; undefined for the general limit. */
  readonly maxOverloads: number | undefined;
  /** Called with an answer before it is passed on. @returns one line for the person. */
  readonly answered?: (message: Answer) => Promise<string | undefined>;
};

type Answer = Extract<ProviderEvent, { type: "done" }>["message"];

/**
 * Retries a request until it succeeds or a retry cannot help.
 *
 * `restarted` voids a failed attempt that already showed output, and `retry` announces each new attempt.
 * @throws {ProviderError} no further attempt; the abort reason; any error that neither the vendor nor the network caused.
 */
export async function* tryUntilAnswered(
  { attempt, failureContext, clock, random, maxOverloads, answered }: LoopOptions,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent, void> {
  let overloads = 0;
  for (let count = 1; ; count += 1) {
    let isShown = false;
    try {
      for await (const event of attempt(signal)) {
        if (event.type !== "notice" && event.type !== "done") isShown = true;
        const message = event.type === "done" ? await answered?.(event.message) : undefined;
        if (message !== undefined) yield { type: "notice", message };
        yield event;
      }
      return;
    } catch (error) {
      signal.throwIfAborted();
      const context = failureContext();
      const { readFailure } = await import("./failure.ts");
      const failure = readFailure(error, context);
      if (!failure) throw error;
      overloads = failure.isOverload ? overloads + 1 : 0;
      const plan = planRetry(failure, count, random);
      if (plan.retry && overloads >= (maxOverloads ?? Number.POSITIVE_INFINITY))
        throw stillBusy(failure, overloads, error);
      if (!plan.retry) throw givenUp(await hinted(failure, context), plan.because, context.nowMs, error);
      if (isShown) yield { type: "restarted", reason: failure.message };
      yield retryEvent(failure, count, plan.delayMs);
      await clock.sleep(plan.delayMs, signal);
    }
  }
}

/** Names the model that the person may have meant, for a model that the server does not have. */
async function hinted(failure: Failure, { model, nearestModel }: FailureContext): Promise<Failure> {
  const nearest = failure.isNoModel ? await nearestModel?.(model) : undefined;
  return nearest === undefined ? failure : { ...failure, message: `${failure.message} Did you mean ${nearest}?` };
}

/** `attempt` in the event is the next attempt. */
function retryEvent(failure: Failure, failedAttempt: number, delayMs: number): ProviderEvent {
  const { status, message, maxAttempts = MAX_ATTEMPTS } = failure;
  return { type: "retry", attempt: failedAttempt + 1, maxAttempts, delayMs, status, message };
}

function stillBusy({ message, status }: Failure, times: number, cause: unknown): ProviderError {
  return new ProviderError(`${message} This happened ${times} times in a row.`, status, { cause, kind: "overloaded" });
}

function givenUp(failure: Failure, because: GivenUp, nowMs: number, cause: unknown): ProviderError {
  const kind = failure.kind ?? (because === "final" ? "other" : kindOfWait(failure.status));
  const retryAfterMs = because === "too_long" ? failure.retryAfterMs : undefined;
  return new ProviderError(finalMessage(failure, because, nowMs), failure.status, {
    cause,
    kind,
    retryAfterMs,
    countLimit: failure.countLimit,
  });
}

/** For a server that answered but stayed overloaded, another model may have capacity. For an unreachable server, another model does not help. */
function kindOfWait(status: number | undefined): ProviderFailureKind {
  return status === 429 || (status !== undefined && status >= 500) ? "overloaded" : "other";
}

function finalMessage(
  { message, retryAfterMs = 0, maxAttempts = MAX_ATTEMPTS }: Failure,
  because: GivenUp,
  nowMs: number,
): string {
  if (because === "final") return message;
  if (because === "spent") return `${message} Quoll tried ${maxAttempts} times.`;
  const seconds = Math.ceil(retryAfterMs / 1000);
  const until = new Date(nowMs + retryAfterMs).toISOString().replace(/\.\d+Z$/, "Z");
  return `${message} The server asks for a wait of ${seconds} s, more than the limit of ${MAX_RETRY_AFTER_MS / 1000} s: try again after ${until}.`;
}
