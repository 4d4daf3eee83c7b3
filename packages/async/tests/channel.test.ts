import { expect, test } from "bun:test";
import { Channel } from "../src/channel.ts";

test("items are handed over together, in order, before the end", async () => {
  const channel = new Channel<number>();
  channel.push(1);
  channel.push(2);
  channel.close();
  expect(await channel.take()).toEqual([1, 2]);
  expect(await channel.take()).toBeUndefined();
});

test("a waiting reader is woken by an item, by the end and by a failure", async () => {
  for (const [stir, expected] of [
    [(channel: Channel<number>) => channel.push(7), [7]],
    [(channel: Channel<number>) => channel.close(), undefined],
    [(channel: Channel<number>) => channel.fail("broken"), "broken"],
  ] as const) {
    const channel = new Channel<number>();
    const taken = channel.take().catch((error: unknown) => error);
    stir(channel);
    expect(await taken).toEqual(expected as never);
  }
});

test("a failure arrives after earlier items, and the first end counts", async () => {
  const channel = new Channel<number>();
  channel.push(1);
  channel.fail("first");
  channel.fail("second");
  channel.close();
  expect(await channel.take()).toEqual([1]);
  expect(channel.take()).rejects.toBe("first");
});

test("cancelling drops waiting items and overrides any end", async () => {
  const channel = new Channel<number>();
  channel.push(1);
  channel.close();
  channel.cancel("stop");
  expect(channel.take()).rejects.toBe("stop");
});

test("a reader gets each item in order, and nothing that was pushed after the end", async () => {
  const channel = new Channel<number>();
  const read = Array.fromAsync(channel);
  channel.push(1);
  await Promise.resolve();
  channel.push(2);
  channel.close();
  channel.push(3);
  expect(await read).toEqual([1, 2]);
});
