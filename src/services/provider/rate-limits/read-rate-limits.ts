import type { RateLimit } from "../../../contracts/rate-limits.ts";

/** The windows of a Claude plan: the used share, and the end as seconds since 1970. */
const UNIFIED = /^anthropic-ratelimit-unified-([\w-]+)-(utilization|reset)$/;
/** Limits per minute of the Claude API; ends are RFC 3339 (its documentation, "Rate limits", response headers). */
const ANTHROPIC = /^anthropic-ratelimit-((?:input-|output-)?tokens|requests)-(limit|remaining|reset)$/;
/** OpenAI's documentation, "Rate limits", headers; others use the same names. Ends are durations such as `6m0s`. */
const OPENAI = /^x-ratelimit-(limit|remaining|reset)(?:-([\w-]+))?$/;

const MINUTE_MS = 60_000;
const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: MINUTE_MS,
  h: 60 * MINUTE_MS,
  d: 1_440 * MINUTE_MS,
};
/** Larger plain numbers are dates: in seconds, or from here on in milliseconds. */
const FIRST_DATE_S = 1_000_000_000;
const FIRST_DATE_MS = 1_000_000_000_000;

type Draft = { name: string; used?: number; left?: number; limit?: number; resetsAt?: number };

/**
 * The limits that the headers of an answer report. Headers that can't be read are left out.
 * @param headers Names in lower case.
 * @param at When the answer came: milliseconds since 1970.
 */
export function readRateLimits(headers: ReadonlyMap<string, string>, at: number): readonly RateLimit[] {
  const drafts = new Map<string, Draft>();
  const draft = (name: string) => {
    const made = drafts.get(name) ?? { name };
    drafts.set(name, made);
    return made;
  };
  for (const [header, value] of headers) {
    const [, window, fact] = UNIFIED.exec(header) ?? [];
    if (window !== undefined && fact !== undefined) take(draft(window.replaceAll("_", " ")), fact, value, at);
    const [, kind, amount] = ANTHROPIC.exec(header) ?? [];
    if (kind !== undefined && amount !== undefined) take(draft(kind.replaceAll("-", " ")), amount, value, at);
    const [, part, of = "requests"] = OPENAI.exec(header) ?? [];
    if (part !== undefined) take(draft(of.replaceAll(/[-_]/g, " ")), part, value, at);
  }
  // A reset time alone does not say how much is left.
  const known = [...drafts.values()].filter(({ used, left }) => used !== undefined || left !== undefined);
  return known.sort((a, b) => Number(b.used !== undefined) - Number(a.used !== undefined));
}

function take(draft: Draft, fact: string, value: string, at: number): void {
  if (fact === "reset") {
    const resetsAt = momentOf(value.trim(), at);
    if (resetsAt !== undefined) draft.resetsAt = resetsAt;
    return;
  }
  const number = Number(value);
  if (value.trim() === "" || !Number.isFinite(number)) return;
  if (fact === "utilization") draft.used = number;
  else if (fact === "remaining") draft.left = number;
  else draft.limit = number;
}

function momentOf(value: string, at: number): number | undefined {
  if (/^\d+(?:\.\d+)?$/.test(value)) {
    const number = Number(value);
    if (number >= FIRST_DATE_MS) return number;
    return number >= FIRST_DATE_S ? number * 1_000 : at + number * 1_000;
  }
  if (/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(value)) {
    const parts = [...value.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)];
    return at + parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (UNITS[unit] ?? 0), 0);
  }
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : date;
}
