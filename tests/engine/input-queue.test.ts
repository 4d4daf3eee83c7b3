import { describe, expect, test } from "bun:test";
import { shellInput } from "../../src/contracts/engine.ts";
import type { EngineEvent, QueueTime } from "../../src/contracts/event.ts";
import { InputQueue } from "../../src/engine/input-queue.ts";
import { TurnSlot } from "../../src/engine/turn-slot.ts";

function started() {
  const events: EngineEvent[] = [];
  const queue = new InputQueue((event) => void events.push(event));
  const add = (id: string, when: QueueTime, prompt = id) => queue.add({ id, when, input: { prompt } });
  const receipts = () =>
    events.flatMap((event) => (event.type === "input_receipt" ? [`${event.receipt.id} ${event.receipt.state}`] : []));
  const order = () => queue.items.map(({ id }) => id);
  return { queue, add, receipts, order, events };
}

describe("the queue of inputs", () => {
  test("begins a person's prompts first, then those for later, then shell and early inputs", () => {
    const { queue, add, order } = started();
    queue.add({ id: "ls", when: "shell", input: shellInput("ls") });
    add("early", "early");
    add("later", "later");
    add("next", "next");
    add("steer", "steer");
    expect(order()).toEqual(["next", "steer", "later", "ls", "early"]);
    expect(queue.items.find(({ id }) => id === "ls")?.prompt).toBe("!ls");
    const begun = ["", "", "", "", "", ""].map(() => queue.takeNext()?.id);
    expect(begun).toEqual(["next", "steer", "later", "ls", "early", undefined]);
  });

  test("gives each input a receipt for each step", () => {
    const { queue, add, receipts } = started();
    for (const id of ["a", "b", "c", "d"]) add(id, "steer");
    expect(queue.withdraw("a", "edited")).toEqual({ prompt: "a" });
    expect(queue.withdraw("b")).toEqual({ prompt: "b" });
    expect(queue.takeSteering("c")).toEqual({ prompt: "c" });
    queue.sent("m1");
    expect(queue.takeNext()?.id).toBe("d");
    queue.sent("m2");
    expect([queue.withdraw("d", "edited"), queue.takeSteering("a"), queue.withdraw("nobody")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(receipts().slice(4)).toEqual(["a edited", "b cancelled", "c taken", "c sent", "d taken", "d sent"]);
  });

  test("reports no message for an input whose turn sent none", () => {
    const { queue, add, receipts } = started();
    add("refused", "next");
    queue.takeNext();
    queue.rested();
    queue.sent("m1");
    expect(receipts()).toEqual(["refused queued", "refused taken"]);
  });

  test("lets late steering with work of its own begin before what waits", () => {
    const { queue, add, order } = started();
    const work = { run: async () => undefined };
    add("next", "next");
    queue.add({ id: "late", when: "steer", input: { prompt: "late" }, work });
    add("plain", "steer");
    queue.rested();
    expect(order()).toEqual(["late", "next", "plain"]);
    expect(queue.steering.map(({ id }) => id)).toEqual(["plain"]);
  });

  test("tells readers once for all changes of a tick, and only the first hundred inputs", async () => {
    const { add, events } = started();
    for (let at = 0; at < 150; at += 1) add(`${at}`, "next");
    await Promise.resolve();
    const told = events.filter((event) => event.type === "queue_changed");
    expect(told).toHaveLength(1);
    expect(told[0]?.queue).toHaveLength(100);
    expect(told[0]?.total).toBe(150);
  });
});

test("work of the queue may begin turns, and nothing else of the queue begins meanwhile", async () => {
  const { queue, add } = started();
  const done: string[] = [];
  const slot: TurnSlot = new TurnSlot({
    rested: () => queue.rested(),
    emit: () => undefined,
    startNext: () => {
      const next = queue.takeNext();
      if (next?.work) void slot.lead(next.work);
      else if (next) void turn(next.id, false);
    },
  });
  const turn = async (id: string, interrupted: boolean) => {
    slot.begin();
    await Promise.resolve();
    done.push(id);
    slot.end({ interrupted });
  };
  const run = async () => {
    await turn("first of work", false);
    await turn("second of work", true);
    return undefined;
  };
  queue.add({ id: "work", when: "next", input: { prompt: "" }, work: { run } });
  slot.startNext();
  add("after", "next");
  slot.startNext();
  while (done.length < 3) await Promise.resolve();
  expect(done).toEqual(["first of work", "second of work", "after"]);
});
