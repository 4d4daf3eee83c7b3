import type { Charge } from "../../contracts/spend.ts";
import { usageOf } from "./read-spend.ts";
import { SpendLedger } from "./spend-ledger.ts";

/**
 * What a session has spent in the processes before this one, in the order of the ledger.
 * @param startedAt ISO 8601: when the session was begun, where that is known.
 * @throws {Error} a system error: a file of the ledger can't be read.
 */
export function earlierCharges(folder: string, session: string, startedAt: string | undefined): readonly Charge[] {
  const lines = new SpendLedger({ folder }).settledBy(session, startedAt);
  return Array.from(lines, (line) => {
    const { source, model, usd } = line;
    return { source, model, usage: usageOf(line), usd: usd ?? undefined };
  });
}
