import type { SpendSettings } from "../../contracts/settings.ts";
import { SPEND_SOURCES, type SpendSource } from "../../contracts/spend.ts";

/** One cap: an amount, a period and a source. */
export type Cap = {
  /** `agent`: of one agent with the agents below it. */
  readonly scope: "session" | "day" | "turn" | "agent";
  readonly agentId?: string;
  readonly unit: "usd" | "tokens";
  /** Undefined for all sources together. */
  readonly source: SpendSource | undefined;
  /** US dollars or tokens. */
  readonly limit: number;
  /** The setting or flag: `spend.dayUsd`, `--max-budget-usd`. */
  readonly setting: string;
};

/** A cap and the amount used, in the cap's unit. */
export type CapStatus = {
  readonly cap: Cap;
  /** The current limit, which may have been raised. */
  readonly limit: number;
  readonly spent: number;
  /** Reserved for open requests, here and in other processes. */
  readonly held: number;
};

const OF_ALL = [
  ["turn", "usd", "turnUsd"],
  ["turn", "tokens", "turnTokens"],
  ["session", "usd", "sessionUsd"],
  ["session", "tokens", "sessionTokens"],
  ["day", "usd", "dayUsd"],
  ["day", "tokens", "dayTokens"],
] as const;
const OF_SOURCE = [
  ["session", "usd", "sessionUsd"],
  ["day", "usd", "dayUsd"],
] as const;

/**
 * The caps from the settings.
 * @param flagUsd The value of `--max-budget-usd`. If it is the effective cap, messages name the flag.
 */
export function capsOf(settings: SpendSettings | undefined, flagUsd?: number): readonly Cap[] {
  if (!settings) return [];
  const all = OF_ALL.flatMap(([scope, unit, key]) => {
    const limit = settings[key];
    const isFlag = key === "sessionUsd" && limit === flagUsd;
    const setting = isFlag ? "--max-budget-usd" : `spend.${key}`;
    return limit === undefined ? [] : [{ scope, unit, source: undefined, limit, setting }];
  });
  const bySource = SPEND_SOURCES.flatMap((source) =>
    OF_SOURCE.flatMap(([scope, unit, key]) => {
      const limit = settings.bySource?.[source]?.[key];
      return limit === undefined ? [] : [{ scope, unit, source, limit, setting: `spend.bySource.${source}.${key}` }];
    }),
  );
  return [...all, ...bySource];
}

/** @param lineage The agent that spends, and the agents above it. */
export function appliesTo(cap: Cap, source: SpendSource, lineage: readonly string[] = []): boolean {
  if (cap.agentId !== undefined) return lineage.includes(cap.agentId);
  return cap.source === undefined || cap.source === source;
}
