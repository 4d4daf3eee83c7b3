import { expect, test } from "bun:test";
import { reply, text, toolUse } from "@quoll/model-twin/scenario";
import type { CompactionStage } from "../../src/contracts/compactor.ts";
import { ToolFailedError } from "../../src/contracts/errors.ts";
import type { EngineEvent } from "../../src/contracts/event.ts";
import { textOf } from "../../src/contracts/message.ts";
import { answering, engineHarness, testTool } from "../support/engine-harness.ts";

const WHERE = "its stack is in ~/x.log";
const FAULT = new TypeError("x is not a function");
const call = (name: string) => reply([text("I try."), toolUse(name, { text: "x" }, "t1")]);
const failing = (name: string, error: Error) => testTool(name, { run: () => Promise.reject(error) });

async function played(harness: Omit<Parameters<typeof engineHarness>[0], "noteFault">) {
  const noted: unknown[] = [];
  const noteFault = (error: unknown) => {
    noted.push(error);
    return WHERE;
  };
  await using h = await engineHarness({ ...harness, noteFault });
  const events: EngineEvent[] = [];
  h.engine.subscribe(({ event }) => events.push(event));
  const { outcome } = await h.engine.submit({ prompt: "go" });
  const notices = events.flatMap((event) => (event.type === "notice" ? [event.message] : []));
  const results = events.flatMap((event) => (event.type === "tool_finished" ? [textOf(event.result.content)] : []));
  return { noted, outcome, notices, results };
}

test("a fault in a tool keeps its stack, the person learns where, and the model does not", async () => {
  const { noted, notices, results, outcome } = await played({
    tools: [failing("Break", FAULT)],
    scenario: [call("Break"), reply("Done.")],
  });
  expect(noted).toEqual([FAULT]);
  expect(notices).toEqual([expect.stringContaining(WHERE)]);
  expect(results).toEqual([expect.not.stringContaining(WHERE)]);
  expect(outcome.reason).toBe("completed");
});

test("a tool that failed as tools do is no fault", async () => {
  const { noted, notices } = await played({
    tools: [failing("Break", new ToolFailedError("no match"))],
    scenario: [call("Break"), reply("Done.")],
  });
  expect([noted, notices]).toEqual([[], []]);
});

test("a fault in the permission engine or in the loop ends up with its place too", async () => {
  const permissions = { ...answering(), authorize: () => Promise.reject(FAULT) };
  const judged = await played({ tools: [testTool("Look")], permissions, scenario: [call("Look"), reply("Done.")] });
  expect(judged.noted).toEqual([FAULT]);

  const looped = await played({
    scenario: [reply("Done.")],
    watch: (provider) => ({
      ...provider,
      stream: () => {
        throw FAULT;
      },
    }),
  });
  expect(looped.noted).toEqual([FAULT]);
  expect(looped.outcome).toMatchObject({ reason: "failed", message: expect.stringContaining(WHERE) });
});

test("a failed compaction stage is reported with the location of its stack", async () => {
  const stage: CompactionStage = { name: "broken", run: () => Promise.reject(FAULT) };
  const { noted, notices } = await played({
    compactor: [stage],
    windowTokens: 2_000,
    messages: [{ role: "user", id: "m1", content: [{ type: "text", text: "x".repeat(12_000) }] }],
    scenario: [reply("Done.")],
  });
  expect(noted).toContain(FAULT);
  expect(notices).toContainEqual(expect.stringContaining(WHERE));
});
