import { formatCount, formatUsd } from "@quoll/terminal-text/format-amount";
import type { BatchLimit } from "../../contracts/batch.ts";
import type { BatchState } from "./batch-state.ts";

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
