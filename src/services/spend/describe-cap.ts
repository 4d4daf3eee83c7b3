import type { NewQuestion } from "../../contracts/question.ts";
import type { SpendSource } from "../../contracts/spend.ts";
import type { Cap, CapStatus } from "./caps.ts";

const OWNERS: Readonly<Record<SpendSource, string>> = {
  main: "the main conversation",
  subagent: "subagents",
  hook: "hooks",
  compaction: "compaction",
  memory: "the memory",
  mcp: "requests of MCP servers",
  web: "questions about web pages",
  judge: "the judge",
};

/** The amounts of a cap and of a request that exceeds it, in the cap's unit (US dollars or tokens). */
export type OverCap = CapStatus & {
  /** The worst case of the request. */
  readonly need: number;
  /** The worst case of the request with the shortest useful answer. */
  readonly least: number;
};

/** `the day's spending cap`, `the session's spending cap for sub-agents`. */
export function capName({ scope, source }: Cap): string {
  const owner = source === undefined ? "" : ` for ${OWNERS[source]}`;
  return `the ${scope}'s spending cap${owner}`;
}

/** US dollars, where small sums are never rounded to zero, or `12,000 tokens` for a cap on tokens. */
export function inUnit(unit: Cap["unit"], value: number): string {
  if (unit === "tokens") return `${Math.round(value).toLocaleString("en-US")} tokens`;
  if (value >= 0.1 || value <= 0) return `$${Math.max(0, value).toFixed(2)}`;
  const fine = value.toFixed(4).replace(/0{1,2}$/, "");
  return Number(fine) === 0 ? "less than $0.0001" : `$${fine}`;
}

/** The smallest amount that people can write and that is not less than the value. */
function roundedUp(unit: Cap["unit"], value: number): number {
  const steps = unit === "tokens" ? 1 : value >= 0.1 ? 100 : 10_000;
  // Sums of many small numbers are slightly off.
  return Math.ceil(value * steps - 1e-6) / steps;
}

/** One line that names the cap, the sum, the request, the smallest cap that would do, and the setting. */
export function limitLine({ cap, limit, spent, held, need, least }: OverCap): string {
  const sum = (value: number) => inUnit(cap.unit, value);
  const pending = held > 0 ? ` and ${sum(held)} reserved for open requests` : "";
  const start = capName(cap).replace(/^./, (first) => first.toUpperCase());
  return `${start} is reached: ${sum(spent)} of ${sum(limit)} spent${pending}. The next request may cost up to ${sum(need)}; with a short answer, it needs a cap of at least ${sum(roundedUp(cap.unit, spent + held + least))} (${setting(cap)}).`;
}

export function warningLine(cap: Cap, limit: number, spent: number): string {
  const percent = limit === 0 ? 100 : Math.floor((spent / limit) * 100);
  return `${percent}% of ${capName(cap)} is used: ${inUnit(cap.unit, spent)} of ${inUnit(cap.unit, limit)} (${setting(cap)}).`;
}

/** The reason why a request cannot be sent although the cap is not reached. */
export function unpricedLine(model: string, cap: Cap): string {
  return (
    `The price of the model "${model}" is unknown, so ${capName(cap)} of ${inUnit(cap.unit, cap.limit)} (${setting(cap)}) cannot be enforced:` +
    ` set its price in models.${model}.price, or cap tokens instead (spend.${cap.scope}Tokens).`
  );
}

function setting(cap: Cap): string {
  return cap.setting.startsWith("--") || cap.scope === "agent" ? cap.setting : `setting ${cap.setting}`;
}

/** Asks whether to spend more: for one request, or by raising each cap by its original amount. */
export function spendQuestion(over: readonly OverCap[]): NewQuestion {
  const raised = over.map(({ cap, limit }) => `${capName(cap)} to ${inUnit(cap.unit, limit + cap.limit)}`);
  const offer = `"Raise the cap" raises, for this session, ${raised.join(" and ")}.`;
  return {
    title: "Exceed the spending cap?",
    body: {
      kind: "spend",
      preview: { kind: "text", text: [...over.map(limitLine), offer].join("\n") },
      reason: over.map(({ cap }) => cap.setting).join(", "),
    },
  };
}
