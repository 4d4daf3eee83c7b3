import { formatCount, formatUsd } from "@quoll/terminal-text/format-amount";
import type { BatchLimit } from "../../contracts/batch.ts";
import type { BatchState } from "./batch-state.ts";

/** The progress of a running batch, in one line. */
export function progressOf(state: BatchState, limit: BatchLimit | undefined) {
  const count = (status: "done" | "running" | "failed" | "left") => state.indexes(status).length;
  const { usd, tokens, isUnpriced } = state.spent();
  const cost = isUnpriced && usd === 0 ? `${formatCount(tokens)} tokens` : formatUsd(usd, isUnpriced);
  const of =
    limit === undefined ? "" : ` of ${limit.unit === "usd" ? formatUsd(limit.limit) : formatCount(limit.limit)}`;
  const shown = limit?.unit === "tokens" ? `${formatCount(tokens)}${of} tokens` : `${cost}${of}`;
  const parts = [
    `${count("done")} done`,
    `${count("running")} running`,
    `${count("failed")} failed`,
    `${count("left")} left`,
    shown,
  ];
  return { text: parts.join(" · "), done: count("done") + count("failed"), total: state.spec.inputs.length };
}
