import { expect, test } from "bun:test";
import { Closers, opening } from "../../src/app/closers.ts";

test("opened parts are freed once, the newest first, even if one fails", async () => {
  const freed: string[] = [];
  const closers = new Closers();
  closers.defer(() => freed.push("first"));
  closers.defer(async () => {
    freed.push("second");
    throw new Error("second broke");
  });
  closers.defer(() => freed.push("third"));
  const closing = closers.close();
  await expect(closing).rejects.toThrow("second broke");
  expect(closers.close()).toBe(closing);
  expect(freed).toEqual(["third", "second", "first"]);
});

test("an opening that fails frees what it has opened, and says why it failed", async () => {
  const freed: string[] = [];
  const opened = opening(async (closers) => {
    closers.defer(() => freed.push("first"));
    closers.defer(() => Promise.reject(new Error("cleaning up broke")));
    throw new Error("opening broke");
  });
  await expect(opened).rejects.toThrow("opening broke");
  expect(freed).toEqual(["first"]);
});
