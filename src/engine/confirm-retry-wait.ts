import type { ProviderError } from "../contracts/errors.ts";
import type { EngineEvent } from "../contracts/event.ts";
import type { Clock } from "../contracts/ports.ts";
import type { Asker, NewQuestion } from "../contracts/question.ts";

/** The longest wait, 24 hours. A timer can't be set for much longer. */
const MAX_WAIT_MS = 24 * 3_600_000;

type WaitDeps = { readonly asker: Asker; readonly clock: Clock };

/**
 * Asks the person whether to wait when a server asks for a wait of more than a minute, and waits after a yes.
 * @returns true to retry the request now.
 */
export async function* confirmRetryWait(
  error: ProviderError,
  { asker, clock }: WaitDeps,
  signal: AbortSignal,
): AsyncGenerator<EngineEvent, boolean> {
  const { retryAfterMs } = error;
  if (retryAfterMs === undefined || retryAfterMs > MAX_WAIT_MS || !asker.canAsk) return false;
  const askedAt = clock.monotonicMs();
  const { decision } = await asker.ask(retryWaitQuestion(error.message, retryAfterMs), signal);
  if (decision === "reject" || signal.aborted) return false;
  const leftMs = Math.max(0, retryAfterMs - (clock.monotonicMs() - askedAt));
  yield waitEvent(error, leftMs);
  await clock.sleep(leftMs, signal).catch(() => undefined);
  return !signal.aborted;
}

/** @param why The server's message, with the time. */
function retryWaitQuestion(why: string, waitMs: number): NewQuestion {
  return {
    title: `Wait ${inWords(waitMs)} for the server?`,
    body: {
      kind: "wait",
      preview: { kind: "text", text: `${why}\nEsc ends the wait; the conversation is kept.` },
      reason: "Quoll asks before it waits longer than a minute",
    },
  };
}

/** Makes the event for the wait, like that for any other delay between two attempts. */
function waitEvent({ message, status }: ProviderError, delayMs: number): EngineEvent {
  return { type: "retry", attempt: 1, maxAttempts: 1, delayMs, status, message };
}

function inWords(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return rest === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${rest} min`;
}
