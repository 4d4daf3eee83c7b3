import { describe, expect, test } from "bun:test";
import type { ContextReport } from "../../../src/contracts/context-report.ts";
import { type Message, NO_USAGE } from "../../../src/contracts/message.ts";
import { windowLimits } from "../../../src/contracts/window-limits.ts";
import { type CountedRequest, countContext, wireContext } from "../../../src/faces/headless/context-usage.ts";

const state = (messages: readonly Message[]) => ({
  ...{ messages, usage: { ...NO_USAGE, inputTokens: 900, outputTokens: 100 } },
});
const tool = (name: string) => ({ name, description: "x".repeat(400), inputSchema: { type: "object" } });
const parts = { system: "s".repeat(400), tools: [tool("Read"), tool("mcp__a_b__c__d")] };
const first: Message = {
  role: "user",
  id: "1",
  content: [
    { type: "text", text: `<project-instructions file="QUOLL.md">\n${"i".repeat(395)}\n</project-instructions>` },
    { type: "text", text: "u".repeat(40) },
  ],
};
const later: readonly Message[] = [
  {
    role: "assistant",
    id: "2",
    model: "m",
    stopReason: "tool_use",
    usage: { ...NO_USAGE, inputTokens: 800 },
    content: [
      { type: "text", text: "a".repeat(80) },
      { type: "tool_use", id: "t", name: "Read", input: { file_path: "a" } },
    ],
  },
  {
    role: "user",
    id: "3",
    content: [{ type: "tool_result", toolUseId: "t", content: "r".repeat(400), isError: false }],
  },
];

const report: ContextReport = {
  model: "m",
  limits: windowLimits({ contextWindow: 10_000, maxOutputTokens: 1_000 }),
  usedTokens: 2_000,
  countedBy: "usage",
  autoCompact: true,
  bySource: { prompt: 100, tools: 200, mcp: 300, instructions: 400, memory: 60, messages: 940 },
  rows: [
    { source: "prompt", label: "introduction", tokens: 100, share: 0.01 },
    { source: "tools", label: "Read", tokens: 200, share: 0.02 },
    { source: "mcp", label: "mcp__a_b__c__d", tokens: 300, share: 0.03 },
    { source: "instructions", label: "QUOLL.md", tokens: 400, share: 0.04 },
  ],
  turns: [],
  byKind: { words: 100, answers: 200, calls: 300, results: 400, attachments: 0 },
  byTool: [{ name: "Read", callTokens: 300, resultTokens: 400 }],
  deferred: [],
};
type Category = { readonly id: string; readonly kind: string; readonly tokens: number };
const categories = (line: Readonly<Record<string, unknown>>) => line["categories"] as readonly Category[];

test("a client receives each part, and the sum of the used parts", () => {
  const line = wireContext(state([]), report);
  const used = categories(line).filter(({ kind }) => kind === "used");
  expect(used.map(({ tokens }) => tokens)).toEqual([100, 200, 300, 400, 60, 940]);
  expect([line["totalTokens"], line["maxTokens"], line["percentage"]]).toEqual([2_000, 10_000, 20]);
  expect(categories(line).find(({ id }) => id === "free_space")).toMatchObject({ tokens: 8_000, kind: "free" });
  expect(line["memoryFiles"]).toEqual([{ path: "QUOLL.md", type: "Project", tokens: 400 }]);
  expect(line["mcpTools"]).toMatchObject([{ name: "mcp__a_b__c__d", serverName: "a_b", tokens: 300 }]);
  expect(line["systemPromptSections"]).toEqual([{ name: "introduction", tokens: 100 }]);
  expect(line["messageBreakdown"]).toMatchObject({
    toolResultTokens: 400,
    userMessageTokens: 100,
    toolCallsByType: [{ name: "Read", callTokens: 300, resultTokens: 400 }],
  });
  expect(line["apiUsage"]).toMatchObject({ input_tokens: 900, output_tokens: 100 });
});

test("a client receives the owner of each instruction file, and whether Quoll compacts automatically", () => {
  const origins = ["managed", "user", "project", "local", undefined] as const;
  const rows = origins.map((origin, at) => ({
    ...({ source: "instructions", label: `${at}.md`, tokens: at, share: 0, ...(origin && { origin }) } as const),
  }));
  const line = wireContext(state([]), { ...report, rows, autoCompact: false });
  const files = line["memoryFiles"] as readonly { readonly type: string }[];
  expect(files.map(({ type }) => type)).toEqual(["Managed", "User", "Project", "Local", "Project"]);
  expect([line["isAutoCompactEnabled"], wireContext(state([]), report)["isAutoCompactEnabled"]]).toEqual([false, true]);
});

test("without usage a client learns that no request was made; deferred tools are not part of the sum", () => {
  const deferred = [{ source: "shop", tools: 30, tokens: 9_000 }];
  const line = wireContext({ usage: NO_USAGE }, { ...report, deferred });
  expect(line["apiUsage"]).toBeNull();
  expect(categories(line).at(-1)).toMatchObject({ id: "mcp_tools_deferred", kind: "deferred", tokens: 9_000 });
  expect(line["totalTokens"]).toBe(2_000);
});

describe("a provider that counts", () => {
  const length = (value: unknown) => JSON.stringify(value).length;
  const count = async ({ system, tools, messages }: CountedRequest) =>
    7 +
    system.length +
    tools.reduce((sum, one) => sum + length(one), 0) +
    messages.reduce((sum, one) => sum + length(one), 0);
  const counting = { ...parts, count };

  test("is asked for the parts, each by what it adds", async () => {
    const messages = [first, ...later];
    const counts = await countContext(state(messages), counting, new AbortController().signal);
    const [read, served] = parts.tools.map(length) as [number, number];
    const used = await count({ ...parts, messages });
    expect(counts).toEqual({ system: 400, own: read, servers: served, used });
  });

  test("counts no message where there is none", async () => {
    const counts = await countContext(state([]), counting, new AbortController().signal);
    expect(counts?.used).toBe(400 + parts.tools.reduce((sum, one) => sum + length(one), 0));
  });

  test("that can't now leaves it to estimates", async () => {
    let calls = 0;
    const once = { ...parts, count: async () => (++calls > 3 ? undefined : 5) };
    expect(await countContext(state([first]), once, new AbortController().signal)).toBeUndefined();
  });
});
