import { describe, expect, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { canMount, smallDisk } from "../../../support/small-disk.ts";
import { agentTurn, checkpointPlace, stateOf } from "../checkpoint-place.ts";

const NEVER = new AbortController().signal;
const FILES = { scope: "files" } as const;

describe.skipIf(!canMount())("a full or read-only disk", () => {
  test.each(["fill", "lock"] as const)("under the store (%s) never stops a call, and is told once", async (how) => {
    await using place = await checkpointPlace({ "a.txt": "a" });
    using disk = smallDisk(place.folder, 512);
    const first = place.open();
    await agentTurn(first.store, place.root, { messageId: "m1", work: () => place.write("a.txt", "agent") });
    await first.store.close();
    disk?.[how]();
    const { store, rewinds } = place.open();
    for (const messageId of ["m2", "m3"])
      await agentTurn(store, place.root, {
        messageId,
        work: () => place.write("b.bin", crypto.getRandomValues(new Uint8Array(50_000))),
      });
    const why = how === "fill" ? "the disk is full" : "the file system is read-only";
    expect(store.takeNotices().filter((line) => line.includes(why))).toEqual([
      `Checkpoints can't be kept in ${place.folder}: ${why}. A rewind will not undo what changes now.`,
    ]);
    // On a full disk the last page of the file may have room for one more record.
    const done = await rewinds.rewind({ messageId: "m1", ...FILES }, NEVER).catch((error: Error) => error.message);
    const isRefused = typeof done === "string" && done.includes("Nothing was changed");
    expect([how === "lock" ? isRefused : true, await place.read("a.txt")]).toEqual([true, isRefused ? "agent" : "a"]);
    await store.close();
  });

  test("under the work leaves whole files, and names those that did not come back", async () => {
    await using place = await checkpointPlace({});
    using disk = smallDisk(place.path("small"), 1024);
    await place.write("small/a.bin", "a".repeat(100_000));
    await place.write("small/b.txt", "b");
    const { store, rewinds } = place.open();
    await stateOf(store, place.root);
    await agentTurn(store, place.root, {
      messageId: "m1",
      work: async () => {
        await place.write("small/a.bin", "agent");
        rmSync(place.path("small/b.txt"));
      },
    });
    disk?.fill();
    const { kept } = await rewinds.rewind({ messageId: "m1", ...FILES }, NEVER);
    expect(kept).toContainEqual({ path: place.path("small/a.bin"), reason: "the disk is full" });
    expect(readFileSync(place.path("small/a.bin"), "utf8")).toBe("agent");
    for (const size of [1024 * 1024, 4096, 1])
      for (let at = 0; at < 300; at += 1) rmSync(place.path(`small/filling-${size}-${at}`), { force: true });
    expect((await rewinds.rewind({ messageId: "m1", ...FILES }, NEVER)).kept).toEqual([]);
    expect(readFileSync(place.path("small/a.bin"), "utf8")).toBe("a".repeat(100_000));
  });
});
