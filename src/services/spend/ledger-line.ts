import { NO_USAGE, type Usage } from "../../contracts/message.ts";
import { SPEND_SOURCES, type SpendSource } from "../../contracts/spend.ts";
import type { ProcessIdentity } from "../../platform/process-identity.ts";

/** Version of the ledger's lines. */
export const LEDGER_FORMAT = 1;

/** What a request may cost at most. */
export type Reserved = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; null where nobody has asked for the price. */
  readonly usd: number | null;
};

type LineBase = {
  readonly v: typeof LEDGER_FORMAT;
  /** Of the request: its two lines share it. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly session: string;
  /** The project root; absolute. */
  readonly project: string;
  readonly source: SpendSource;
  readonly model: string;
  readonly provider: string;
};

/** A request is about to be sent. Counts at its worst as long as the process lives. */
export type OpenLine = LineBase & {
  readonly state: "open";
  readonly usage: null;
  readonly usd: null;
  readonly reserved: Reserved;
  readonly holder: ProcessIdentity;
};

/** A request has its answer, or will never have one. */
export type SettledLine = LineBase & {
  readonly state: "settled";
  readonly usage: Usage;
  /** US dollars; null when the model's price is not known. */
  readonly usd: number | null;
  readonly reserved: Reserved;
  /** At least a part of `usage` was not reported by the server and is estimated. */
  readonly estimated?: true;
  /** No server has taken the request: it used nothing, and counts nothing. */
  readonly refused?: true;
};

export type LedgerLine = OpenLine | SettledLine;

/** What a piece of text could be read as. `damaged`: not all of it could. */
export type ReadLine = { readonly line: LedgerLine | undefined; readonly damaged: boolean };

type Fields = Readonly<Record<string, unknown>>;

export function formatLine(line: LedgerLine): string {
  return `${JSON.stringify(line)}\n`;
}

/**
 * Reads a line of the ledger, also one that is damaged: what it says of money and tokens counts, whatever else is lost, and of
 * lines that are glued together each counts.
 */
export function* readLedgerText(text: string): Generator<ReadLine> {
  if (text.trim() === "") return;
  const whole = jsonObject(text);
  const line = whole && lineFrom(whole);
  if (line) {
    yield { line, damaged: false };
    return;
  }
  for (const piece of text.split(/(?=\{"v":)/)) {
    const fields = jsonObject(piece);
    yield { line: (fields && lineFrom(fields)) ?? salvage(piece), damaged: true };
  }
}

function jsonObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
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
  if (fields["state"] !== "settled" || !usage || usd === undefined) return undefined;
  return {
    ...base,
    state: "settled",
    usage,
    usd,
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
    model: text("model"),
    provider: text("provider"),
  };
}

/** Finds the amounts in a text that is no line any more. What was only reserved says nothing about what was spent. */
function salvage(text: string): SettledLine | undefined {
  if (/"state":\s*"open"/.test(text)) return undefined;
  const number = (name: string) => amount(Number(new RegExp(`"${name}":\\s*([0-9.eE+-]+)`).exec(text)?.[1] ?? "x"));
  // The sum comes before what was reserved, which has one too.
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
  if (!isObject(value)) return undefined;
  const inputTokens = amount(value["inputTokens"]);
  const outputTokens = amount(value["outputTokens"]);
  const cacheReadTokens = amount(value["cacheReadTokens"]);
  const cacheWriteTokens = amount(value["cacheWriteTokens"]);
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  if (cacheReadTokens === undefined || cacheWriteTokens === undefined) return undefined;
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
}

function reservedOf(value: unknown): Reserved | undefined {
  if (!isObject(value)) return undefined;
  const inputTokens = amount(value["inputTokens"]);
  const outputTokens = amount(value["outputTokens"]);
  const usd = value["usd"] === null ? null : amount(value["usd"]);
  return inputTokens === undefined || outputTokens === undefined || usd === undefined
    ? undefined
    : { inputTokens, outputTokens, usd };
}

function holderOf(value: unknown): ProcessIdentity | undefined {
  if (!isObject(value)) return undefined;
  const { pid, startTime, host, bootId, pidNamespace } = value;
  if (typeof pid !== "number" || typeof startTime !== "string" || typeof host !== "string") return undefined;
  if (typeof bootId !== "string" || typeof pidNamespace !== "string") return undefined;
  return { pid, startTime, host, bootId, pidNamespace };
}

/** A finite number from 0, or nothing. */
function amount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
