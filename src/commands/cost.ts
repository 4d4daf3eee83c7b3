import { formatCount, formatUsd } from "@quoll/terminal-text/format-amount";
import type { Command } from "../contracts/command.ts";
import { totalInputTokens, type Usage } from "../contracts/message.ts";

export const costSpec = { name: "cost", summary: "Show tokens by kind and what they cost" } as const;

/** What the session used so far. A price that is not known is said, never shown as nothing. */
export function costCommand(): Command {
  return {
    ...costSpec,
    async run(_argument, { engine }) {
      const { usage, costUsd, usageByModel, model } = engine.state;
      if (totalInputTokens(usage) + usage.outputTokens === 0) return { lines: ["No tokens were used yet."] };
      const byModel = Object.entries(usageByModel ?? { [model]: { usage, costUsd } });
      const width = Math.max(...byModel.map(([name]) => name.length));
      return {
        lines: [
          `This session: ${total(costUsd)}`,
          ...kinds(usage).map(([kind, count]) => `  ${kind.padEnd(18)} ${formatCount(count).padStart(6)}`),
          "By model",
          ...byModel.map(([name, part]) => {
            const tokens = formatCount(totalInputTokens(part.usage) + part.usage.outputTokens);
            return `  ${name.padEnd(width)}  ${tokens.padStart(6)} tok  ${formatUsd(part.costUsd)}`;
          }),
          ...(byModel.some(([, part]) => part.costUsd === undefined)
            ? ["A model whose price is unknown is not counted in any sum."]
            : []),
        ],
      };
    },
  };
}

function total(costUsd: number | undefined): string {
  return costUsd === undefined ? "cost unknown (a price is missing)" : formatUsd(costUsd);
}

function kinds(usage: Usage): readonly (readonly [string, number])[] {
  return [
    ["input", usage.inputTokens],
    ["read from cache", usage.cacheReadTokens],
    ["written to cache", usage.cacheWriteTokens],
    ["output", usage.outputTokens],
  ];
}
