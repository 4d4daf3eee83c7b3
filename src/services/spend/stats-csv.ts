import { words } from "../../contracts/words.ts";
import type { SpendCell } from "./spend-stats.ts";

const HEAD = words(`
  day provider model project source requests input_tokens output_tokens cache_read_tokens cache_write_tokens
  usd unpriced_requests estimated_requests mcp_server
`);

/** Spending as comma-separated values (RFC 4180), with one line for each kind of request on each day. */
export function statsCsv(cells: readonly SpendCell[]): string {
  const rows = cells.map(({ day, provider, model, project, source, server = "", ...sum }) => [
    ...[day, provider, model, project, source].map(field),
    sum.requests,
    sum.usage.inputTokens,
    sum.usage.outputTokens,
    sum.usage.cacheReadTokens,
    sum.usage.cacheWriteTokens,
    // Without exponents, which some programs read as text.
    sum.usd.toFixed(8).replace(/\.?0+$/, ""),
    sum.unpriced,
    sum.estimated,
    field(server),
  ]);
  return [HEAD, ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}

/** Quotes text that a spreadsheet would read as a formula. */
function field(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
