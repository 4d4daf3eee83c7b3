import { MAIN_AGENT } from "../../contracts/agent.ts";
import { isJsonObject, NO_USAGE, type Usage } from "../../contracts/message.ts";
import { parsedObject } from "../../contracts/parsed-json.ts";
import { SPEND_SOURCES, type SpendSource } from "../../contracts/spend.ts";
import type { ProcessIdentity } from "../../platform/process-identity.ts";

/** Version of the line format. */
export const LEDGER_FORMAT = 1;

/** The worst case of a request. */
export type Reserved = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; null if no cap needed the price. */
  readonly usd: number | null;
};

type LineBase = {
  readonly v: typeof LEDGER_FORMAT;
  /** The request's id, shared by its two lines. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly session: string;
  /** The project root; absolute. */
  readonly project: string;
  readonly source: SpendSource;
  /** The MCP server that asked the model, for the source `mcp`. */
  readonly server?: string;
  /** The agent that made the request, and the agent above it; null for the session's own. */
  readonly agentId: string;
  readonly parentAgentId: string | null;
  readonly model: string;
  readonly provider: string;
};

/** A request is about to be sent. The worst case counts while the process runs. */
export type OpenLine = LineBase & {
  readonly state: "open";
  readonly usage: null;
  readonly usd: null;
  readonly reserved: Reserved;
  readonly holder: ProcessIdentity;
};

/** A request was answered, or will never be answered. */
export type SettledLine = LineBase & {
  readonly state: "settled";
  readonly usage: Usage;
  /** US dollars, as the server reported it or by Quoll's prices; null if the model's price is unknown. */
  readonly usd: number | null;
  /** The amount that caps count, if it is larger: the cost by Quoll's prices, where the server reported less. */
  readonly countedUsd?: number;
  readonly reserved: Reserved;
  /** The server did not report all of `usage`, so at least a part is estimated. */
  readonly estimated?: true;
  /** True if no server accepted the request: it used nothing and counts as nothing. */
  readonly refused?: true;
};

/** US dollars that caps count for a request; 0 if its price is unknown. */
export function countedUsd({ usd, countedUsd }: Pick<SettledLine, "usd" | "countedUsd">): number {
  return countedUsd ?? usd ?? 0;
}

export type LedgerLine = OpenLine | SettledLine;

/** The result of parsing a line. `damaged`: a part could not be read. */
export type ReadLine = { readonly line: LedgerLine | undefined; readonly damaged: boolean };

type Fields = Readonly<Record<string, unknown>>;

export function formatLine(line: LedgerLine): string {
  return `${JSON.stringify(line)}\n`;
}

/**
 * Parses a ledger line, even if it is damaged: readable amounts of money and tokens count, even if the rest is lost,
 * and each of several joined lines counts.
 */
export function* readLedgerText(text: string): Generator<ReadLine> {
  if (text.trim() === "") return;
  const whole = parsedObject(text);
  const line = whole && lineFrom(whole);
  if (line) {
    yield { line, damaged: false };
    return;
  }
  for (const piece of text.split(/(?=\{"v":)/)) {
    const fields = parsedObject(piece);
    yield { line: (fields && lineFrom(fields)) ?? salvage(piece), damaged: true };
  }
}

function lineFrom(fields: Fields): LedgerLine | undefined {
  const base = baseOf(fields);
  const reserved = reservedOf(fields["reserved"]);
  if (fields["state"] === "open") {
    const holder = holderOf(fields["holder"]);
    if (!holder || !reserved || base.id === "") return undefined;
    return { ...base, state: "open", usage: null, usd: null, reserved, holder };
  }
  const usage = usageOf(fields["usage"]);
  const usd = fields["usd"] === null ? null : amount(fields["usd"]);
  const countedUsd = amount(fields["countedUsd"]);
  if (fields["state"] !== "settled" || !usage || usd === undefined) return undefined;
  return {
    ...base,
    state: "settled",
    usage,
    usd,
    ...(countedUsd !== undefined && { countedUsd }),
    reserved: reserved ?? NOTHING_RESERVED,
    ...(fields["estimated"] === true && { estimated: true }),
    ...(fields["refused"] === true && { refused: true }),
  };
}

const NOTHING_RESERVED: Reserved = { inputTokens: 0, outputTokens: 0, usd: null };

function baseOf(fields: Fields): LineBase {
  const text = (name: string) => (typeof fields[name] === "string" ? fields[name] : "");
  return {
    v: LEDGER_FORMAT,
    id: text("id"),
    time: text("time"),
    session: text("session"),
    project: text("project"),
    source: SPEND_SOURCES.find((source) => source === fields["source"]) ?? "main",
    ...(text("server") !== "" && { server: text("server") }),
    agentId: text("agentId") || MAIN_AGENT.agentId,
    parentAgentId: text("parentAgentId") || null,
    model: text("model"),
    provider: text("provider"),
  };
}

/** Finds the amounts in a text that is not a valid line. A reservation alone does not show a cost. */
function salvage(text: string): SettledLine | undefined {
  if (/"state":\s*"open"/.test(text)) return undefined;
  const number = (name: string) => amount(Number(new RegExp(`"${name}":\\s*([0-9.eE+-]+)`).exec(text)?.[1] ?? "x"));
  // In a result line, the real cost comes before the reserved amount, which also has a cost.
  const usd = /"reserved".*"usd"/s.test(text) && !/"usd".*"reserved"/s.test(text) ? undefined : number("usd");
  const found = Object.fromEntries(Object.keys(NO_USAGE).map((name) => [name, Math.round(number(name) ?? 0)]));
  const usage: Usage = { ...NO_USAGE, ...found };
  const isEmpty = Object.values(usage).every((count) => count === 0);
  if (usd === undefined && (isEmpty || !text.includes('"usage"'))) return undefined;
  const base = baseOf({
    model: /"model":\s*"([^"\\]*)"/.exec(text)?.[1],
    time: /"time":\s*"([^"\\]*)"/.exec(text)?.[1],
  });
  return { ...base, state: "settled", usage, usd: usd ?? null, reserved: NOTHING_RESERVED };
}

function usageOf(value: unknown): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const inputTokens = amount(value["inputTokens"]);
  const outputTokens = amount(value["outputTokens"]);
  const cacheReadTokens = amount(value["cacheReadTokens"]);
  const cacheWriteTokens = amount(value["cacheWriteTokens"]);
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  if (cacheReadTokens === undefined || cacheWriteTokens === undefined) return undefined;
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
}

function reservedOf(value: unknown): Reserved | undefined {
  if (!isJsonObject(value)) return undefined;
  const inputTokens = amount(value["inputTokens"]);
  const outputTokens = amount(value["outputTokens"]);
  const usd = value["usd"] === null ? null : amount(value["usd"]);
  return inputTokens === undefined || outputTokens === undefined || usd === undefined
    ? undefined
    : { inputTokens, outputTokens, usd };
}

function holderOf(value: unknown): ProcessIdentity | undefined {
  if (!isJsonObject(value)) return undefined;
  const { pid, startTime, host, bootId, pidNamespace } = value;
  if (typeof pid !== "number" || typeof startTime !== "string" || typeof host !== "string") return undefined;
  if (typeof bootId !== "string" || typeof pidNamespace !== "string") return undefined;
  return { pid, startTime, host, bootId, pidNamespace };
}

/** A finite non-negative number, or undefined. */
function amount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}
