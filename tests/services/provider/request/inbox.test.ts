import { expect, test } from "bun:test";
import { Inbox } from "../../../../src/services/provider/request/inbox.ts";

test("items are handed over together, in order, before the end", async () => {
  const inbox = new Inbox<number>();
  inbox.put(1);
  inbox.put(2);
  inbox.end();
  expect(await inbox.take()).toEqual([1, 2]);
  expect(await inbox.take()).toBeUndefined();
});

test("whoever waits is woken by an item, by the end and by a failure", async () => {
  for (const [stir, expected] of [
    [(inbox: Inbox<number>) => inbox.put(7), [7]],
    [(inbox: Inbox<number>) => inbox.end(), undefined],
    [(inbox: Inbox<number>) => inbox.fail("broken"), "broken"],
  ] as const) {
    const inbox = new Inbox<number>();
    const taken = inbox.take().catch((error: unknown) => error);
    stir(inbox);
    expect(await taken).toEqual(expected as never);
  }
});

test("a failure comes after what was there before it, and the first end counts", async () => {
  const inbox = new Inbox<number>();
  inbox.put(1);
  inbox.fail("first");
  inbox.fail("second");
  inbox.end();
  expect(await inbox.take()).toEqual([1]);
  expect(inbox.take()).rejects.toBe("first");
});

test("cancelling throws away what is there and outdoes any end", async () => {
  const inbox = new Inbox<number>();
  inbox.put(1);
  inbox.end();
  inbox.cancel("stop");
  expect(inbox.take()).rejects.toBe("stop");
});
