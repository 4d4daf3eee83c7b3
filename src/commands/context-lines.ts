import { formatCount, formatUsd } from "@quoll/terminal-text/format-amount";
import { oneLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import type { MarkRow } from "../contracts/command-result.ts";
import {
  CONTEXT_SOURCES,
  type ContextReport,
  type ContextRow,
  type ContextSource,
} from "../contracts/context-report.ts";
import { firstFew } from "../contracts/words.ts";

/** One cell is one percent of the window, if there is room for all. */
const MAX_CELLS = 100;
const MAX_CELLS_PER_ROW = 20;
/** The columns before the grid. */
const GRID_INDENT = 34;
/** In fewer columns, no blank separates the cells. */
const MIN_SPACED_COLUMNS = 59;
const WHOLE_COLUMNS = 79;
/** The widths for which a narrow window has lines. */
export const NARROW_COLUMNS = [73, 66, 59, 54, 50, 45, 40] as const;
const LABEL_COLUMNS = 40;
const LARGEST = 8;
const SOURCES: Readonly<Record<ContextSource, { readonly sign: string; readonly name: string }>> = {
  prompt: { sign: "▲", name: "system prompt" },
  tools: { sign: "◆", name: "tools" },
  mcp: { sign: "◇", name: "MCP tools" },
  instructions: { sign: "●", name: "instruction files" },
  memory: { sign: "○", name: "memory" },
  messages: { sign: "■", name: "messages" },
};
const FREE = "·";
const RESERVED = "×";
const COUNTED = {
  provider: "The provider counted each part.",
  usage: "The sum follows the last reported usage; the parts are estimates.",
  estimate: "All numbers are estimates until the first answer.",
};

/**
 * A report as lines of at most 79 columns: the grid, a table of everything except messages, and the check of the newest
 * summary.
 * @param columns The columns for the grid, at least 40, or words in place of it.
 */
export function contextLines(report: ContextReport, columns: number | "words" = WHOLE_COLUMNS): readonly string[] {
  const { rows, deferred, lastSummary } = report;
  return [
    ...headLines(report),
    "",
    ...(columns === "words"
      ? legendLines(report).map(({ name, tokens }) => `  ${name}  ${formatCount(tokens)}`)
      : gridLines(report, columns)),
    "",
    ...COUNT_HEAD,
    ...CONTEXT_SOURCES.filter((source) => source !== "messages").flatMap((source) =>
      rowLines(SOURCES[source].name, bySize(rows.filter((row) => row.source === source))),
    ),
    ...deferred.map(
      ({ source, tools, tokens }) =>
        `  Deferred, in no request: ${plural(tools, "tool")} of ${source}, ${formatCount(tokens)} tokens`,
    ),
    ...summaryLines(lastSummary),
  ];
}

/** The largest turns and results, and everything that is pinned, as rows to mark. */
export function contextRows({ turns }: ContextReport, isPlain = false): readonly MarkRow[] {
  const numbered = turns.map((turn) => ({ ...turn, label: `${isPlain ? "turn " : ""}${turn.number}: ${turn.label}` }));
  const results = turns.flatMap((turn) => turn.results.map((result) => ({ ...result, id: result.toolUseId })));
  return [...markRows("Largest turns", numbered), ...markRows("Largest results", results)];
}

type Markable = ContextRow & { readonly id: string; readonly isPinned?: true };

function markRows(title: string, rows: readonly Markable[]): readonly MarkRow[] {
  const sorted = bySize(rows);
  const shown = sorted.filter(({ isPinned }, at) => at < LARGEST || isPinned);
  if (shown.length === 0) return [];
  const heading = { id: title, line: `  ${title}`, keys: {} };
  return [
    heading,
    ...shown.map((row) => {
      const label = row.isPinned ? `pinned · ${row.label}` : row.label;
      const keys = { d: "drop", c: "collapse", p: row.isPinned ? "unpin" : "pin" };
      return { id: row.id, line: rowLine({ ...row, label }), keys: row.id === "" ? {} : keys };
    }),
  ];
}

/** The maximum number of facts to show that a summary left out and Quoll added. */
const MAX_FACTS = 5;

function summaryLines(report: ContextReport["lastSummary"]): readonly string[] {
  if (!report) return [];
  const { droppedMessages, checked, added } = report;
  const facts = added.map((fact) => truncateText(`    added: ${oneLine(fact)}`, 79));
  return [
    "  Last summary",
    `    ${plural(droppedMessages, "message")} replaced, ${plural(checked, "fact")} looked for, ${added.length} added`,
    ...firstFew(facts, MAX_FACTS, (count) => `    and ${count} more`),
  ];
}

function headLines({ model, usedTokens, limits, autoCompact, usd, countedBy }: ContextReport): readonly string[] {
  const percent = limits.window > 0 ? Math.round((usedTokens / limits.window) * 100) : 0;
  const price = usd
    ? `${smallUsd(usd.cached)} a request from the cache, ${smallUsd(usd.uncached)} without it`
    : "cost unknown";
  const { warn, stop } = limits;
  const compact = autoCompact ? `compacts at ${formatCount(limits.compact)}` : "never compacts on its own";
  return [
    truncateText(
      `${model} · ${formatCount(usedTokens)} of ${formatCount(limits.window)} tokens used (${percent}%)`,
      79,
    ),
    `Input: ${price}`,
    `Warns at ${formatCount(warn)}, ${compact}, stops at ${formatCount(stop)} tokens`,
    COUNTED[countedBy],
  ];
}

function gridLines(report: ContextReport, columns: number): readonly string[] {
  const legend = legendLines(report);
  const gap = columns < MIN_SPACED_COLUMNS ? "" : " ";
  const room = Math.floor((columns - GRID_INDENT + gap.length) / (1 + gap.length));
  const perRow = Math.min(MAX_CELLS_PER_ROW, room);
  const cells = gridCells(report, Math.min(MAX_CELLS, perRow * legend.length));
  return legend.map(({ sign, name, tokens }, at) => {
    const row = cells.slice(at * perRow, (at + 1) * perRow).join(gap);
    // The numbers come first: a narrow window cuts the end of a line.
    return `  ${sign} ${padText(name, 20)}${formatCount(tokens).padStart(7)}   ${row}`.trimEnd();
  });
}

/** The parts of the window with their tokens. */
function legendLines({ limits, bySource, usedTokens }: ContextReport) {
  return [
    ...CONTEXT_SOURCES.map((source) => ({ ...SOURCES[source], tokens: bySource[source] })),
    { sign: FREE, name: "free", tokens: Math.max(0, limits.usable - usedTokens) },
    { sign: RESERVED, name: "kept for the answer", tokens: limits.reserved },
  ];
}

/** Each source that uses tokens gets at least one cell. */
function gridCells({ limits, bySource }: ContextReport, all: number): readonly string[] {
  const cells = (tokens: number) => (tokens > 0 ? Math.max(1, Math.round((tokens / limits.window) * all)) : 0);
  const used = CONTEXT_SOURCES.flatMap((source) => Array<string>(cells(bySource[source])).fill(SOURCES[source].sign));
  const reserved = Array<string>(Math.max(0, Math.min(cells(limits.reserved), all - used.length))).fill(RESERVED);
  const free = Array<string>(Math.max(0, all - used.length - reserved.length)).fill(FREE);
  return [...used, ...free, ...reserved].slice(0, all);
}

const COUNT_HEAD = [`  ${padText("", LABEL_COLUMNS)}  tokens   share    cached  uncached`];

function rowLines(title: string, rows: readonly ContextRow[]): readonly string[] {
  if (rows.length === 0) return [];
  return [`  ${title.charAt(0).toUpperCase()}${title.slice(1)}`, ...rows.map(rowLine)];
}

function rowLine({ label, tokens, share, usd }: ContextRow): string {
  const money = usd ? [usd.cached, usd.uncached].map((value) => smallUsd(value).padStart(10)).join("") : "";
  const percent = `${(share * 100).toFixed(1)}%`.padStart(8);
  const name = padText(truncateText(label, LABEL_COLUMNS - 2), LABEL_COLUMNS - 2);
  return `    ${name}${formatCount(tokens).padStart(8)}${percent}${money}`;
}

/** Shows hundredths of a cent, because a part of a request usually costs less than a cent. */
function smallUsd(usd: number): string {
  if (usd >= 0.1 || usd === 0) return formatUsd(usd);
  return usd < 0.000_1 ? "<$0.0001" : `$${usd.toFixed(4)}`;
}

function bySize<Row extends ContextRow>(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted((a, b) => b.tokens - a.tokens);
}
