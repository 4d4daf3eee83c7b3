import { expect, test } from "bun:test";
import type { Message } from "../../../../src/contracts/message.ts";
import { NO_USAGE } from "../../../../src/contracts/message.ts";
import { windowLimits } from "../../../../src/contracts/window-limits.ts";
import { contextReport, type ReportParts } from "../../../../src/services/context/accounting/context-report.ts";
import { instructionElement } from "../../../../src/services/context/instructions/instruction-element.ts";

const words = (id: string, ...texts: readonly string[]): Message => ({
  ...{ role: "user", id, content: texts.map((text) => ({ type: "text", text })) },
});
const call = (id: string, file: string): Message => ({
  ...{ role: "assistant", id, model: "m", stopReason: "tool_use", usage: { ...NO_USAGE, inputTokens: 800 } },
  content: [
    { type: "text", text: "I look at the file." },
    { type: "tool_use", id: `use-${id}`, name: "Read", input: { file_path: file } },
  ],
});
const result = (id: string, text: string): Message => ({
  ...{ role: "user", id: `${id}-result` },
  content: [{ type: "tool_result", toolUseId: `use-${id}`, content: text, isError: false }],
});
const answer = (id: string): Message => ({
  ...{ role: "assistant", id, model: "m", stopReason: "end_turn", usage: NO_USAGE },
  content: [{ type: "text", text: "It is done." }],
});
const messages: readonly Message[] = [
  words("1", instructionElement({ name: "AGENTS.md", body: "Use tabs. ".repeat(40) }), "look at a"),
  call("a", "src/a.ts"),
  result("a", "const a = 1;\n".repeat(50)),
  words("steered", "be brief"),
  answer("b"),
  words("2", "look at big"),
  call("c", "src/big.ts"),
  result("c", "const big = 1;\n".repeat(500)),
];
const tool = (name: string) => ({ name, description: "x ".repeat(200), inputSchema: { type: "object" } });
const parts: ReportParts = {
  model: "m",
  limits: windowLimits({ contextWindow: 10_000, maxOutputTokens: 1_000 }),
  autoCompact: true,
  sections: [
    { name: "introduction", text: "You are Quoll. ".repeat(20) },
    { name: "report", text: "Report. ".repeat(20) },
  ],
  tools: [tool("Read"), tool("mcp__shop__buy")],
  deferred: [],
  messages,
  usedTokens: 7_001,
  isReported: true,
  usd: { cached: 0.07, uncached: 0.7 },
  isServers: (name) => name.startsWith("mcp__"),
  measure: ({ narrow, wide }) => narrow + wide,
};
const sum = (rows: readonly { readonly tokens: number }[]) => rows.reduce((all, { tokens }) => all + tokens, 0);

test("the rows and the turns together are exactly the size that the session reckons with", () => {
  for (const usedTokens of [0, 1, 10, 7_001, 12_345]) {
    const { rows, turns, bySource, byKind } = contextReport({ ...parts, usedTokens });
    expect(sum(rows) + sum(turns)).toBe(usedTokens);
    expect(Object.values(bySource).reduce((all, tokens) => all + tokens, 0)).toBe(usedTokens);
    expect(Object.values(byKind).reduce((all, tokens) => all + tokens, 0)).toBe(bySource.messages);
  }
});

test("each section, tool and instruction file is a row, and its money is its part of the request's", () => {
  const { rows, usd } = contextReport(parts);
  expect(rows.map(({ source, label }) => `${source} ${label}`)).toEqual([
    ...["prompt introduction", "prompt report", "tools Read", "mcp mcp__shop__buy", "instructions AGENTS.md"],
  ]);
  expect(usd).toEqual({ cached: 0.07, uncached: 0.7 });
  for (const row of rows) {
    expect(row.share).toBeCloseTo(row.tokens / 10_000, 10);
    expect(row.usd?.uncached).toBeCloseTo((row.tokens / 7_001) * 0.7, 10);
  }
});

test("a turn goes from a prompt to the next one, and names its results by their call", () => {
  const { turns, byTool } = contextReport(parts);
  expect(turns.map(({ number, label }) => [number, label])).toEqual([
    [1, "look at a"],
    [2, "look at big"],
  ]);
  expect(turns.map(({ results }) => results.map(({ label, toolUseId }) => [label, toolUseId]))).toEqual([
    [["Read src/a.ts", "use-a"]],
    [["Read src/big.ts", "use-c"]],
  ]);
  const [small, big] = turns.flatMap(({ results }) => results);
  expect((big?.tokens ?? 0) / (small?.tokens ?? 1)).toBeWithin(8, 12);
  expect(byTool).toMatchObject([{ name: "Read", resultTokens: (small?.tokens ?? 0) + (big?.tokens ?? 0) }]);
});

test("parts that the provider counted have its numbers", () => {
  const counted = { system: 100, own: 200, servers: 300, used: 2_000 };
  const report = contextReport({ ...parts, counted });
  expect(report).toMatchObject({ usedTokens: 2_000, countedBy: "provider" });
  const { instructions, messages: said } = report.bySource;
  expect(report.bySource).toMatchObject({ prompt: 100, tools: 200, mcp: 300 });
  expect(instructions + said).toBe(1_400);
});

test("without a price no row has money", () => {
  const report = contextReport({ ...parts, usd: undefined });
  expect([report.usd, ...report.rows.map(({ usd }) => usd)].every((usd) => usd === undefined)).toBe(true);
});
