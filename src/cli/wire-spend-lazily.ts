import type { Charge, SpendGuard, SpendStatus } from "../contracts/spend.ts";
import type { SessionSpendGuard } from "../services/spend/spend-guard.ts";
import type { OpenedSession } from "./open-session.ts";
import type { SpendWiring } from "./wire-spend.ts";

/** The guard of caps and ledger, loaded at the first request. */
export function lazySpend(wiring: SpendWiring): SpendGuard & { status(): Promise<SpendStatus> } {
  let guard: Promise<SessionSpendGuard> | undefined;
  const listeners = new Set<(charge: Charge) => void>();
  const load = () => {
    guard ??= import("./wire-spend.ts").then(({ wireSpend }) => {
      const made = wireSpend(wiring);
      made.watch((charge) => {
        for (const listener of listeners) listener(charge);
      });
      return made;
    });
    return guard;
  };
  return {
    // A guard that could not be loaded is told of by the request that needs it.
    startTurn: () => void guard?.then((loaded) => loaded.startTurn()).catch(() => undefined),
    reserve: async (plan, signal) => (await load()).reserve(plan, signal),
    status: async () => (await import("./wire-spend.ts")).spendStatus(await load()),
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => (await guard)?.close(),
  };
}

/** What a session has spent in the processes before this one. Nothing of spending is loaded for a new session. */
export async function chargesBefore(
  { log, restored }: OpenedSession,
  data: string,
  warn: (line: string) => void,
): Promise<readonly Charge[]> {
  if (!restored) return [];
  const { readEarlierCharges } = await import("./wire-spend.ts");
  return readEarlierCharges({ data, sessionId: log.sessionId, startedAt: restored.startedAt, notice: warn });
}
