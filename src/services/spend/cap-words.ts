import type { SpendSource } from "../../contracts/spend.ts";
import type { Cap } from "./caps.ts";

const OWNERS: Readonly<Record<SpendSource, string>> = {
  main: "the main conversation",
  subagent: "subagents",
  hook: "hooks",
  compaction: "compaction",
  judge: "the judge of calls",
};

/** How much of a cap a request would take, and how much there is. In US dollars or tokens, as the cap is. */
export type OverCap = {
  readonly cap: Cap;
  /** The cap as it is in force: it may have been raised. */
  readonly limit: number;
  readonly spent: number;
  /** By requests that are under way, here and elsewhere. */
  readonly held: number;
  /** What the request may take at worst. */
  readonly need: number;
};

/** `the day's cap on spend`, `the session's cap on spend by subagents`. */
export function capName({ scope, source }: Cap): string {
  const owner = source === undefined ? "" : ` by ${OWNERS[source]}`;
  return `the ${scope}'s cap on spend${owner}`;
}

/** US dollars; small sums are never rounded to nothing. `12,000 tokens` for a cap on tokens. */
export function inUnit(unit: Cap["unit"], value: number): string {
  if (unit === "tokens") return `${Math.round(value).toLocaleString("en-US")} tokens`;
  if (value >= 0.1 || value <= 0) return `$${Math.max(0, value).toFixed(2)}`;
  const fine = value.toFixed(4).replace(/0{1,2}$/, "");
  return Number(fine) === 0 ? "less than $0.0001" : `$${fine}`;
}

/** One line that names the cap, the sum, the request and the setting. */
export function limitLine({ cap, limit, spent, held, need }: OverCap): string {
  const sum = (value: number) => inUnit(cap.unit, value);
  const pending = held > 0 ? ` and ${sum(held)} held back for requests under way` : "";
  const start = capName(cap).replace(/^./, (first) => first.toUpperCase());
  return `${start} is reached: ${sum(spent)} of ${sum(limit)} spent${pending}, and the next request may take up to ${sum(need)} (${setting(cap)}).`;
}

export function warningLine(cap: Cap, limit: number, spent: number): string {
  const percent = limit === 0 ? 100 : Math.floor((spent / limit) * 100);
  return `${percent} % of ${capName(cap)} is used: ${inUnit(cap.unit, spent)} of ${inUnit(cap.unit, limit)} (${setting(cap)}).`;
}

/** Why a request can't be sent although there is money left. */
export function unpricedLine(model: string, cap: Cap): string {
  return (
    `The price of the model "${model}" is not known, so ${capName(cap)} of ${inUnit(cap.unit, cap.limit)} (${setting(cap)}) can't be kept:` +
    ` give its price in the setting models.${model}.price, or cap tokens instead (spend.${cap.scope}Tokens).`
  );
}

function setting(cap: Cap): string {
  return cap.setting.startsWith("--") ? cap.setting : `setting ${cap.setting}`;
}
