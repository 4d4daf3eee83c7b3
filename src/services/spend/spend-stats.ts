import { addUsage, NO_USAGE, type Usage } from "../../contracts/message.ts";
import type { SpendRecord } from "./read-spend.ts";

/** A sum over one group of requests. */
export type SpendSum = {
  readonly requests: number;
  readonly usage: Usage;
  /** US dollars, of requests with a known price. */
  readonly usd: number;
  /** Requests with an unknown price. */
  readonly unpriced: number;
  /** Requests with at least one estimated part. */
  readonly estimated: number;
};

export type NamedSum = SpendSum & { readonly name: string };

/** Days in order, other groups by cost and then by tokens. */
export type SpendStats = {
  readonly total: SpendSum;
  readonly days: readonly NamedSum[];
  readonly models: readonly NamedSum[];
  readonly projects: readonly NamedSum[];
  readonly sources: readonly NamedSum[];
};

/** One line of the table for spreadsheets, with all keys in their own columns. */
export type SpendCell = SpendSum & Pick<SpendRecord, "day" | "provider" | "model" | "project" | "source" | "server">;

export const NO_SPEND: SpendSum = { requests: 0, usage: NO_USAGE, usd: 0, unpriced: 0, estimated: 0 };

/** Sums records by day, model, project and source; those of the source `mcp` by server. */
export function spendStats(records: Iterable<SpendRecord>): SpendStats {
  const sides = { days: new Groups(), models: new Groups(), projects: new Groups(), sources: new Groups() };
  let total = NO_SPEND;
  for (const record of records) {
    total = plus(total, record);
    sides.days.add(record.day, record);
    sides.models.add(record.model, record);
    sides.projects.add(record.project, record);
    sides.sources.add(sourceName(record), record);
  }
  const { days, models, projects, sources } = sides;
  return {
    total,
    days: days.sums.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    models: models.sums.toSorted(dearestFirst),
    projects: projects.sums.toSorted(dearestFirst),
    sources: sources.sums.toSorted(dearestFirst),
  };
}

/** Sums records with the same keys, in the order of their first occurrence. */
export function spendCells(records: Iterable<SpendRecord>): readonly SpendCell[] {
  const cells = new Map<string, SpendCell>();
  for (const record of records) {
    const { day, provider, model, project, source, server = "" } = record;
    const key = JSON.stringify([day, provider, model, project, source, server]);
    const before = cells.get(key) ?? { ...NO_SPEND, day, provider, model, project, source, server };
    cells.set(key, { ...before, ...plus(before, record) });
  }
  return [...cells.values()];
}

/** All tokens: input, cache reads and writes, and output. */
export function allTokens({ usage }: SpendSum): number {
  return usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

class Groups {
  readonly #byName = new Map<string, SpendSum>();

  add(name: string, record: SpendRecord): void {
    this.#byName.set(name, plus(this.#byName.get(name) ?? NO_SPEND, record));
  }

  get sums(): readonly NamedSum[] {
    return [...this.#byName].map(([name, sum]) => ({ name, ...sum }));
  }
}

function sourceName({ source, server }: SpendRecord): string {
  return server === undefined ? source : `${source} ${server}`;
}

function plus({ requests, usage, usd, unpriced, estimated }: SpendSum, record: SpendRecord): SpendSum {
  return {
    requests: requests + 1,
    usage: addUsage(usage, record.usage),
    usd: usd + (record.usd ?? 0),
    unpriced: unpriced + (record.usd === null ? 1 : 0),
    estimated: estimated + (record.usage.estimated ? 1 : 0),
  };
}

function dearestFirst(a: NamedSum, b: NamedSum): number {
  return b.usd - a.usd || allTokens(b) - allTokens(a) || (a.name < b.name ? -1 : 1);
}
