import { expect, test } from "bun:test";
import { AgentPool, type AgentUrgency } from "../../../src/services/agents/agent-pool.ts";

const { signal } = new AbortController();

test("a free place goes to the most urgent job, in order of arrival; the urgency may change while a job waits", async () => {
  const pool = new AgentPool(1);
  const gate = Promise.withResolvers<void>();
  const begun: string[] = [];
  const first = pool.run(
    () => gate.promise,
    signal,
    () => "awaited",
  );
  const add = (name: string, urgency: () => AgentUrgency, until = signal) =>
    pool.run(async () => void begun.push(name), until, urgency);
  let moved: AgentUrgency = "awaited";
  const over = new AbortController();
  const jobs = [
    add("batch", () => "batch"),
    add("background 1", () => "background"),
    add("given up", () => "awaited", over.signal).catch(() => undefined),
    add("moved", () => moved),
    add("background 2", () => "background"),
    add("awaited", () => "awaited"),
  ];
  moved = "background";
  over.abort(new Error("given up"));
  gate.resolve();
  await Promise.all([first, ...jobs]);
  expect(begun).toEqual(["awaited", "background 1", "moved", "background 2", "batch"]);
});
