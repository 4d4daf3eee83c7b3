import { AGENT_TOOL } from "../../contracts/agent-definition.ts";
import type { BatchEnd, BatchLimit, BatchRunOptions } from "../../contracts/batch.ts";
import { errorMessage, ToolFailedError, UserFacingError } from "../../contracts/errors.ts";
import { BatchBudget } from "../../services/batch/batch-budget.ts";
import { fillExpect } from "../../services/batch/batch-expect.ts";
import { fillTemplate, namesIn, offeredNames } from "../../services/batch/batch-inputs.ts";
import { inputName, progressOf, summaryOf } from "../../services/batch/batch-summary.ts";
import type { BatchFolder, OpenBatch } from "../../services/batch/io/batch-file.ts";
import { ResultsFile } from "../../services/batch/io/results-file.ts";
import { runInputs } from "../../services/batch/run-inputs.ts";
import { authorizedCall } from "../agent/authorized-call.ts";
import { runBatchAgent } from "./batch-agent.ts";
import type { BatchParts } from "./batch-parts.ts";

export type RunBatchParts = Pick<BatchParts, "main" | "spend"> & { readonly batches: BatchFolder };

/**
 * Runs the remaining inputs of a batch. Each result is saved in the batch's file before the next step.
 * @throws {UserFacingError} the batch can't be run: it runs in another process, a rule refuses its agents, or the disk
 * is full.
 */
export async function runBatch(id: number, options: BatchRunOptions, parts: RunBatchParts): Promise<BatchEnd> {
  const batch = parts.batches.open(id);
  try {
    const { spec } = batch.state;
    await assertAllowed(spec.agent, options.signal, parts);
    const definition = await parts.main.session.delegation.types.find(spec.agent).catch(asUserError);
    takeUp(batch, options.retriesFailed);
    const results = new ResultsFile(spec.out ?? parts.batches.resultsFile(id), batch.state);
    try {
      const why = await runAll({ id, batch, results, definition, options }, parts);
      results.end();
      return { summary: summaryOf(id, batch.state, results.path), why };
    } finally {
      results.close();
    }
  } finally {
    batch.close();
  }
}

type Run = {
  readonly id: number;
  readonly batch: OpenBatch;
  readonly results: ResultsFile;
  readonly definition: Parameters<typeof runBatchAgent>[0]["definition"];
  readonly options: BatchRunOptions;
};

function runAll({ id, batch, results, definition, options }: Run, parts: RunBatchParts): Promise<string | undefined> {
  const { state, append } = batch;
  const { spec } = state;
  const limit = options.budget ?? spec.budget;
  const names = namesIn(spec.template, spec.inputs);
  const offered = offeredNames(spec.inputs);
  const report = () => options.report(progressOf(state, limit));
  const taskOf = (input: number, hold: number | undefined) => ({
    definition,
    model: spec.model,
    description: `batch ${id}: ${inputName(state, input)}`,
    expect: spec.expect && fillExpect(spec.expect, spec.inputs[input] ?? { text: "" }, offered),
    isIsolated: spec.isIsolated === true || definition.isIsolated === true,
    prompt: fillTemplate(spec.template, spec.inputs[input] ?? { text: "" }, names),
    budget: limit && hold !== undefined ? { [limit.unit]: shareOf(limit, hold) } : undefined,
    unit: limit?.unit ?? "usd",
    spent: (usd: number | undefined, tokens: number) => append({ type: "spent", input, usd: usd ?? null, tokens }),
  });
  return runInputs({
    inputs: state.indexes("left"),
    parallel: spec.parallel,
    budget: limit && new BatchBudget(limit.limit, state.spent()[limit.unit], spec.parallel),
    async start(input, hold, signal) {
      append({ type: "started", input });
      report();
      return runBatchAgent({ ...taskOf(input, hold), signal }, parts);
    },
    ended(input, end) {
      append(end.kind === "ended" ? { type: "ended", input, ...end.end } : { type: "left", input });
      if (end.kind === "ended") results.add(input);
      // Otherwise the next start reports it.
      if (state.indexes("left").length === 0) report();
    },
    signal: options.signal,
  });
}

/** Tokens are whole. */
function shareOf({ unit }: BatchLimit, hold: number): number {
  return unit === "tokens" ? Math.floor(hold) : hold;
}

/** The rules for the tool Agent apply to a batch's agents, and are checked once. */
async function assertAllowed(agent: string, signal: AbortSignal, parts: RunBatchParts): Promise<void> {
  const input = { description: "a batch", prompt: "a batch", subagent_type: agent };
  const call = await authorizedCall(parts.main, { name: AGENT_TOOL, input, signal }).catch(asUserError);
  await call.drop();
}

/** Inputs of a killed run are run again, and so are failed inputs that should be retried. */
function takeUp({ state, append }: OpenBatch, retriesFailed: boolean): void {
  for (const input of state.indexes("running", ...(retriesFailed ? (["failed"] as const) : [])))
    append({ type: "left", input });
}

function asUserError(cause: unknown): never {
  throw cause instanceof ToolFailedError ? new UserFacingError(errorMessage(cause), 1, { cause }) : cause;
}
