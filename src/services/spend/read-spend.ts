import { join } from "node:path";
import type { Usage } from "../../contracts/message.ts";
import type { Charge } from "../../contracts/spend.ts";
import { entryExists } from "../../platform/paths.ts";
import { readLines } from "../../platform/read-chunks.ts";
import { localDay } from "./day-state.ts";
import { readLedgerText, type SettledLine } from "./ledger-line.ts";
import { LEDGER_ENDING, SpendLedger } from "./spend-ledger.ts";

type KeptKey = "model" | "provider" | "project" | "source" | "server" | "usage" | "usd";

/** A finished request and its day. */
export type SpendRecord = Pick<SettledLine, KeptKey> & {
  /** `2026-11-21` */
  readonly day: string;
};

/** The usage of a finished request, marked if it is estimated. */
export function usageOf({ usage, estimated }: SettledLine): Usage {
  return estimated ? { ...usage, estimated } : usage;
}

/** The last days up to a moment, oldest first. */
export function lastDays(count: number, nowMs: number): readonly string[] {
  const now = new Date(nowMs);
  // Noon exists on every day, also when clocks change.
  const noon = (back: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() - back, 12).getTime();
  return Array.from({ length: count }, (_, at) => localDay(noon(count - 1 - at)));
}

/**
 * The finished requests of some days, in the order of the ledger. Reads without the lock, so an incomplete line is left
 * out.
 * @param onDamage Called for each file with lines that could not be read completely.
 * @throws {Error} a system error: a file is unreadable.
 */
export function* readSpend(
  folder: string,
  days: readonly string[],
  onDamage: (path: string) => void,
): Generator<SpendRecord> {
  for (const day of days) {
    const path = join(folder, `${day}${LEDGER_ENDING}`);
    if (!entryExists(path)) continue;
    let isDamaged = false;
    for (const { text, complete } of readLines(path)) {
      for (const { line, damaged } of readLedgerText(text)) {
        if (damaged && complete) isDamaged = true;
        if (line?.state !== "settled" || (damaged && !complete)) continue;
        if (line.refused) continue;
        const { model, provider, project, source, server, usd } = line;
        const asker = server === undefined ? { source } : { source, server };
        yield { day, model, provider, project, ...asker, usage: usageOf(line), usd };
      }
    }
    if (isDamaged) onDamage(path);
  }
}

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
