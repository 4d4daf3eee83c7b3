import { ProviderError, type ProviderFailureKind } from "../../../contracts/errors.ts";
import type { Clock } from "../../../contracts/ports.ts";
import type { ProviderEvent } from "../../../contracts/provider.ts";
import { readFailure } from "./failure.ts";
import type { FailureContext } from "./failure-context.ts";
import { type Failure, type GivenUp, MAX_ATTEMPTS, MAX_RETRY_AFTER_MS, planRetry } from "./retry.ts";

export type LoopOptions = {
  /** Sends the request once. Its last event is `done`. */
  readonly attempt: (signal: AbortSignal) => AsyncGenerator<ProviderEvent, void>;
  readonly failureContext: () => FailureContext;
  readonly clock: Clock;
  /** In [0, 1): spreads the retries. */
  readonly random: () => number;
  /** Times in a row that an overloaded server is asked; undefined: as often as any. */
  readonly maxOverloads: number | undefined;
};

/**
 * Tries a request until it is answered, or until trying again can't help.
 *
 * A try that failed after something was shown is voided by `restarted`, and each new try announced by `retry`.
 * @throws {ProviderError} there is no next try; the abort reason; what is neither the vendor's nor the network's fault.
 */
export async function* tryUntilAnswered(
  { attempt, failureContext, clock, random, maxOverloads }: LoopOptions,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent, void> {
  let overloads = 0;
  for (let count = 1; ; count += 1) {
    let isShown = false;
    try {
      for await (const event of attempt(signal)) {
        if (event.type !== "notice" && event.type !== "done") isShown = true;
        yield event;
      }
      return;
    } catch (error) {
      signal.throwIfAborted();
      const context = failureContext();
      const failure = readFailure(error, context);
      if (!failure) throw error;
      overloads = failure.isOverload ? overloads + 1 : 0;
      const plan = planRetry(failure, count, random);
      if (plan.retry && overloads >= (maxOverloads ?? Number.POSITIVE_INFINITY))
        throw stillBusy(failure, overloads, error);
      if (!plan.retry) throw givenUp(failure, plan.because, context.nowMs, error);
      if (isShown) yield { type: "restarted", reason: failure.message };
      yield retryEvent(failure, count, plan.delayMs);
      await clock.sleep(plan.delayMs, signal);
    }
  }
}

/** `attempt` of the event is the try that comes next. */
function retryEvent(failure: Failure, failedAttempt: number, delayMs: number): ProviderEvent {
  const { status, message, maxAttempts = MAX_ATTEMPTS } = failure;
  return { type: "retry", attempt: failedAttempt + 1, maxAttempts, delayMs, status, message };
}

function stillBusy({ message, status }: Failure, times: number, cause: unknown): ProviderError {
  return new ProviderError(`${message} It was so ${times} times in a row.`, status, { cause, kind: "overloaded" });
}

function givenUp(failure: Failure, because: GivenUp, nowMs: number, cause: unknown): ProviderError {
  const kind = failure.kind ?? (because === "final" ? "other" : kindOfWait(failure.status));
  const retryAfterMs = because === "too_long" ? failure.retryAfterMs : undefined;
  return new ProviderError(finalMessage(failure, because, nowMs), failure.status, { cause, kind, retryAfterMs });
}

/** A server that answered was waited for in vain; another model may be free. One that is not there is no matter of models. */
function kindOfWait(status: number | undefined): ProviderFailureKind {
  return status === 429 || (status !== undefined && status >= 500) ? "overloaded" : "other";
}

function finalMessage(
  { message, retryAfterMs = 0, maxAttempts = MAX_ATTEMPTS }: Failure,
  because: GivenUp,
  nowMs: number,
): string {
  if (because === "final") return message;
  if (because === "spent") return `${message} It was tried ${maxAttempts} times.`;
  const seconds = Math.ceil(retryAfterMs / 1000);
  const until = new Date(nowMs + retryAfterMs).toISOString().replace(/\.\d+Z$/, "Z");
  return `${message} It asks to wait ${seconds} s, more than the ${MAX_RETRY_AFTER_MS / 1000} s that are waited for: try again after ${until}.`;
}
