import { join } from "node:path";
import { errorMessage } from "../../../contracts/errors.ts";
import type { ModelCatalog } from "../../../contracts/ports.ts";
import type { Asker } from "../../../contracts/question.ts";
import type { Settings, SpendSettings } from "../../../contracts/settings.ts";
import type { Charge, SpendingAgent, SpendStatus } from "../../../contracts/spend.ts";
import { randomIds, systemClock } from "../../../platform/clock.ts";
import { assertPriced } from "../../../services/spend/assert-priced.ts";
import { capsOf } from "../../../services/spend/caps.ts";
import { capName } from "../../../services/spend/describe-cap.ts";
import { earlierCharges } from "../../../services/spend/read-spend.ts";
import { SessionSpendGuard } from "../../../services/spend/spend-guard.ts";
import { SpendLedger } from "../../../services/spend/spend-ledger.ts";

export type SpendWiring = {
  /** Quoll's data folder; absolute. */
  readonly data: string;
  readonly projectRoot: string;
  readonly settings: Pick<Settings, "spend">;
  /** `--max-budget-usd`. */
  readonly maxBudgetUsd: number | undefined;
  readonly catalog: Pick<ModelCatalog, "cost">;
  readonly sessionId: string;
  /** True if the session continues a saved session. */
  readonly isResumed: boolean;
  /** When the session began, if known; ISO 8601. */
  readonly startedAt: string | undefined;
  /** Asks on behalf of an agent; by default, the session's own agent. */
  asker(agent: SpendingAgent | undefined): Asker;
  /** Tells the person one line. */
  notice(line: string): void;
};

export type EarlierSpend = Pick<SpendWiring, "data" | "sessionId" | "startedAt" | "notice">;

/** Enforces the caps of a session and writes the ledger. No file is read or written before the first request. */
export function wireSpend(wiring: SpendWiring): SessionSpendGuard {
  const { data, projectRoot, settings, maxBudgetUsd, catalog, sessionId, isResumed, startedAt, asker, notice } = wiring;
  return new SessionSpendGuard({
    caps: capsOf(settings.spend, maxBudgetUsd),
    ledger: new SpendLedger({ folder: join(data, "spend") }),
    catalog,
    clock: systemClock,
    ids: randomIds,
    session: sessionId,
    isResumed,
    startedAt,
    project: projectRoot,
    asker,
    notice,
  });
}

/** Applies the caps of changed settings. */
export function changeCaps(
  guard: SessionSpendGuard,
  { maxBudgetUsd }: Pick<SpendWiring, "maxBudgetUsd">,
  settings: SpendSettings | undefined,
): void {
  guard.setCaps(capsOf(settings, maxBudgetUsd));
}

/** The guard's status, for a person. */
export function spendStatus(guard: SessionSpendGuard): SpendStatus {
  const caps = guard.status().map(({ cap, limit, spent, held }) => {
    return { name: capName(cap), setting: cap.setting, unit: cap.unit, limit, spent, held };
  });
  return { caps };
}

/** The earlier spending of a resumed session; unreadable lines are reported and not counted. */
export function readEarlierCharges({ data, sessionId, startedAt, notice }: EarlierSpend): readonly Charge[] {
  const folder = join(data, "spend");
  try {
    return earlierCharges(folder, sessionId, startedAt);
  } catch (error) {
    notice(
      `The earlier spending of this session can't be read from ${folder} (${errorMessage(error)}): its sums begin at 0.`,
    );
    return [];
  }
}

/**
 * Checks that the caps on money can be enforced for a chosen model.
 * @throws {UserFacingError} (exit 2) the model's price is unknown.
 */
export function assertAffordable(
  model: string,
  { settings, maxBudgetUsd, catalog }: Pick<SpendWiring, "settings" | "maxBudgetUsd" | "catalog">,
): Promise<void> {
  return assertPriced(model, capsOf(settings.spend, maxBudgetUsd), catalog);
}
