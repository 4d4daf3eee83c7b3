import type { SpendGuard } from "../contracts/spend.ts";
import type { SpendWiring } from "./wire-spend.ts";

/** The guard of caps and ledger, loaded at the first request. */
export function lazySpend(wiring: SpendWiring): SpendGuard {
  let guard: Promise<SpendGuard> | undefined;
  const load = () => {
    guard ??= import("./wire-spend.ts").then(({ wireSpend }) => wireSpend(wiring));
    return guard;
  };
  return {
    startTurn: () => void guard?.then((loaded) => loaded.startTurn()),
    reserve: async (plan, signal) => (await load()).reserve(plan, signal),
    close: async () => (await guard)?.close(),
  };
}
