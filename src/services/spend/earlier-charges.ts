import type { Charge } from "../../contracts/spend.ts";
import { usageOf } from "./read-spend.ts";
import { SpendLedger } from "./spend-ledger.ts";

/**
 * The session's costs in earlier processes, in the order of the ledger.
 * @param startedAt ISO 8601: the start of the session, if it is known.
 * @throws {Error} a system error: a ledger file is unreadable.
 */
export function earlierCharges(folder: string, session: string, startedAt: string | undefined): readonly Charge[] {
  const lines = new SpendLedger({ folder }).settledBy(session, startedAt);
  return Array.from(lines, (line) => {
    const { source, server, model, usd } = line;
    return { source, ...(server !== undefined && { server }), model, usage: usageOf(line), usd: usd ?? undefined };
  });
}
