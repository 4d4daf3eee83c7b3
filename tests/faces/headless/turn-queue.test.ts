import { describe, expect, test } from "bun:test";
import { MAX_WAITING, MAX_WAITING_BYTES, TurnQueue } from "../../../src/faces/headless/turn-queue.ts";

function recorder() {
  const done: string[] = [];
  const job = (id: string, more: { bytes?: number; wait?: Promise<void> } = {}) => ({
    id,
    ...(more.bytes !== undefined && { bytes: more.bytes }),
    run: async () => {
      await more.wait;
      done.push(id);
    },
  });
  return { done, job };
}

describe("waiting jobs", () => {
  test("is done one after another, in order, and new things come behind", async () => {
    const { done, job } = recorder();
    const queue = new TurnQueue();
    const first = Promise.withResolvers<void>();
    queue.add(job("a", { wait: first.promise }));
    queue.add(job("b"));
    await Promise.resolve();
    await Promise.resolve();
    expect(queue.ids).toEqual(["b"]);
    queue.addFirst([job("c"), job("d")]);
    expect(queue.ids).toEqual(["c", "d", "b"]);
    first.resolve();
    await queue.settled();
    expect(done).toEqual(["a", "c", "d", "b"]);
    await queue.settled();
  });

  test("for later comes behind all that comes meanwhile, and counts like the rest", async () => {
    const { done, job } = recorder();
    const queue = new TurnQueue();
    const first = Promise.withResolvers<void>();
    queue.add(job("a", { wait: first.promise }));
    queue.add({ ...job("later"), isLater: true });
    queue.add({ ...job("latest"), isLater: true });
    queue.add({ ...job("never"), isLater: true });
    queue.add(job("b"));
    await Promise.resolve();
    await Promise.resolve();
    expect(queue.ids).toEqual(["b", "later", "latest", "never"]);
    expect(queue.drop("never")).toBe(true);
    queue.addFirst([job("c")]);
    first.resolve();
    await queue.settled();
    expect(done).toEqual(["a", "c", "b", "later", "latest"]);
  });

  test("can be taken back by its name, as long as it waits", async () => {
    const { done, job } = recorder();
    const queue = new TurnQueue();
    const change = { run: async () => void done.push("change") };
    queue.add(job("a"));
    queue.add(job("b"));
    queue.add(change);
    queue.add(job("c"));
    expect([queue.drop("b"), queue.drop("b"), queue.drop("nobody")]).toEqual([true, false, false]);
    expect(queue.clear()).toEqual(["a", "c"]);
    await queue.settled();
    expect(done).toEqual(["change"]);
    queue.add(change);
    expect(queue.clear({ all: true })).toEqual([]);
    await queue.settled();
    expect(done).toEqual(["change"]);
  });

  test("is bounded in number and in size, and room comes back", async () => {
    const { done, job } = recorder();
    const queue = new TurnQueue();
    for (let n = 0; n < MAX_WAITING; n += 1) expect(queue.add(job(`${n}`))).toBe(true);
    expect(queue.add(job("too many"))).toBe(false);
    await queue.settled();
    expect(done).toHaveLength(MAX_WAITING);
    expect(queue.add(job("large", { bytes: MAX_WAITING_BYTES }))).toBe(true);
    expect(queue.add(job("more", { bytes: 1 }))).toBe(false);
    queue.drop("large");
    expect(queue.add(job("more", { bytes: 1 }))).toBe(true);
    await queue.settled();
  });
});
