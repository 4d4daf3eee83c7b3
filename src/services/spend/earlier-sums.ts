import { SpendBySource, tokensOf } from "./spend-by-source.ts";
import type { SpendLedger } from "./spend-ledger.ts";

/**
 * A session's spending in earlier processes, by source.
 * @param startedAt The start of the session, if it is known; ISO 8601.
 * @throws the ledger can't be read.
 */
export function earlierSums(
  ledger: Pick<SpendLedger, "settledBy">,
  session: string,
  startedAt: string | undefined,
): SpendBySource {
  const sums = new SpendBySource();
  for (const { source, usd, usage } of ledger.settledBy(session, startedAt))
    sums.add(source, { usd: usd ?? 0, tokens: tokensOf(usage) });
  return sums;
}
