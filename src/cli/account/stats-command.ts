import { join } from "node:path";
import { plural } from "@quoll/terminal-text/plural";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import { systemClock } from "../../platform/clock.ts";
import { directories, shortPath } from "../../platform/directories.ts";
import { environment } from "../../platform/env.ts";
import { printProblem } from "../../platform/host.ts";
import { printOut, printText } from "../../platform/standard-output.ts";
import { lastDays, readSpend, type SpendRecord } from "../../services/spend/read-spend.ts";
import { renderStats } from "../../services/spend/render-stats.ts";
import { spendCells, spendStats } from "../../services/spend/spend-stats.ts";
import { statsCsv } from "../../services/spend/stats-csv.ts";

const DEFAULT_DAYS = 30;
const DEFAULT_COLUMNS = 80;

/** The options of `quoll stats`. */
export type StatsOptions = { readonly days?: number; readonly json?: true; readonly csv?: true };

/** `quoll stats`: the spending, from the ledger that every session writes. */
export function runStatsCommand({ days = DEFAULT_DAYS, json, csv }: StatsOptions): number {
  const own = directories(environment());
  const wanted = lastDays(days, systemClock.now());
  const records = read(join(own.data, "spend"), wanted);
  if (csv) {
    printOut(statsCsv(spendCells(records)));
    return 0;
  }
  const stats = spendStats(records);
  if (json) {
    printOut(`${JSON.stringify({ from: wanted[0], to: wanted.at(-1), ...stats }, null, 2)}\n`);
    return 0;
  }
  const view = {
    columns: process.stdout.columns ?? DEFAULT_COLUMNS,
    period: days === 1 ? "one day (today)" : `the last ${plural(days, "day")}`,
    shortPath: (path: string) => (path.startsWith("/") ? shortPath(path, own.home) : path),
  };
  printText(`${renderStats(stats, view)}\n`);
  return 0;
}

/** @throws {UserFacingError} the ledger can't be read. */
function* read(folder: string, days: readonly string[]): Generator<SpendRecord> {
  try {
    yield* readSpend(folder, days, (path) =>
      printProblem(`${path}: some lines are damaged; Quoll counts the readable amounts in them`),
    );
  } catch (cause) {
    throw new UserFacingError(`The ledger in ${folder} can't be read: ${errorMessage(cause)}.`, 1, { cause });
  }
}
