import { formatCount, formatUsd } from "@quoll/terminal-text/format-amount";
import { plainText } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import type { Command } from "../contracts/command.ts";
import { totalInputTokens, type Usage } from "../contracts/message.ts";
import type { CapState, SourceSpend } from "../contracts/spend.ts";

const COUNT_COLUMNS = 7;
const COST_COLUMNS = 13;
const MAX_SERVER_COLUMNS = 30;
/** Input, cache reads, cache writes, output. */
const COUNTED = ["in", "cached", "stored", "out"] as const;
const COST = "cost";
const SOURCES = {
  main: "main conversation",
  subagent: "subagents",
  hook: "hooks",
  compaction: "compaction",
  memory: "memory",
  mcp: "requests of MCP servers",
  web: "questions about web pages",
  judge: "judge of calls",
} as const;

/** Shows the session's usage by model and by source, and what the caps leave. Also says when a price is unknown. */
export const costCommand: Command = {
  name: "cost",
  aliases: ["stats"],
  summary: "Show tokens by kind and their cost (also /stats)",
  needsNoServers: true,
  async run(_argument, { engine, spend, isPlain = false }) {
    const { usage, costUsd, usageByModel, model } = engine.state;
    const status = await spend?.status();
    const caps = status ? capLines(status.caps) : [];
    if (totalInputTokens(usage) + usage.outputTokens === 0)
      return { kind: "text", lines: ["No tokens were used yet.", ...caps] };
    const byModel = Object.entries(usageByModel ?? { [model]: { usage, costUsd } });
    const isUnpriced = byModel.some(([, part]) => part.costUsd === undefined);
    const spendBySource = engine.state.spendBySource ?? [];
    return {
      kind: "text",
      lines: [
        `This session: ${total(costUsd, usage)}`,
        ...(isPlain ? spokenModels(byModel) : modelLines(byModel)),
        ...sourceLines(spendBySource),
        ...caps,
        ...(isUnpriced
          ? [
              "",
              "A sum is unknown if it includes a model without a known price; caps in dollars don't count that model.",
            ]
          : []),
        ...(usage.estimated
          ? ["", "~ marks an estimate: a server reported no usage, or an answer was interrupted."]
          : []),
      ],
    };
  },
};

type ByModel = readonly (readonly [string, { readonly usage: Usage; readonly costUsd: number | undefined }])[];

/** One block for each model, with one kind of tokens per line, so that it fits a narrow window. */
function modelLines(byModel: ByModel): readonly string[] {
  const rows = byModel.map(([name, { usage, costUsd }]) => ({
    name,
    usage,
    cost: formatUsd(costUsd, usage.estimated),
  }));
  const width = Math.max(COST.length, ...rows.map(({ cost }) => cost.length));
  return [
    "",
    "By model, in tokens",
    `  ${COUNTED.map((name) => name.padStart(COUNT_COLUMNS)).join("")}  ${COST.padStart(width)}`,
    ...rows.flatMap(({ name, usage, cost }) => {
      const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
      const counts = [inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens].map((count) =>
        formatCount(count).padStart(COUNT_COLUMNS),
      );
      return [`  ${name}`, `  ${counts.join("")}  ${cost.padStart(width)}`];
    }),
  ];
}

/** A screen reader hears no columns, so each number has its name. */
function spokenModels(byModel: ByModel): readonly string[] {
  return byModel.map(([name, { usage, costUsd }]) => {
    const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
    const counts = [inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens].map(
      (count, at) => `${COUNTED[at]} ${formatCount(count)}`,
    );
    return `Tokens of ${name}: ${counts.join(", ")}, cost ${formatUsd(costUsd, usage.estimated)}`;
  });
}

function sourceLines(bySource: readonly SourceSpend[]): readonly string[] {
  if (bySource.length === 0) return [];
  const rows = bySource.map((one) => ({
    ...one,
    name: sourceName(one),
    cost: formatUsd(one.isUnpriced ? undefined : one.usd, one.isEstimate),
  }));
  const width = Math.max(...rows.map(({ name }) => textWidth(name)));
  const costWidth = Math.max(...rows.map(({ cost }) => cost.length));
  return [
    "",
    "By source",
    ...rows.map(({ name, tokens, cost }) => {
      const count = `${formatCount(tokens).padStart(COUNT_COLUMNS)} tok`;
      return `  ${padText(name, width)} ${count}  ${cost.padStart(costWidth)}`;
    }),
  ];
}

/** The server's name is the name in the configuration. */
function sourceName({ source, server }: SourceSpend): string {
  return server === undefined ? SOURCES[source] : `MCP server ${truncateText(plainText(server), MAX_SERVER_COLUMNS)}`;
}

/** An empty line, then the money that the caps leave. */
export function capLines(caps: readonly CapState[]): readonly string[] {
  if (caps.length === 0) return [];
  return [
    "",
    "Caps",
    ...caps.flatMap(({ name, setting, unit, limit, spent, held }) => {
      const sum = (value: number) => (unit === "usd" ? formatUsd(value) : `${formatCount(value)} tok`);
      const left = Math.max(0, limit - spent - held);
      const pending = held > 0 ? `, ${sum(held)} held back` : "";
      const percent = limit > 0 ? Math.min(100, Math.floor((spent / limit) * 100)) : 100;
      return [
        `  ${name} (${setting})`,
        `  ${sum(left).padStart(COST_COLUMNS)} left: ${sum(spent)} of ${sum(limit)} spent (${percent}%)${pending}`,
      ];
    }),
  ];
}

function total(costUsd: number | undefined, { estimated }: Usage): string {
  return costUsd === undefined ? "cost unknown (a price is missing)" : formatUsd(costUsd, estimated);
}
