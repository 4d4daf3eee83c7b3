import type { ProviderError } from "../contracts/errors.ts";
import type { EngineEvent } from "../contracts/event.ts";
import type { Asker, Question } from "../contracts/permission.ts";
import type { Clock } from "../contracts/ports.ts";

/** Nobody sits before a screen for longer; a timer could not be set for much more either. */
const MAX_WAIT_MS = 24 * 3_600_000;

type WaitDeps = { readonly asker: Asker; readonly clock: Clock };

/**
 * A server that asks for a wait of more than a minute is waited for when a person says so.
 * @returns whether the request is worth another try now.
 */
export async function* waitAsAgreed(
  error: ProviderError,
  { asker, clock }: WaitDeps,
  signal: AbortSignal,
): AsyncGenerator<EngineEvent, boolean> {
  const { retryAfterMs } = error;
  if (retryAfterMs === undefined || retryAfterMs > MAX_WAIT_MS || !asker.canAsk) return false;
  const askedAt = clock.monotonicMs();
  const { decision } = await asker.ask(waitQuestion(error.message, retryAfterMs), signal);
  if (decision === "reject" || signal.aborted) return false;
  const leftMs = Math.max(0, retryAfterMs - (clock.monotonicMs() - askedAt));
  yield waitEvent(error, leftMs);
  await clock.sleep(leftMs, signal).catch(() => undefined);
  return !signal.aborted;
}

/** @param why what the server said, with the time. */
function waitQuestion(why: string, waitMs: number): Omit<Question, "id"> {
  return {
    kind: "wait",
    toolUseId: "",
    toolName: "",
    title: `Wait ${inWords(waitMs)} for the server?`,
    preview: { kind: "text", text: `${why}\nEsc ends the wait; nothing of the conversation is lost.` },
    reason: "no request waits longer than a minute unasked",
    hazards: [],
    suggestions: [],
    sessionRules: [],
  };
}

/** The wait, told like any other between two tries. */
function waitEvent({ message, status }: ProviderError, delayMs: number): EngineEvent {
  return { type: "retry", attempt: 1, maxAttempts: 1, delayMs, status, message };
}

function inWords(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return rest === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${rest} min`;
}
