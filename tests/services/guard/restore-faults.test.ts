import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openCheckpoints } from "../../../src/services/checkpoint/checkpointing.ts";
import { knownBackups } from "../../../src/services/checkpoint/io/known-backups.ts";
import { recordFile } from "../../../src/services/checkpoint/io/record-file.ts";
import { backupReader } from "../../../src/services/guard/read-backups.ts";
import { deepTest } from "../../support/deep.ts";
import { canMount, smallDisk } from "../../support/small-disk.ts";
import { GIT_ENV, git, guardedPlace, treeOf } from "./guard-fixture.ts";

setDefaultTimeout(60_000);

const NEVER = new AbortController().signal;
const SESSION = "restores";

/** A work tree whose uncommitted files were deleted after a backup. */
async function deletedPlace(content = "uncommitted") {
  const place = await guardedPlace({ "src/a.txt": "a", "src/b.txt": "b", "x.local": "x", ".gitignore": "*.local\n" });
  place.commitAll();
  writeFileSync(place.path("src/a.txt"), content);
  const before = treeOf(place.dir);
  await place.keep("deletes", "src", "x.local");
  rmSync(place.path("src"), { recursive: true });
  unlinkSync(place.path("x.local"));
  let count = 0;
  const nextId = () => {
    count += 1;
    return `restore-${process.pid}-${count}`;
  };
  const open = () =>
    openCheckpoints({
      ...{ folder: place.checkpoints, sessionId: SESSION, home: "/nonexistent", environment: GIT_ENV, git: undefined },
      ...{ clock: place.clock, ids: { next: nextId } },
    });
  const [record] = await knownBackups(place.index, place.reader, NEVER);
  if (!record) throw new Error("There is no backup.");
  return { ...place, before, open, record, request: { record, reader: place.reader } };
}

describe("a restore of a backup", () => {
  test("that a kill has interrupted is finished by the next one, and can be taken back", async () => {
    await using place = await deletedPlace();
    const first = place.open();
    await first.rewinds.restoreBackup(place.request, NEVER);
    await first.store.close();
    const file = recordFile(place.checkpoints, SESSION);
    const [plan = ""] = readFileSync(file, "utf8").split("\n");
    for (const gone of [["src/a.txt"], ["src/a.txt", "src/b.txt", "x.local"]]) {
      writeFileSync(file, `${plan}\n`);
      for (const name of gone) rmSync(place.path(name));
      const { rewinds, store } = place.open();
      expect((await rewinds.finishInterrupted(NEVER))?.kept).toEqual([]);
      expect(treeOf(place.dir)).toEqual(place.before);
      expect(await rewinds.finishInterrupted(NEVER)).toBeUndefined();
      await store.close();
    }
    const { rewinds } = place.open();
    await rewinds.redo({}, NEVER);
    expect([existsSync(place.path("src")), existsSync(place.path("x.local"))]).toEqual([false, false]);
  });

  deepTest("that finds every file in place leaves the restore before it to a redo", async () => {
    await using place = await deletedPlace();
    const { rewinds } = place.open();
    await rewinds.restoreBackup(place.request, NEVER);
    expect((await rewinds.restoreBackup(place.request, NEVER)).restored).toEqual([]);
    await rewinds.redo({}, NEVER);
    expect(existsSync(place.path("src"))).toBe(false);
  });

  test("goes on where a file was written meanwhile: it stays, and is named", async () => {
    await using place = await deletedPlace();
    const first = place.open();
    await first.rewinds.restoreBackup(place.request, NEVER);
    await first.store.close();
    const file = recordFile(place.checkpoints, SESSION);
    writeFileSync(file, `${readFileSync(file, "utf8").split("\n")[0]}\n`);
    writeFileSync(place.path("src/a.txt"), "mine");
    const result = await place.open().rewinds.finishInterrupted(NEVER);
    expect(result?.kept.map(({ path }) => path)).toEqual([place.path("src/a.txt")]);
    expect(await place.read("src/a.txt")).toBe("mine");
  });

  describe.skipIf(!canMount())("with a full or read-only disk under the store", () => {
    test.each(["fill", "lock"] as const)("(%s) changes nothing, and says so", async (how) => {
      await using place = await deletedPlace("x".repeat(300_000));
      using disk = smallDisk(place.checkpoints, 64);
      disk?.[how]();
      const failed = place.open().rewinds.restoreBackup(place.request, NEVER);
      await expect(failed).rejects.toThrow(/^Nothing was changed/);
      expect(existsSync(place.path("src"))).toBe(false);
    });
  });

  test("works without git for copies, and says what it can't read", async () => {
    await using place = await deletedPlace();
    const withoutGit = backupReader({ backups: place.backups, projectRoot: place.dir, environment: { PATH: "/none" } });
    const [folder] = await knownBackups(place.index, withoutGit, NEVER);
    if (!folder) throw new Error("There is no folder.");
    await place.open().rewinds.restoreBackup({ record: folder, reader: withoutGit }, NEVER);
    expect([await place.read("x.local"), existsSync(place.path("src"))]).toEqual(["x", false]);
    const whole = place.open().rewinds.restoreBackup({ record: place.record, reader: withoutGit }, NEVER);
    await expect(whole).rejects.toThrow(/no git/);
  });

  deepTest("works in a repository that was moved, where its files are now", async () => {
    await using place = await deletedPlace();
    const moved = `${place.dir}.moved`;
    renameSync(place.dir, moved);
    const reader = backupReader({ backups: place.backups, projectRoot: moved, environment: GIT_ENV });
    const [record] = await knownBackups(place.index, reader, NEVER);
    const parts = record?.parts.filter(({ kind }) => kind === "commit") ?? [];
    if (record) await place.open().rewinds.restoreBackup({ record: { ...record, parts }, reader }, NEVER);
    expect(readFileSync(join(moved, "src/a.txt"), "utf8")).toBe("uncommitted");
    renameSync(moved, place.dir);
  });

  deepTest("reads repositories that name objects by SHA-256", async () => {
    await using place = await guardedPlace({ "a.txt": "a", "b.txt": "b" });
    git(place.dir, "init", "--quiet", "--object-format=sha256");
    git(place.dir, "add", "--all");
    git(place.dir, "commit", "--quiet", "--message=first");
    writeFileSync(place.path("a.txt"), "uncommitted");
    await place.keep("deletes", "a.txt", "b.txt");
    unlinkSync(place.path("a.txt"));
    const [record] = await knownBackups(place.index, place.reader, NEVER);
    const { rewinds } = openCheckpoints({
      ...{ folder: place.checkpoints, sessionId: SESSION, home: "/nonexistent", environment: GIT_ENV, git: undefined },
      ...{ clock: place.clock, ids: { next: () => "id" } },
    });
    if (!record) throw new Error("There is no backup.");
    expect((await rewinds.restoreBackup({ record, reader: place.reader }, NEVER)).restored).toEqual([
      place.path("a.txt"),
    ]);
    expect(await place.read("a.txt")).toBe("uncommitted");
  });

  deepTest("of a worktree that was removed puts its files where they were", async () => {
    await using place = await guardedPlace({ "a.txt": "a" });
    place.commitAll();
    place.git("worktree", "add", "--quiet", "-b", "side", place.path("side"));
    writeFileSync(place.path("side/a.txt"), "uncommitted");
    const whole = await place.guard.assess(
      [{ ...place.hazard("discards", ["side"]), target: "other-work-tree" }],
      NEVER,
    );
    if (whole?.kind === "possible") await whole.make(NEVER);
    place.git("worktree", "remove", "--force", place.path("side"));
    const [record] = await knownBackups(place.index, place.reader, NEVER);
    if (!record) throw new Error("There is no backup.");
    const { rewinds } = openCheckpoints({
      ...{ folder: place.checkpoints, sessionId: SESSION, home: "/nonexistent", environment: GIT_ENV, git: undefined },
      ...{ clock: place.clock, ids: { next: () => "id" } },
    });
    await rewinds.restoreBackup({ record, reader: place.reader }, NEVER);
    expect(await place.read("side/a.txt")).toBe("uncommitted");
  });

  test.each([true, false])(
    "goes to the work tree that the backup is from, seen from another one (with an index: %s)",
    async (hasIndex) => {
      await using place = await guardedPlace({ "a.txt": "a" }, { hasIndex });
      place.commitAll();
      const side = place.path("side");
      place.git("worktree", "add", "--quiet", "-b", "side", side);
      for (const [at, name] of ["a.txt", "side/a.txt"].entries()) {
        writeFileSync(place.path(name), `uncommitted ${at}`);
        await place.keep("deletes", name);
        unlinkSync(place.path(name));
        await place.clock.advance(1_000);
      }
      const reader = backupReader({ backups: place.backups, projectRoot: side, environment: GIT_ENV });
      const { rewinds } = openCheckpoints({
        ...{
          folder: place.checkpoints,
          sessionId: SESSION,
          home: "/nonexistent",
          environment: GIT_ENV,
          git: undefined,
        },
        ...{ clock: place.clock, ids: { next: () => crypto.randomUUID() } },
      });
      const found = await knownBackups(place.index, reader, NEVER);
      for (const record of found) await rewinds.restoreBackup({ record, reader }, NEVER);
      expect([await place.read("a.txt"), await place.read("side/a.txt")]).toEqual(["uncommitted 0", "uncommitted 1"]);
      place.git("worktree", "remove", "--force", side);
      const later = await knownBackups(place.index, place.reader, NEVER);
      expect(later.map(({ parts }) => parts.map((part) => part.kind === "commit" && part.top))).toEqual([
        [place.dir],
        [side],
      ]);
    },
  );

  deepTest("of an older version, with several work trees, is left to the commands that are listed", async () => {
    await using place = await guardedPlace({ "a.txt": "a" });
    place.commitAll();
    await place.keep("deletes", "a.txt");
    const [ref = ""] = place.refs();
    const older = place.git("commit-tree", `${ref}^{tree}`, "-m", "Kept before: deletes a.txt\n\na.txt\n");
    place.git("update-ref", ref, older);
    const kinds = async () =>
      (await place.reader.find([], NEVER)).flatMap(({ parts }) => parts.map(({ kind }) => kind));
    expect(await kinds()).toEqual(["commit"]);
    place.git("worktree", "add", "--quiet", "-b", "side", place.path("side"));
    expect(await kinds()).toEqual(["references"]);
  });

  test("leaves garbage in the records aside", async () => {
    await using place = await deletedPlace();
    appendFileSync(recordFile(place.checkpoints, SESSION), '\u0000{"kind":"rewind"\n');
    await place.open().rewinds.restoreBackup(place.request, NEVER);
    expect(treeOf(place.dir)).toEqual(place.before);
  });
});
