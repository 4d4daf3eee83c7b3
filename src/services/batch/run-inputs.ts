import type { BatchBudget } from "./batch-budget.ts";
import type { InputEnd } from "./batch-state.ts";

/** This many consecutive failures end the run: the cause is then the key or the server, not the inputs. */
const MAX_FAILURES_IN_A_ROW = 10;

/** How the agent of one input ended. */
export type AgentEnd =
  | { readonly kind: "ended"; readonly end: Omit<InputEnd, "input" | "type">; readonly spent: number }
  /** The share did not cover the agent's first request: no money was spent. */
  | { readonly kind: "refused"; readonly message: string }
  /** It was interrupted. */
  | { readonly kind: "stopped"; readonly spent: number };

export type InputRun = {
  readonly inputs: readonly number[];
  readonly parallel: number;
  readonly budget: BatchBudget | undefined;
  /** @param hold The maximum that the agent may spend. @throws the batch can't continue. */
  start(input: number, hold: number | undefined, signal: AbortSignal): Promise<AgentEnd>;
  /** Called at the end of each input. */
  ended(input: number, end: AgentEnd): void;
  readonly signal: AbortSignal;
};

/**
 * Runs the inputs, several in parallel. A failed input does not stop the other inputs.
 * @returns why inputs remain, as a sentence; undefined if none remain.
 * @throws the first error of `start` or `ended`: the others are interrupted, because what they do can't be recorded.
 */
export async function runInputs(run: InputRun): Promise<string | undefined> {
  const over = new AbortController();
  const signal = AbortSignal.any([run.signal, over.signal]);
  const state: RunState = { waiting: [...run.inputs], why: undefined, failures: 0, change: Promise.withResolvers() };
  const width = Math.min(run.parallel, state.waiting.length);
  const workers = Array.from({ length: width }, () =>
    work({ ...run, signal }, state).catch((error: unknown) => {
      over.abort(error);
      state.change.resolve();
      throw error;
    }),
  );
  for (const result of await Promise.allSettled(workers)) if (result.status === "rejected") throw over.signal.reason;
  return run.signal.aborted ? "It was interrupted." : state.why;
}

type RunState = {
  readonly waiting: number[];
  why: string | undefined;
  failures: number;
  /** Resolved when an agent ends. */
  change: PromiseWithResolvers<void>;
};

async function work(run: InputRun, state: RunState): Promise<void> {
  while (!run.signal.aborted && state.why === undefined && state.waiting.length > 0) {
    const hold = run.budget?.take();
    if (hold === "over") {
      state.why = "The budget is reached.";
    } else if (hold === "wait") {
      await state.change.promise;
    } else {
      await runNext(run, state, hold);
    }
  }
}

async function runNext(run: InputRun, state: RunState, hold: number | undefined): Promise<void> {
  const input = state.waiting.shift() ?? 0;
  const end = await run.start(input, hold, run.signal);
  if (end.kind === "refused") {
    // If the batch has no budget, a budget of the session was reached, which applies to all other inputs too.
    if (hold === undefined) state.why ??= end.message;
    else run.budget?.refuse(hold);
    state.waiting.unshift(input);
  } else if (hold !== undefined) {
    run.budget?.settle(hold, end.spent);
  }
  run.ended(input, end);
  if (end.kind === "ended") state.failures = end.end.status === "done" ? 0 : state.failures + 1;
  if (state.failures >= MAX_FAILURES_IN_A_ROW)
    state.why ??= `${MAX_FAILURES_IN_A_ROW} inputs failed one after the other.`;
  const { resolve } = state.change;
  state.change = Promise.withResolvers();
  resolve();
}
