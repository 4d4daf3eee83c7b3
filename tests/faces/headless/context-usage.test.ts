import { describe, expect, test } from "bun:test";
import type { EngineState } from "../../../src/contracts/engine.ts";
import { type Message, NO_USAGE } from "../../../src/contracts/message.ts";
import { type CountedRequest, countContext, wireContext } from "../../../src/faces/headless/context-usage.ts";

const state = (messages: readonly Message[], usedTokens: number): EngineState => ({
  sessionId: "s",
  model: "m",
  providerName: "p",
  mode: "default",
  busy: false,
  messages,
  usage: { ...NO_USAGE, inputTokens: 900, outputTokens: 100 },
  costUsd: 0,
  usedTokens,
  windowTokens: 10_000,
  queue: [],
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

type Category = { readonly id: string; readonly tokens: number };
const tokens = (line: Readonly<Record<string, unknown>>) =>
  Object.fromEntries((line["categories"] as readonly Category[]).map(({ id, tokens }) => [id, tokens]));

test("before the first answer everything is estimated, and nothing was counted", () => {
  const line = wireContext(state([], 0), parts);
  const { system_prompt, system_tools = 0, mcp_tools = 0, messages, free_space } = tokens(line);
  expect([system_prompt, messages]).toEqual([100, 0]);
  expect(Math.abs(system_tools - mcp_tools)).toBeLessThan(5);
  expect(line["totalTokens"]).toBe(100 + system_tools + mcp_tools);
  expect(free_space).toBe(10_000 - 100 - system_tools - mcp_tools);
  expect(line["apiUsage"]).toBeNull();
});

test("after an answer the sum is the provider's, and the conversation is what the rest leaves of it", () => {
  const line = wireContext(state([first, ...later], 2_000), parts);
  const {
    system_prompt = 0,
    system_tools = 0,
    mcp_tools = 0,
    memory_files = 0,
    messages = 0,
    free_space,
  } = tokens(line);
  expect(system_prompt + system_tools + mcp_tools + memory_files + messages).toBe(2_000);
  expect([line["totalTokens"], line["percentage"], free_space]).toEqual([2_000, 20, 8_000]);
  expect(line["memoryFiles"]).toEqual([{ path: "QUOLL.md", type: "Project", tokens: memory_files }]);
  expect(memory_files).toBeWithin(100, 120);
  expect(line["mcpTools"]).toMatchObject([{ name: "mcp__a_b__c__d", serverName: "a_b", tokens: mcp_tools }]);
  expect(line["messageBreakdown"]).toMatchObject({
    toolResultTokens: 100,
    assistantMessageTokens: 20,
    toolCallsByType: [{ name: "Read", resultTokens: 100 }],
  });
  expect(line["apiUsage"]).toMatchObject({ input_tokens: 900, output_tokens: 100 });
});

test("a sum that is smaller than the estimates makes no part negative", () => {
  expect(tokens(wireContext(state([first, ...later], 10), parts))["messages"]).toBe(0);
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
    const counts = await countContext(state(messages, 2_000), counting, new AbortController().signal);
    const [read, served] = parts.tools.map(length) as [number, number];
    const used = await count({ ...parts, messages });
    expect(counts).toEqual({ system: 400, own: read, servers: served, used });
    const line = wireContext(state(messages, 2_000), parts, counts);
    expect(line["totalTokens"]).toBe(used);
    expect(tokens(line)).toMatchObject({ system_prompt: 400, system_tools: read, mcp_tools: served });
    expect(tokens(line)["free_space"]).toBe(10_000 - used);
  });

  test("counts no message where there is none", async () => {
    const counts = await countContext(state([], 0), counting, new AbortController().signal);
    expect(counts?.used).toBe(400 + parts.tools.reduce((sum, one) => sum + length(one), 0));
  });

  test("that can't now leaves it to estimates", async () => {
    let calls = 0;
    const once = { ...parts, count: async () => (++calls > 3 ? undefined : 5) };
    expect(await countContext(state([first], 9), once, new AbortController().signal)).toBeUndefined();
  });
});
