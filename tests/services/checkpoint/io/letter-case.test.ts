import { describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, renameSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ignoresCase } from "../../../../src/platform/paths.ts";
import { agentEdit, agentTurn, checkpointPlace } from "../checkpoint-place.ts";

const NEVER = new AbortController().signal;
const FILES = { scope: "files" } as const;

/** True on the usual disks of macOS. */
const IGNORES_CASE = probe();
function probe(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "quoll-case-"));
  const found = ignoresCase(folder);
  rmdirSync(folder);
  return found;
}

/** A change of case alone stays on a disk that takes both names for one. */
const seen = (names: readonly string[]) => names.map((name) => (IGNORES_CASE ? name.toLowerCase() : name)).sort();

describe("a rewind of a change of letter case", () => {
  test.each([true, false])("alone brings the old name back, also with other content (git: %p)", async (hasGit) => {
    for (const text of ["a", "changed"]) {
      await using place = await checkpointPlace({ "a.txt": "a", "dir/b.txt": "b" });
      const { root, path } = place;
      const { store, rewinds } = place.open(hasGit ? {} : { git: undefined });
      const work = async () => {
        renameSync(path("a.txt"), path("A.txt"));
        await place.write("A.txt", text);
      };
      if (hasGit) await agentTurn(store, root, { messageId: "m1", work });
      else {
        await store.takeState({ cause: { kind: "prompt", messageId: "m1" }, roots: [root] }, NEVER);
        await agentEdit(store, { messageId: "m1", paths: [path("a.txt"), path("A.txt")], work });
      }
      const done = await rewinds.rewind({ messageId: "m1", ...FILES }, NEVER);
      expect({ text, kept: done.kept, names: seen(readdirSync(root)), content: await place.read("a.txt") }).toEqual({
        ...{ text, kept: [], names: ["a.txt", "dir"], content: "a" },
      });
      if (rewinds.redoable()) await rewinds.redo({}, NEVER);
      expect([seen(readdirSync(root)), await place.read("A.txt")]).toEqual([seen(["A.txt", "dir"]), text]);
    }
  });

  test("of a folder brings the old name back, with what is in it", async () => {
    await using place = await checkpointPlace({ "dir/b.txt": "b", "dir/deep/c.txt": "c", "a.txt": "a" });
    const { root, path } = place;
    const { store, rewinds } = place.open();
    const work = async () => {
      renameSync(path("dir"), path("Dir"));
      await place.write("Dir/b.txt", "changed");
    };
    await agentTurn(store, root, { messageId: "m1", work });
    const done = await rewinds.rewind({ messageId: "m1", ...FILES }, NEVER);
    expect([done.kept, seen(readdirSync(root)), readdirSync(path("dir")).sort()]).toEqual([
      [],
      ["a.txt", "dir"],
      ["b.txt", "deep"],
    ]);
    expect([await place.read("dir/b.txt"), await place.read("dir/deep/c.txt")]).toEqual(["b", "c"]);
  });

  test("spares the file when the person changed it since", async () => {
    await using place = await checkpointPlace({ "a.txt": "a" });
    const { root, path } = place;
    const { store, rewinds } = place.open();
    await agentTurn(store, root, { messageId: "m1", work: () => renameSync(path("a.txt"), path("A.txt")) });
    await place.write("A.txt", "person");
    await rewinds.rewind({ messageId: "m1", ...FILES }, NEVER);
    expect(await place.read("A.txt")).toBe("person");
  });

  test.skipIf(!IGNORES_CASE)("counts names that the disk takes for one as one", async () => {
    await using place = await checkpointPlace({ "a.txt": "a" });
    const { store, rewinds } = place.open();
    await agentTurn(store, place.root, { messageId: "m1", work: () => place.write("A.TXT", "changed") });
    await rewinds.rewind({ messageId: "m1", ...FILES }, NEVER);
    expect([seen(readdirSync(place.root)), await place.read("a.txt")]).toEqual([["a.txt"], "a"]);
  });
});
