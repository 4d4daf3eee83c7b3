import { expect, test } from "bun:test";
import { reply } from "@quoll/model-twin/scenario";
import { SEARCHING_TOOLS } from "../../src/contracts/call-target.ts";
import { ModelTools } from "../../src/engine/model-tools.ts";
import { toolRegistry } from "../../src/services/inventory/create-registry.ts";
import { engineHarness, testTool } from "../support/engine-harness.ts";
import { summaryStage } from "../support/summary-stage.ts";

const NAME = "mcp__shop__buy";
const SHORT = "mcp__shop__*: buy";

/** Tools of which one is deferred. */
function searched() {
  const registry = toolRegistry([testTool("Read"), ...SEARCHING_TOOLS.map((name) => testTool(name))]);
  registry.set({ kind: "mcp", name: "shop" }, [testTool(NAME)]);
  return {
    registry,
    tools: new ModelTools(registry, { deferral: "always", windowTokens: () => 1, pending: () => [] }),
  };
}

const times = (value: unknown, word: string) => JSON.stringify(value).split(word).length - 1;

test("deferred tools are announced once, and again after a summary or /clear took the announcement", async () => {
  const { tools, registry } = searched();
  const scenario = [reply("One."), reply("Two."), reply("the gist"), reply("Three."), reply("Four."), reply("Five.")];
  await using h = await engineHarness({ scenario, modelTools: tools, compactor: [summaryStage()] });
  const sent = () => h.twin.requests.at(-1)?.body as { messages: unknown; tools: unknown } | undefined;
  await h.engine.submit({ prompt: "first" });
  await h.engine.submit({ prompt: "second" });
  expect(times(sent()?.messages, SHORT)).toBe(1);
  const before = JSON.stringify(sent()?.tools).replaceAll(/,"cache_control":\{[^}]*\}/g, "");
  expect(await h.engine.compact()).toBeNumber();
  expect(times(h.engine.state.messages, SHORT)).toBe(0);
  await h.engine.submit({ prompt: "third" });
  expect(times(sent()?.messages, SHORT)).toBe(1);
  h.engine.clear();
  registry.set({ kind: "mcp", name: "bank" }, [testTool("mcp__bank__pay")]);
  await h.engine.submit({ prompt: "fourth" });
  expect([times(sent()?.messages, SHORT), times(sent()?.messages, "mcp__bank__*: pay")]).toEqual([1, 1]);
  await h.engine.submit({ prompt: "fifth" });
  expect([times(sent()?.messages, SHORT), times(sent()?.messages, "mcp__bank__*: pay")]).toEqual([1, 1]);
  // Each stretch of the log that a session can be resumed from holds the decision.
  const kinds = h.written.flatMap((body) => (body === "sync" ? [] : [body.kind]));
  expect(kinds.filter((kind) => kind === "tools" || kind === "cleared")).toEqual(["tools", "cleared", "tools"]);
  expect(JSON.stringify(sent()?.tools).replaceAll(/,"cache_control":\{[^}]*\}/g, "")).toBe(before);
});

test("a summary in the middle of a turn is followed by the announcement in the same request", async () => {
  const { tools } = searched();
  const counted = (inputTokens: number) => ({ usage: { inputTokens, outputTokens: 5 } });
  const scenario = [reply("One.", counted(9_500)), reply("Two.", counted(9_600)), reply("the gist"), reply("Three.")];
  await using h = await engineHarness({
    scenario,
    modelTools: tools,
    compactor: [summaryStage()],
    windowTokens: 64_000,
  });
  await h.engine.submit({ prompt: "word ".repeat(9_000) });
  await h.engine.submit({ prompt: "second" });
  await h.engine.submit({ prompt: "word ".repeat(45_000) });
  const last = h.twin.requests.at(-1)?.body as { messages: unknown } | undefined;
  expect(h.twin.requests).toHaveLength(4);
  expect(times(last?.messages, "Summary: the gist")).toBe(1);
  expect(times(last?.messages, SHORT)).toBe(1);
});
