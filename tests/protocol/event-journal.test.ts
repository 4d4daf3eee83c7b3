import { expect, test } from "bun:test";
import type { EngineEvent } from "../../src/contracts/event.ts";
import { EventJournal } from "../../src/protocol/event-journal.ts";
import { reduceAll } from "../../src/protocol/transcript/reduce.ts";
import { emptyTranscript } from "../../src/protocol/transcript/transcript.ts";

const started = (prompt: string): EngineEvent => ({
  type: "turn_started",
  message: { id: prompt, role: "user", content: [{ type: "text", text: prompt }] },
  prompt,
});
const progress = (toolUseId: string, line: string): EngineEvent => ({
  type: "tool_progress",
  toolUseId,
  progress: { kind: "output", tail: [line], totalLines: 1, totalBytes: 1 } as never,
});

test("streamed text is joined, older progress is replaced, and what a late screen can't use is left out", () => {
  const journal = new EventJournal();
  journal.add(started("hi"));
  journal.add({ type: "busy_changed", busy: true, interrupted: false });
  for (const text of ["Hel", "lo", "."]) journal.add({ type: "text_delta", text });
  journal.add(progress("a", "1"));
  journal.add(progress("b", "1"));
  journal.add(progress("a", "2"));
  expect(journal.events).toEqual([
    started("hi"),
    { type: "text_delta", text: "Hello." },
    progress("b", "1"),
    progress("a", "2"),
  ]);
  expect(journal.isCut).toBe(false);
});

test("a long session drops its oldest turns, whole", () => {
  const journal = new EventJournal();
  for (let turn = 0; turn < 12; turn += 1) {
    journal.add(started(`turn ${turn}`));
    journal.add({ type: "text_delta", text: "x".repeat(500_000) });
  }
  expect(journal.isCut).toBe(true);
  const { events } = journal;
  expect(events[0]?.type).toBe("turn_started");
  expect(events.at(-2)).toEqual(started("turn 11"));
  expect(JSON.stringify(events).length).toBeLessThan(4_300_000);
});

test("a late screen gets the open tasks in the order of their start", () => {
  const journal = new EventJournal();
  const task = (id: string, state: string) => ({ id, state }) as never;
  for (const id of ["a1", "a2"]) journal.add({ type: "task_started", task: task(id, "waits") });
  journal.add({ type: "task_changed", task: task("a1", "works") });
  expect(journal.events).toMatchObject([{ task: { id: "a1", state: "works" } }, { task: { id: "a2" } }]);
  journal.add({ type: "task_ended", task: task("a1", "completed") });
  expect(journal.events).toMatchObject([{ task: { id: "a2" } }, { type: "task_ended", task: { id: "a1" } }]);
});

test("of the receipts, a late screen gets those of shell commands that began: their rows come from them", () => {
  const journal = new EventJournal();
  const receipt = (when: "next" | "shell", state: "queued" | "taken"): EngineEvent => ({
    type: "input_receipt",
    receipt: { id: "q1", prompt: "!ls", when, state },
  });
  for (const when of ["next", "shell"] as const)
    for (const state of ["queued", "taken"] as const) journal.add(receipt(when, state));
  expect(journal.events).toEqual([receipt("shell", "taken")]);
  const transcript = reduceAll(emptyTranscript, journal.events, 0);
  expect(transcript.settled.slice()).toEqual([{ kind: "user", text: "!ls" }]);
});
