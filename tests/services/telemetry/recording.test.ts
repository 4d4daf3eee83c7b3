import { describe, expect, test } from "bun:test";
import { failing, fault, reply, text, toolUse } from "@quoll/model-twin/scenario";
import { ToolFailedError } from "../../../src/contracts/errors.ts";
import { answering, testTool } from "../../support/engine-harness.ts";
import { otlpReceiver, type SeenSpan, treeOf, treeProblems } from "../../support/otlp-receiver.ts";
import { watchedEngine } from "./watched-engine.ts";

const MODEL = "claude-sonnet-5-5";
const USAGE = { inputTokens: 100, outputTokens: 20, cacheReadTokens: 30, cacheCreationTokens: 7 };
const TOOLS = [
  testTool("Look"),
  testTool("Change", { level: "write" }),
  testTool("Break", {
    run: async () => {
      throw new ToolFailedError("It broke.");
    },
  }),
];
const named = (spans: readonly SeenSpan[], name: string) => spans.filter((span) => span.name.startsWith(name));

describe.each(["http/protobuf", "http/json"] as const)("what a collector gets as %s", (protocol) => {
  test("is one tree: session, turn, and in it requests and calls with tokens, cost and outcome", async () => {
    await using collector = otlpReceiver();
    const settings = { enabled: true, endpoint: collector.url, protocol };
    await using h = await watchedEngine(settings, {
      tools: TOOLS,
      scenario: [
        reply([text("Look."), toolUse("Look", { text: "here" }, "t1"), toolUse("Break", { text: "x" }, "t2")], {
          usage: USAGE,
        }),
        reply("Done.", { usage: USAGE }),
      ],
    });
    const report = await h.engine.submit({ prompt: "go on" });
    expect(await h.finish()).toBeUndefined();

    const spans = collector.spans();
    expect(treeProblems(spans)).toEqual([]);
    expect(treeOf(spans)).toEqual([
      "session",
      "  invoke_agent quoll",
      `    chat ${MODEL}`,
      "    execute_tool Look",
      "    execute_tool Break",
      `    chat ${MODEL}`,
    ]);
    const [first, second] = named(spans, "chat");
    const half = (report.costUsd ?? Number.NaN) / 2;
    const everywhere = { "session.id": "session-1", "gen_ai.conversation.id": "session-1" };
    expect(first?.attributes).toEqual({
      ...everywhere,
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "anthropic",
      "gen_ai.request.model": MODEL,
      "gen_ai.request.max_tokens": 32_000,
      "quoll.source": "main",
      "gen_ai.response.model": MODEL,
      "gen_ai.response.finish_reasons": ["tool_use"],
      "gen_ai.response.time_to_first_chunk": expect.any(Number),
      "gen_ai.usage.input_tokens": 137,
      "gen_ai.usage.output_tokens": 20,
      "gen_ai.usage.cache_read.input_tokens": 30,
      "gen_ai.usage.cache_creation.input_tokens": 7,
      "gen_ai.usage.cost": expect.closeTo(half, 9),
      "quoll.cost.usd": expect.closeTo(half, 9),
      "quoll.attempts": 1,
      "quoll.outcome": "ok",
    });
    expect(first?.kind).toBe(3);
    expect(second?.attributes["gen_ai.response.finish_reasons"]).toEqual(["end_turn"]);
    const [turn] = named(spans, "invoke_agent");
    expect(turn?.attributes).toEqual({
      ...everywhere,
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "quoll",
      "quoll.prompt.chars": 5,
      "quoll.outcome": "completed",
      "quoll.steps": 2,
      "quoll.usage.input_tokens": 200,
      "quoll.usage.output_tokens": 40,
      "quoll.usage.cache_read_tokens": 60,
      "quoll.usage.cache_write_tokens": 14,
      "quoll.cost.usd": report.costUsd,
    });
    const [look, broke] = named(spans, "execute_tool");
    expect(look?.attributes).toEqual({
      ...everywhere,
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "Look",
      "gen_ai.tool.call.id": "t1",
      "gen_ai.tool.type": "function",
      "quoll.tool.level": "read",
      "quoll.tool.result_chars": 10,
      "quoll.outcome": "ok",
    });
    expect(broke).toMatchObject({
      status: 2,
      links: [first?.spanId],
      attributes: { "quoll.outcome": "error", "error.type": "tool_error" },
    });
    expect(spans.find(({ name }) => name === "session")?.attributes).toEqual({
      ...everywhere,
      "quoll.interactive": false,
      "quoll.turns": 1,
      "quoll.cost.usd": expect.closeTo(report.costUsd ?? Number.NaN, 9),
    });
  });

  test("counts and measures it", async () => {
    await using collector = otlpReceiver();
    await using h = await watchedEngine(
      { enabled: true, endpoint: collector.url, protocol },
      {
        tools: TOOLS,
        scenario: [reply([toolUse("Look", { text: "a" })], { usage: USAGE }), reply("Done.", { usage: USAGE })],
      },
    );
    const report = await h.engine.submit({ prompt: "go" });
    await h.finish();
    const metrics = new Map(collector.metrics().map((metric) => [metric.name, metric]));
    const labels = { "gen_ai.request.model": MODEL, "gen_ai.provider.name": "anthropic", "quoll.source": "main" };
    const chat = { ...labels, "gen_ai.operation.name": "chat" };
    const pointsOf = (name: string) => metrics.get(name)?.points;
    expect([...metrics.keys()].sort()).toEqual([
      "gen_ai.client.operation.duration",
      "gen_ai.client.token.usage",
      "gen_ai.execute_tool.duration",
      "quoll.cost",
      "quoll.permission.decisions",
      "quoll.requests",
      "quoll.sessions",
      "quoll.tokens",
      "quoll.tool.calls",
      "quoll.turn.duration",
      "quoll.turns",
    ]);
    expect(pointsOf("quoll.sessions")).toEqual([{ attributes: { "quoll.interactive": false }, value: 1 }]);
    expect(pointsOf("quoll.turns")).toEqual([{ attributes: { "quoll.outcome": "completed" }, value: 1 }]);
    expect(pointsOf("quoll.requests")).toEqual([{ attributes: { ...labels, "quoll.outcome": "ok" }, value: 2 }]);
    expect(pointsOf("quoll.tokens")).toEqual([
      { attributes: { ...labels, "gen_ai.token.type": "input" }, value: 200 },
      { attributes: { ...labels, "gen_ai.token.type": "output" }, value: 40 },
      { attributes: { ...labels, "gen_ai.token.type": "cache_read" }, value: 60 },
      { attributes: { ...labels, "gen_ai.token.type": "cache_write" }, value: 14 },
    ]);
    expect(pointsOf("quoll.cost")).toEqual([
      { attributes: labels, value: expect.closeTo(report.costUsd ?? Number.NaN, 9) },
    ]);
    expect(pointsOf("quoll.tool.calls")).toEqual([
      { attributes: { "gen_ai.tool.name": "Look", "quoll.outcome": "ok" }, value: 1 },
    ]);
    expect(pointsOf("quoll.permission.decisions")).toEqual([
      {
        attributes: { "gen_ai.tool.name": "Look", "quoll.decision": "allow", "quoll.decided_by": "policy" },
        value: 1,
      },
    ]);
    expect(pointsOf("gen_ai.client.token.usage")).toEqual([
      { attributes: { ...chat, "gen_ai.token.type": "input" }, value: 274, count: 2 },
      { attributes: { ...chat, "gen_ai.token.type": "output" }, value: 40, count: 2 },
    ]);
    expect(pointsOf("gen_ai.client.operation.duration")).toEqual([
      { attributes: chat, value: expect.any(Number), count: 2 },
    ]);
    expect(metrics.get("quoll.cost")?.unit).toBe("USD");
  });
});

test("events carry the ids of their spans, and of a prompt its length alone", async () => {
  await using collector = otlpReceiver();
  await using h = await watchedEngine(
    { enabled: true, endpoint: collector.url },
    {
      tools: TOOLS,
      permissions: answering(({ toolName, toolUseId: _ }) =>
        toolName === "Change"
          ? {
              decision: "deny",
              decidedBy: { kind: "rule", reason: "deny rule Change" },
              message: "No.",
              unanswered: false,
            }
          : undefined,
      ),
      scenario: [
        failing(fault.status(529)),
        reply([toolUse("Look", { text: "a" }, "t1"), toolUse("Change", { text: "b" }, "t2")]),
        reply("Done."),
      ],
    },
  );
  await h.engine.submit({ prompt: "a secret plan" });
  await h.finish();
  const spans = new Map(collector.spans().map((span) => [span.spanId, span.name]));
  expect(
    collector
      .logs()
      .map(({ eventName, spanId, severity, attributes }) => [
        eventName,
        spans.get(spanId),
        severity,
        Object.fromEntries(Object.entries(attributes).filter(([name]) => !/^(session|event|gen_ai.conv)/.test(name))),
      ]),
  ).toEqual([
    ["quoll.user_prompt", "invoke_agent quoll", 9, { "quoll.prompt.chars": 13 }],
    [
      "quoll.api_error",
      `chat ${MODEL}`,
      13,
      {
        "gen_ai.request.model": MODEL,
        "gen_ai.provider.name": "anthropic",
        "quoll.source": "main",
        "quoll.attempt": 2,
        "quoll.delay_ms": expect.any(Number),
        "http.response.status_code": 529,
      },
    ],
    [
      "quoll.tool_decision",
      "execute_tool Look",
      9,
      {
        "gen_ai.tool.name": "Look",
        "gen_ai.tool.call.id": "t1",
        "quoll.decision": "allow",
        "quoll.decided_by": "policy",
        "quoll.waited_ms": expect.any(Number),
      },
    ],
    [
      "quoll.tool_decision",
      "execute_tool Change",
      9,
      {
        "gen_ai.tool.name": "Change",
        "gen_ai.tool.call.id": "t2",
        "quoll.decision": "deny",
        "quoll.decided_by": "policy",
      },
    ],
  ]);
  const denied = collector.spans().find(({ name }) => name === "execute_tool Change");
  expect(denied).toMatchObject({ status: 0, attributes: { "quoll.outcome": "denied" } });
  const chat = collector.spans().find(({ name }) => name.startsWith("chat"));
  expect(chat).toMatchObject({
    events: [{ name: "quoll.retry", attributes: { "quoll.attempt": 2, "http.response.status_code": 529 } }],
    attributes: { "quoll.attempts": 2, "quoll.outcome": "ok" },
  });
  expect(collector.text()).not.toContain("secret plan");
});
