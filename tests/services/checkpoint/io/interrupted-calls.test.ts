import { describe, expect, test } from "bun:test";
import { checkpointPlace, stateOf } from "../checkpoint-place.ts";

const NEVER = new AbortController().signal;
const CALL = { messageId: "m1", toolUseIds: ["t1"], agentIds: ["main"], commands: ["make"], outside: [] };

describe("calls that the end of a process interrupted", () => {
  test("are recorded by the next process, as conflicts, and only once", async () => {
    await using place = await checkpointPlace({ "a.txt": "a", "b.txt": "b" });
    const { root, path } = place;
    const killed = place.open();
    const before = await stateOf(killed.store, root);
    const begun = killed.store.begun({ ...CALL, commands: [] }, before);
    killed.store.begun(CALL, before, begun);
    await place.write("a.txt", "half");
    await place.write("new.txt", "half");
    const { store, rewinds } = place.open();
    expect(await store.recover([root], NEVER)).toEqual(["make"]);
    const { restores, conflicts } = await rewinds.preview("m1", NEVER);
    expect(conflicts.map(({ reason }) => reason)).toEqual([
      ...[expect.stringContaining("Quoll was ended"), expect.stringContaining("Quoll was ended")],
    ]);
    expect({ restores, conflicts: conflicts.map((one) => [one.path, one.status]) }).toEqual({
      restores: [],
      conflicts: [
        [path("a.txt"), "changed"],
        [path("new.txt"), "deleted"],
      ],
    });
    expect(await place.open().store.recover([root], NEVER)).toEqual([]);
  });

  test("of editing tools are recorded by their files", async () => {
    await using place = await checkpointPlace({ "a.txt": "a" });
    const { root, path } = place;
    const killed = place.open({ git: undefined });
    const copies = await killed.store.keepCopies([path("a.txt"), path("n/new.txt")], NEVER);
    killed.store.begun({ ...CALL, commands: [] }, copies);
    await place.write("a.txt", "half");
    await place.write("n/new.txt", "half");
    const { store, rewinds } = place.open({ git: undefined });
    expect(await store.recover([root], NEVER)).toEqual([]);
    const choices = { [path("a.txt")]: "checkpoint", [path("n/new.txt")]: "checkpoint" } as const;
    await rewinds.rewind({ messageId: "m1", scope: "files", choices }, NEVER);
    expect([await place.read("a.txt"), await Bun.file(path("n/new.txt")).exists()]).toEqual(["a", false]);
  });

  test("are not recorded again if their end was recorded, also without a change", async () => {
    await using place = await checkpointPlace({ "a.txt": "a" });
    const first = place.open();
    const begun = first.store.begun(CALL, await stateOf(first.store, place.root));
    await first.store.record({ ...CALL, commands: [], files: [] }, begun);
    await place.write("a.txt", "person");
    expect(await place.open().store.recover([place.root], NEVER)).toEqual([]);
  });
});
