import type { SpendGuard, SpendStatus } from "../contracts/spend.ts";
import type { SessionSpendGuard } from "../services/spend/spend-guard.ts";
import type { SpendWiring } from "./wire-spend.ts";

/** The guard of caps and ledger, loaded at the first request. */
export function lazySpend(wiring: SpendWiring): SpendGuard & { status(): Promise<SpendStatus> } {
  let guard: Promise<SessionSpendGuard> | undefined;
  let made: SessionSpendGuard | undefined;
  const load = () => {
    guard ??= import("./wire-spend.ts").then(({ wireSpend }) => {
      made = wireSpend(wiring);
      return made;
    });
    return guard;
  };
  return {
    // A guard that could not be loaded is told of by the request that needs it.
    startTurn: () => void guard?.then((loaded) => loaded.startTurn()).catch(() => undefined),
    reserve: async (plan, signal) => (await load()).reserve(plan, signal),
    status: async () => (await import("./wire-spend.ts")).spendStatus(await load()),
    bySource: () => made?.bySource() ?? [],
    close: async () => (await guard)?.close(),
  };
}
