import { formatCount, formatUsd } from "@quoll/terminal-text/format-amount";
import { plainText } from "@quoll/terminal-text/plain-text";
import { plural } from "@quoll/terminal-text/plural";
import { textWidth } from "@quoll/terminal-text/text-width";
import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import { allTokens, type NamedSum, type SpendStats, type SpendSum } from "./spend-stats.ts";

/** Block characters for eighths of a column. */
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;
const MAX_COLUMNS = 100;
/** Maximum share of the width for a name. */
const NAME_SHARE = 0.4;
/** A shorter bar carries no information. */
const MIN_BAR_COLUMNS = 6;
const GAP = "  ";
/** The maximum number of rows per section, except days; the other rows are summed in one row. */
const MAX_ROWS = 12;
const UNPRICED = "+";
const ESTIMATED = "~";

export type StatsView = {
  /** Width of the terminal. */
  readonly columns: number;
  /** `the last 30 days` */
  readonly period: string;
  /** Shortens a project's path for people. */
  shortPath(path: string): string;
};

/** Spending as tables with bars; each line fits the terminal. */
export function renderStats(stats: SpendStats, view: StatsView): string {
  const { total } = stats;
  if (total.requests === 0) return `Nothing was spent in ${view.period}.`;
  const columns = Math.min(view.columns, MAX_COLUMNS);
  const parts = [
    { title: "by day", rows: stats.days },
    { title: "by model", rows: shortened(stats.models) },
    { title: "by project", rows: shortened(stats.projects).map((row) => ({ ...row, name: view.shortPath(row.name) })) },
    { title: "by source", rows: shortened(stats.sources) },
  ];
  const sum = `${money(total)}, ${count(total)} tokens, ${plural(total.requests, "request")}`;
  return [
    heading(`Spent in ${view.period}:`, sum, columns),
    ...parts.map(({ title, rows }) => `${title}\n${table(rows, columns).join("\n")}`),
    ...notes(total).map((note) => truncateText(note, columns)),
  ].join("\n\n");
}

/** On one line, or on two if one line is too long. */
function heading(start: string, sum: string, columns: number): string {
  const line = `${start} ${sum}`;
  return textWidth(line) <= columns ? line : [start, sum].map((part) => truncateText(part, columns)).join("\n");
}

function table(rows: readonly NamedSum[], columns: number): readonly string[] {
  const names = rows.map(({ name }) => plainText(name === "" ? "unknown" : name).replaceAll("\n", " "));
  const nameColumns = Math.min(Math.max(...names.map(textWidth)), Math.max(10, Math.floor(columns * NAME_SHARE)));
  const cells = rows.map((row) => [money(row), count(row), row.requests.toLocaleString("en-US")]);
  const headed = [["cost", "tokens", "requests"], ...cells];
  const widths = [0, 1, 2].map((at) => Math.max(...headed.map((row) => textWidth(row[at] ?? ""))));
  const figures = fitting(widths, columns - nameColumns);
  const taken = nameColumns + figures.reduce((sum, at) => sum + GAP.length + (widths[at] ?? 0), 0);
  const barColumns = columns - taken - GAP.length;
  const line = (name: string, bar: string, row: readonly string[]) =>
    [
      padText(truncateText(name, nameColumns, "middle"), nameColumns),
      ...(barColumns >= MIN_BAR_COLUMNS ? [padText(bar, barColumns)] : []),
      ...figures.map((at) => padText(row[at] ?? "", widths[at] ?? 0, "right")),
    ]
      .join(GAP)
      .trimEnd();
  const weigh = rows.some(({ usd }) => usd > 0) ? ({ usd }: NamedSum) => usd : allTokens;
  const most = Math.max(...rows.map(weigh));
  return [
    line("", "", headed[0] ?? []),
    ...rows.map((row, at) => line(names[at] ?? "", bar(weigh(row) / (most || 1), barColumns), cells[at] ?? [])),
  ];
}

/** The columns that fit, cost first. */
function fitting(widths: readonly number[], columns: number): readonly number[] {
  const chosen: number[] = [];
  let taken = 0;
  for (const [at, width] of widths.entries()) {
    taken += GAP.length + width;
    if (taken > columns) break;
    chosen.push(at);
  }
  return chosen;
}

/** @param share From 0 to 1; a share above 0 is never shown as empty. */
function bar(share: number, columns: number): string {
  if (columns <= 0 || share <= 0) return "";
  const eighths = Math.max(1, Math.round(share * columns * 8));
  return "█".repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? "");
}

function money({ usd, unpriced, estimated, requests }: SpendSum): string {
  if (unpriced === requests) return "?";
  return `${estimated > 0 ? ESTIMATED : ""}${formatUsd(usd)}${unpriced > 0 ? UNPRICED : ""}`;
}

function count({ estimated, ...sum }: SpendSum): string {
  return `${estimated > 0 ? ESTIMATED : ""}${formatCount(allTokens({ estimated, ...sum }))}`;
}

/** The legend of the marks in the tables. */
function notes({ unpriced, estimated }: SpendSum): readonly string[] {
  return [
    ...(unpriced > 0 ? [`${UNPRICED} without requests of unknown price`] : []),
    ...(estimated > 0 ? [`${ESTIMATED} partly estimated: ${plural(estimated, "request")} without reported usage`] : []),
  ];
}

function shortened(rows: readonly NamedSum[]): readonly NamedSum[] {
  if (rows.length <= MAX_ROWS) return rows;
  const rest = rows.slice(MAX_ROWS - 1);
  const sum = rest.reduce((a, b) => ({
    name: "",
    requests: a.requests + b.requests,
    usd: a.usd + b.usd,
    unpriced: a.unpriced + b.unpriced,
    estimated: a.estimated + b.estimated,
    usage: {
      inputTokens: a.usage.inputTokens + b.usage.inputTokens,
      outputTokens: a.usage.outputTokens + b.usage.outputTokens,
      cacheReadTokens: a.usage.cacheReadTokens + b.usage.cacheReadTokens,
      cacheWriteTokens: a.usage.cacheWriteTokens + b.usage.cacheWriteTokens,
    },
  }));
  return [...rows.slice(0, MAX_ROWS - 1), { ...sum, name: `${rest.length} more` }];
}
