import { expect, test } from "bun:test";
import { warmUp } from "../../../src/app/session/warm-up.ts";
import type { EventEnvelope } from "../../../src/contracts/event.ts";
import { ModelTools } from "../../../src/engine/model-tools.ts";
import { toolRegistry } from "../../../src/services/inventory/create-registry.ts";
import { testTool } from "../../support/engine-harness.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";

/** A warm-up whose parts note that they are loaded. */
function warming() {
  const readers = new Set<(envelope: EventEnvelope) => void>();
  const subscribe = (reader: (envelope: EventEnvelope) => void) => {
    readers.add(reader);
    return () => readers.delete(reader);
  };
  const clock = fakeClock();
  const loaded: string[] = [];
  const redactor = async () => {
    loaded.push("redactor");
    return { redact: (text: string) => text, restore: async (text: string) => text, placeholdersIn: () => [] };
  };
  const bash = { ...testTool("Bash"), load: async () => void loaded.push("Bash") };
  const registry = new ModelTools(toolRegistry([bash]));
  const checkpoints = { prepare: async () => void loaded.push("checkpoints") };
  const stop = warmUp({ agents: { subscribe }, registry, redactor, checkpoints, clock });
  const request = (event: EventEnvelope["event"] = { type: "request_started", step: 0, model: "m" }) => {
    for (const reader of readers)
      reader({ event, sessionId: "s", agentId: "main", parentAgentId: null, parentToolUseId: null });
  };
  const pass = async () => {
    for (const ms of [20, 0, 0, 0, 0]) await clock.advance(ms);
  };
  const answer = () => request({ type: "text_delta", text: "Now." });
  return { stop, request, answer, pass, loaded, readers, clock };
}

test("the code of first calls is loaded once, behind the first request", async () => {
  const { request, pass, loaded, readers, clock } = warming();
  await pass();
  expect(loaded).toEqual([]);
  request();
  expect(loaded).toEqual([]);
  await pass();
  request();
  await pass();
  // The sandbox's code is loaded in between.
  await eventually("everything is loaded", async () => {
    await clock.advance(0);
    return loaded.length === 3;
  });
  expect(loaded).toEqual(["Bash", "redactor", "checkpoints"]);
  request();
  expect(readers.size).toBe(0);
});

test("an answer that begins interrupts the loading until the next request", async () => {
  const { request, answer, pass, loaded, clock } = warming();
  request();
  answer();
  await pass();
  expect([loaded, clock.sleeping]).toEqual([[], 0]);
  request();
  await clock.advance(20);
  answer();
  await pass();
  expect(loaded).toEqual(["Bash"]);
  request();
  await clock.advance(20);
  await clock.advance(0);
  expect(loaded).toEqual(["Bash", "redactor"]);
});

test("a closed session loads nothing, and nothing more of what was begun", async () => {
  const closed = warming();
  closed.stop();
  closed.request();
  await closed.pass();
  const begun = warming();
  begun.request();
  begun.stop();
  await begun.pass();
  expect([closed.loaded, begun.loaded, begun.clock.sleeping]).toEqual([[], [], 0]);
});
