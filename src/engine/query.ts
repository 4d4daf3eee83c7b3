import type { EngineEvent, Outcome } from "../contracts/event.ts";
import { CONTINUATIONS, type Continuation, isBetterDropped } from "./continuations.ts";
import { failureOutcome, type StepResult } from "./step-result.ts";
import { Turn, type TurnDeps, type TurnRequest, type TurnResult } from "./turn.ts";

type Next = { readonly outcome: Outcome } | { readonly reason: Continuation["reason"] };

const ABORTED = { outcome: { reason: "aborted" } } as const;

/**
 * Runs requests and calls until the model asks for no more tools.
 *
 * Invariants: each `tool_use` is answered by one `tool_result` in the next message, whether it ran, failed, was denied
 * or was cancelled (the provider rejects a history that breaks this). Each reason to continue is a row of
 * `CONTINUATIONS` with its own bound, so no loop can run forever.
 */
export async function* query(
  request: TurnRequest,
  deps: TurnDeps,
  signal: AbortSignal,
): AsyncGenerator<EngineEvent, TurnResult> {
  const turn = new Turn(request, deps, signal);
  for (;;) {
    let next: Next;
    try {
      next = yield* step(turn);
    } catch (error) {
      // If Quoll itself fails, the messages and results so far are kept.
      next = signal.aborted ? ABORTED : { outcome: failureOutcome(error, deps.noteFault) };
    }
    if ("outcome" in next) return turn.result(next.outcome);
    yield { type: "continued", reason: next.reason };
  }
}

/** Sends one request, runs its calls, and applies the continuation that follows. */
async function* step(turn: Turn): AsyncGenerator<EngineEvent, Next> {
  const { signal, limitOutcome } = turn;
  if (signal.aborted) return ABORTED;
  if (limitOutcome) return { outcome: limitOutcome };
  yield* turn.takeSteering();
  yield* turn.takeNotes();
  if (signal.aborted) return ABORTED;
  let found: StepResult;
  try {
    found = yield* turn.step((reply) => isBetterDropped(reply, turn));
  } catch (error) {
    found = { kind: "failed", error };
  }
  if (signal.aborted || found.kind === "aborted") return ABORTED;
  return yield* continueOrEnd(found, turn);
}

/** Takes the first continuation that applies and can be prepared; if there is none, the turn ends. */
async function* continueOrEnd(found: StepResult, turn: Turn): AsyncGenerator<EngineEvent, Next> {
  for (const continuation of CONTINUATIONS) {
    const { reason, spent } = continuation;
    if (!continuation.when(found, turn)) continue;
    if (turn.counts.isSpent(continuation)) {
      if (spent && "outcome" in spent) return spent;
      if (spent) yield { type: "notice", message: spent.notice };
      continue;
    }
    const isTaken = yield* continuation.apply(found, turn);
    if (!isTaken && turn.signal.aborted) return ABORTED;
    if (!isTaken) continue;
    turn.counts.add(continuation);
    if (found.kind === "failed" || found.kind === "dropped") turn.noteLost();
    return { reason };
  }
  return { outcome: yield* turn.end(found) };
}
