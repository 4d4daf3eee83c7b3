import { countedUsd } from "./ledger-line.ts";
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
  for (const line of ledger.settledBy(session, startedAt))
    sums.add(line.source, { usd: countedUsd(line), tokens: tokensOf(line.usage) });
  return sums;
}
