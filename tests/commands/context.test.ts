import { describe, expect, test } from "bun:test";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { contextCommand } from "../../src/commands/context.ts";
import type { CommandContext } from "../../src/contracts/command.ts";
import { type CommandResult, linesOf } from "../../src/contracts/command-result.ts";
import type { ContextReport, ContextRow } from "../../src/contracts/context-report.ts";
import { windowLimits } from "../../src/contracts/window-limits.ts";
import { DEFAULT_KEYMAP } from "../../src/faces/repl/keymap/keymap.ts";
import { firstMarkable, markLines } from "../../src/faces/repl/layers/mark-layer.ts";
import { emptyUi, type Ui, type UiContext } from "../../src/faces/repl/layers/ui-state.ts";
import { themeFor } from "../../src/faces/repl/view/theme.ts";
import { pressKeys } from "../support/press-keys.ts";

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
  autoCompact: true,
  usd: priced,
  bySource: { prompt: 2_100, tools: 3_600, mcp: 4_400, instructions: 1_200, memory: 0, messages: 49_700 },
  rows: [
    row("prompt", "introduction", 900),
    row("prompt", "how to work", 1_200),
    row("tools", "Bash", 1_600),
    row("tools", "Read", 2_000),
    row("mcp", "mcp__github__search_repositories_by_every_possible_word", 4_400),
    row("instructions", "AGENTS.md", 1_200),
  ],
  turns: [
    { ...row("messages", "fix the flaky test", 9_700), number: 1, id: "m1", results: [] },
    {
      ...row("messages", "読んで src/big.ts と書いて、そして長い文を続けてください、もっと長く", 40_000),
      number: 2,
      id: "m2",
      results: [
        { ...row("messages", "Grep price", 2_200), toolUseId: "g" },
        { ...row("messages", "Read src/big.ts", 11_800), toolUseId: "r", isPinned: true },
      ],
    },
  ],
  byKind: { words: 0, answers: 0, calls: 0, results: 49_700, attachments: 0 },
  byTool: [],
  deferred: [{ source: "github", tools: 41, tokens: 38_000 }],
  lastSummary: { droppedMessages: 40, keptMessages: 6, checked: 23, added: ["Changed file: src/price.ts"] },
};

function run(argument: string, report = REPORT, face: Pick<CommandContext, "isPlain"> = {}): Promise<CommandResult> {
  const context = { contextReport: async () => report, ...face } as Partial<CommandContext> as CommandContext;
  return contextCommand.run(argument, context, new AbortController().signal);
}

async function shown(report?: ContextReport) {
  const result = await run("", report);
  if (result.kind !== "mark") throw new Error(`It answered with ${result.kind}.`);
  return result;
}

/** The screen before and after these keys. */
async function pressed(...keys: readonly string[]) {
  const { kind: _, ...list } = await shown();
  const marking = { ...list, index: firstMarkable(list.rows), isMoved: false, marks: {}, isSent: false };
  return pressKeys({ ...emptyUi, marking }, { keymap: DEFAULT_KEYMAP, nowMs: 0 } as UiContext, ...keys);
}

function frame(ui: Ui, columns: number, maxRows: number): readonly string[] {
  if (!ui.marking) throw new Error("The list is closed.");
  const rows = Math.ceil(maxRows / 0.6);
  const room = { theme: themeFor(0), columns, maxRows, rows } as Parameters<typeof markLines>[1];
  const lines = markLines(ui.marking, room).lines.map(stripAnsi);
  expect(Math.max(...lines.map((line) => textWidth(line)))).toBeLessThanOrEqual(columns);
  expect(lines.length).toBeLessThanOrEqual(maxRows);
  return lines.map((line) => line.trimEnd());
}

const DOWN = "\u001b[B";

describe("/context", () => {
  for (const columns of [80, 120]) {
    test(`fits ${columns} columns, without colors too`, async () => {
      expect(frame((await pressed()).ui, columns, 60).join("\n")).toMatchSnapshot();
    });

    test(`fits ${columns} columns and 24 rows while parts are marked`, async () => {
      expect(frame((await pressed("d", DOWN, "c", DOWN, "p")).ui, columns, 24).join("\n")).toMatchSnapshot();
    });
  }

  test("in 40 columns, the parts of the window keep their numbers", async () => {
    const lines = frame((await pressed()).ui, 40, 60);
    expect(lines.filter((line) => /^ {2}[▲◆◇●○■·×] [a-zA-Z ]+[\d.]+k?(?: |$)/.test(line))).toHaveLength(8);
  });

  test("letters mark turns and results, and enter types the marks as a command", async () => {
    const { ui, effects } = await pressed(DOWN, "d", DOWN, "c", DOWN, "p", "x", "\r");
    expect(ui.marking).toMatchObject({ isSent: true, marks: { m2: "drop", m1: "collapse", r: "unpin" } });
    expect(pressKeys(ui, { keymap: DEFAULT_KEYMAP, nowMs: 0 } as UiContext, "d", "\r").effects).toEqual([]);
    expect(effects).toEqual([
      expect.objectContaining({ type: "submit", text: "/context drop m2 collapse m1 unpin r" }),
    ]);
  });

  test.each([
    [80, 100],
    [73, 100],
    [50, 100],
    [45, 88],
    [40, 48],
  ])("in %i columns the grid is whole, with %i cells", async (columns, cells) => {
    const { ui } = await pressed();
    const grid = frame(ui, columns, 60).flatMap((line) => {
      const cellsOf = /^ {2}[▲◆◇●○■·×] [a-zA-Z ]+[\d.]+k? {3}([▲◆◇●○■·× ]+)$/.exec(line)?.[1];
      return [...(cellsOf ?? "").replaceAll(" ", "")];
    });
    expect([grid.length, grid.at(-1)]).toEqual([cells, "×"]);
    expect(new Set(grid).size).toBe(7);
  });

  test("a face of lines gets the parts of the window in words, without a grid", async () => {
    const lines = linesOf((await run("", REPORT, { isPlain: true })) as Parameters<typeof linesOf>[0]);
    expect(lines.slice(5, 9)).toEqual(["", "  system prompt  2.1k", "  tools  3.6k", "  MCP tools  4.4k"]);
    expect(lines.join("\n")).not.toMatch(/[▲◆◇●○■×]|· ·/);
  });

  test("a turn that has not begun yet can't be marked", async () => {
    const turns = [{ ...row("messages", "(your first prompt)", 60), number: 1, id: "", results: [] }];
    const { rows } = await shown({ ...REPORT, turns });
    expect(rows.map(({ keys }) => Object.keys(keys))).toEqual([[], []]);
  });

  test("the same letter takes a mark back, and enter without marks closes the list", async () => {
    const { ui, effects } = await pressed("d", "d", "\r");
    expect([ui.marking, effects]).toEqual([undefined, []]);
  });

  test("the home key shows the grid again, and the end key the last row", async () => {
    const small = (ui: Ui) => frame(ui, 80, 12).join("\n");
    const { ui: end } = await pressed("\u001b[F");
    expect(small(end)).toContain("Grep price");
    expect(small(end)).not.toContain("claude-sonnet-5");
    const { ui: home } = await pressed("\u001b[F", "\u001b[H");
    expect(small(home)).toContain("claude-sonnet-5");
  });

  test("has one cell for each percent, and a cell at least for each source that uses anything", async () => {
    const bySource = { prompt: 1, tools: 1, mcp: 0, instructions: 1, memory: 0, messages: 100_000 };
    const text = (await shown({ ...REPORT, bySource, usedTokens: 100_003 })).lines.join("\n");
    const count = (sign: string) => text.split(sign).length - 1;
    // Each sign stands once more in the legend.
    expect(["▲", "◆", "◇", "●", "■"].map((sign) => count(sign) - 1)).toEqual([1, 1, 0, 1, 50]);
    expect(["▲", "◆", "◇", "●", "■", "×"].reduce((sum, sign) => sum + count(sign) - 1, 0)).toBeLessThan(100);
  });

  test("names the largest results, the largest first, and where no price is known it names no money", async () => {
    const text = linesOf(await shown({ ...REPORT, usd: undefined } as unknown as ContextReport)).join("\n");
    expect(text.indexOf("Read src/big.ts")).toBeLessThan(text.indexOf("Grep price"));
    expect(text).toContain("cost unknown");
  });

  test("a window that is too small has a grid that is full", async () => {
    const limits = windowLimits({ contextWindow: 1_000, maxOutputTokens: 500 });
    const { lines } = await shown({ ...REPORT, limits });
    expect(lines.join("\n")).not.toContain("NaN");
    expect(lines.find((line) => line.includes("▲ system prompt"))).toBeDefined();
  });

  test("says where Quoll compacts, or that it does not compact on its own", async () => {
    expect(linesOf(await shown(REPORT)).join("\n")).toContain("compacts at");
    expect(linesOf(await shown({ ...REPORT, autoCompact: false })).join("\n")).toContain("never compacts on its own");
  });

  test("--json gives the report as data, and other arguments are refused", async () => {
    const result = await run("--json");
    if (result.kind !== "text") throw new Error(`It answered with ${result.kind}.`);
    expect(JSON.parse(result.lines.join("\n"))).toEqual(REPORT);
    await expect(run("--yaml")).rejects.toThrow("--yaml");
  });
});
