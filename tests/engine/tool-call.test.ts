import { describe, expect, test } from "bun:test";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { callTarget } from "../../src/contracts/call-target.ts";
import type { Hooks } from "../../src/contracts/hook.ts";
import { textOf } from "../../src/contracts/message.ts";
import { toolCallTool } from "../../src/services/tools/tool-call/tool-call.ts";
import { answering, engineHarness, testTool } from "../support/engine-harness.ts";

const use = (name: string, input: Readonly<Record<string, unknown>>) =>
  ({ type: "tool_use", id: "t1", name, input }) as const;

test("a call by ToolCall is judged, hooked, logged and shown as a call of the tool that it names", async () => {
  const judged: string[] = [];
  const hooked: string[] = [];
  const hooks: Hooks = {
    wants: (event) => event === "PreToolUse",
    run: async (input) => {
      if (input.event === "PreToolUse") hooked.push(input.toolName, JSON.stringify(input.toolInput));
      return {};
    },
  };
  const permissions = answering(({ toolName, call }) => {
    judged.push(toolName, JSON.stringify(call.input));
    return undefined;
  });
  await using harness = await engineHarness({
    scenario: [reply([toolUse("ToolCall", { name: "Weigh", input: { text: "a parcel" } })]), reply("Done.")],
    tools: [testTool("Weigh"), toolCallTool()],
    permissions,
    hooks,
  });
  await harness.engine.submit({ prompt: "go" });
  const target = ["Weigh", JSON.stringify({ text: "a parcel" })];
  expect(judged).toEqual(target);
  expect(hooked).toEqual(target);
  const started = harness.events.flatMap((event) => (event.type === "tool_started" ? [event.use] : []));
  expect(started).toMatchObject([{ name: "Weigh", input: { text: "a parcel" } }]);
  const logged = harness.written.flatMap((body) =>
    body !== "sync" && body.kind === "tool_started" ? [body.toolName] : [],
  );
  expect(logged).toEqual(["Weigh"]);
  const results = harness.engine.state.messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === "tool_result" ? [textOf(block.content)] : [])),
  );
  expect(results).toEqual(["Weigh: a parcel"]);
  // The model gets its own call back, never a changed one.
  expect(JSON.stringify(harness.twin.requests.at(-1)?.body)).toContain('"name":"ToolCall"');
});

describe("the target of a ToolCall", () => {
  test("has its input as an object, also where the model wrote it as text or as arguments", () => {
    const target = { type: "tool_use", id: "t1", name: "Weigh", input: { a: 1 } } as const;
    expect(callTarget(use("ToolCall", { name: "Weigh", input: { a: 1 } }))).toEqual(target);
    expect(callTarget(use("ToolCall", { name: "Weigh", input: '{"a":1}' }))).toEqual(target);
    expect(callTarget(use("ToolCall", { name: "Weigh", arguments: { a: 1 } }))).toEqual(target);
    expect(callTarget(use("ToolCall", { name: "Weigh" })).input).toEqual({});
  });

  test.each([{}, { name: "" }, { name: 7, input: {} }, { name: "ToolCall", input: {} }, { name: "Weigh", input: [] }])(
    "is the ToolCall itself for the input %p, which is then refused",
    (input) => {
      expect(callTarget(use("ToolCall", input))).toEqual(use("ToolCall", input));
    },
  );

  test("of another tool is that call", () => {
    expect(callTarget(use("Read", { name: "x", input: {} }))).toEqual(use("Read", { name: "x", input: {} }));
  });
});
