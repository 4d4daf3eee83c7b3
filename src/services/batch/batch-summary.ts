import { formatCount, formatUsd } from "@quoll/terminal-text/format-amount";
import { oneLine } from "@quoll/terminal-text/one-line";
import type { BatchLimit, BatchSummary } from "../../contracts/batch.ts";
import type { BatchState } from "./batch-state.ts";

const MAX_NAMED = 10;
const MAX_INPUT_COLUMNS = 60;
const MAX_ERROR_COLUMNS = 200;

/** The state of a batch for a person. @param resultsFile The file for the results if the batch names none. */
export function summaryOf(id: number, state: BatchState, resultsFile: string): BatchSummary {
  const { spec } = state;
  const left = state.indexes("left");
  const failed = state.indexes("failed");
  const named = (index: number) => inputName(state, index);
  return {
    id,
    title: oneLine(spec.template, MAX_ERROR_COLUMNS),
    count: spec.inputs.length,
    done: state.indexes("done").length,
    failed: failed.length,
    running: state.indexes("running").length,
    left: left.length,
    ...state.spent(),
    budget: spec.budget,
    resultsFile: spec.out ?? resultsFile,
    failures: failed.slice(0, MAX_NAMED).map((index) => ({
      input: named(index),
      error: oneLine(state.of(index).end?.error ?? "", MAX_ERROR_COLUMNS),
    })),
    keptWorktrees: state.indexes("done", "failed").filter((index) => state.of(index).end?.worktree).length,
    leftInputs: left.slice(0, MAX_NAMED).map(named),
  };
}

/** An input in one short printable line. */
export function inputName(state: BatchState, index: number): string {
  return oneLine(state.spec.inputs[index]?.text ?? "", MAX_INPUT_COLUMNS);
}

/** The progress of a running batch, in one line that fits beside its title. */
export function progressOf(state: BatchState, limit: BatchLimit | undefined) {
  const count = (status: "done" | "running" | "failed" | "left") => state.indexes(status).length;
  const { usd, tokens, isUnpriced } = state.spent();
  const isInTokens = limit?.unit === "tokens" || (isUnpriced && usd === 0);
  const failed = count("failed");
  const parts = [
    `${count("done")} done`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    `${count("running")} running`,
    `${count("left")} left`,
    isInTokens ? `${formatCount(tokens)} tokens` : formatUsd(usd, isUnpriced),
  ];
  return { text: parts.join(" · "), done: count("done") + failed, total: state.spec.inputs.length };
}
