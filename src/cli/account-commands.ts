import { Command, InvalidArgumentError, Option } from "commander";

/** What `quoll stats` takes. */
export type StatsOptions = { readonly days?: number; readonly json?: true; readonly csv?: true };

export type StatsInvocation = { readonly kind: "stats"; readonly options: StatsOptions };

/** Ten years: more files than that there are none. */
const MAX_DAYS = 3_660;

export function statsCommand(found: (asked: StatsInvocation) => void): Command {
  return new Command("stats")
    .description("show what was spent, by day, model, project and source")
    .option("--days <n>", "days up to today (default 30)", days)
    .addOption(new Option("--json", "as JSON").conflicts("csv"))
    .option("--csv", "as comma-separated values, a line for each kind of request on each day")
    .action((options: StatsOptions) => found({ kind: "stats", options }));
}

function days(value: string): number {
  const count = /^\d{1,4}$/.test(value) ? Number(value) : 0;
  if (count < 1 || count > MAX_DAYS) throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_DAYS}.`);
  return count;
}
