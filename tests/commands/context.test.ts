import { describe, expect, test } from "bun:test";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { contextCommand } from "../../src/commands/context.ts";
import type { CommandContext, CommandResult } from "../../src/contracts/command.ts";
import type { ContextReport, ContextRow } from "../../src/contracts/context-report.ts";
import { windowLimits } from "../../src/contracts/window-limits.ts";
import { themeFor } from "../../src/faces/repl/view/theme.ts";
import { viewLines } from "../../src/faces/repl/view/view-lines.ts";

const WINDOW = 200_000;
const USED = 61_000;
const priced = { cached: 0.0183, uncached: 0.183 };

function row(source: ContextRow["source"], label: string, tokens: number): ContextRow {
  const part = tokens / USED;
  const usd = { cached: priced.cached * part, uncached: priced.uncached * part };
  return { source, label, tokens, share: tokens / WINDOW, usd };
}

const REPORT: ContextReport = {
  model: "claude-sonnet-5",
  limits: windowLimits({ contextWindow: WINDOW, maxOutputTokens: 64_000 }),
  usedTokens: USED,
  countedBy: "usage",
  usd: priced,
  bySource: { prompt: 2_100, tools: 3_600, mcp: 4_400, instructions: 1_200, messages: 49_700 },
  rows: [
    row("prompt", "introduction", 900),
    row("prompt", "how to work", 1_200),
    row("tools", "Bash", 1_600),
    row("tools", "Read", 2_000),
    row("mcp", "mcp__github__search_repositories_by_every_possible_word", 4_400),
    row("instructions", "AGENTS.md", 1_200),
  ],
  turns: [
    { ...row("messages", "fix the flaky test", 9_700), number: 1, results: [] },
    {
      ...row("messages", "読んで src/big.ts と書いて、そして長い文を続けてください、もっと長く", 40_000),
      number: 2,
      results: [
        { ...row("messages", "Grep price", 2_200), toolUseId: "g" },
        { ...row("messages", "Read src/big.ts", 11_800), toolUseId: "r" },
      ],
    },
  ],
  byKind: { words: 0, answers: 0, calls: 0, results: 49_700, attachments: 0 },
  byTool: [],
  deferred: [{ source: "github", tools: 41, tokens: 38_000 }],
};

function run(argument: string, report: ContextReport = REPORT): Promise<CommandResult> {
  const context = { contextReport: async () => report } as Partial<CommandContext> as CommandContext;
  return contextCommand.run(argument, context, new AbortController().signal);
}

async function view(report?: ContextReport) {
  const result = await run("", report);
  if (result.kind !== "view") throw new Error(`It answered with ${result.kind}.`);
  return result;
}

describe("/context", () => {
  for (const columns of [80, 120]) {
    test(`fits ${columns} columns, without colors too`, async () => {
      const { title, lines } = await view();
      const room = { theme: themeFor(0), columns, maxRows: 60 };
      const shown = viewLines({ title, lines, scroll: 0 }, room as Parameters<typeof viewLines>[1]).lines.map(
        stripAnsi,
      );
      expect(Math.max(...shown.map((line) => textWidth(line)))).toBeLessThanOrEqual(columns);
      expect(shown).toHaveLength(lines.length + 3);
      expect(shown.map((line) => line.trimEnd()).join("\n")).toMatchSnapshot();
    });
  }

  test("has one cell for each percent, and a cell at least for each source that uses anything", async () => {
    const bySource = { prompt: 1, tools: 1, mcp: 0, instructions: 1, messages: 100_000 };
    const text = (await view({ ...REPORT, bySource, usedTokens: 100_003 })).lines.join("\n");
    const count = (sign: string) => text.split(sign).length - 1;
    // Each sign stands once more in the legend.
    expect(["▲", "◆", "◇", "●", "■"].map((sign) => count(sign) - 1)).toEqual([1, 1, 0, 1, 50]);
    expect(["▲", "◆", "◇", "●", "■", "×"].reduce((sum, sign) => sum + count(sign) - 1, 0)).toBeLessThan(100);
  });

  test("names the largest results, the largest first, and where no price is known it names no money", async () => {
    const text = (await view({ ...REPORT, usd: undefined } as unknown as ContextReport)).lines.join("\n");
    expect(text.indexOf("Read src/big.ts")).toBeLessThan(text.indexOf("Grep price"));
    expect(text).toContain("cost unknown");
  });

  test("a window that is too small has a grid that is full", async () => {
    const limits = windowLimits({ contextWindow: 1_000, maxOutputTokens: 500 });
    const { lines } = await view({ ...REPORT, limits });
    expect(lines.join("\n")).not.toContain("NaN");
    expect(lines.find((line) => line.includes("▲ system prompt"))).toBeDefined();
  });

  test("--json gives the report as data, and other arguments are refused", async () => {
    const result = await run("--json");
    if (result.kind !== "text") throw new Error(`It answered with ${result.kind}.`);
    expect(JSON.parse(result.lines.join("\n"))).toEqual(REPORT);
    await expect(run("--yaml")).rejects.toThrow("--yaml");
  });
});
