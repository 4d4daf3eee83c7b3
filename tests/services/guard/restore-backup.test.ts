import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, lstatSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BackupRecord } from "../../../src/contracts/backup.ts";
import type { FileRewinds } from "../../../src/contracts/checkpoint.ts";
import { findGit } from "../../../src/platform/git/find-git.ts";
import { openCheckpoints } from "../../../src/services/checkpoint/checkpointing.ts";
import { deepTest } from "../../support/deep.ts";
import { GIT_ENV, git, guardedPlace, runShell, treeOf } from "./guard-fixture.ts";

setDefaultTimeout(60_000);

const NEVER = new AbortController().signal;
type Place = Awaited<ReturnType<typeof guardedPlace>>;

/** The restores of a shell, which has no session. */
function restores(place: Place, sessionId = "restores") {
  let count = 0;
  return openCheckpoints({
    ...{ folder: place.checkpoints, sessionId, home: "/nonexistent", environment: GIT_ENV },
    ...{ git: findGit(process.env, []), clock: place.clock, ids: { next: () => `restore-${++count}` } },
  });
}

async function newest(place: Place): Promise<BackupRecord> {
  const found = (await place.reader.find([], NEVER)).at(-1);
  if (!found) throw new Error("There is no backup.");
  return place.index.all().find(({ id }) => id === found.id) ?? found;
}

function request(place: Place, record: BackupRecord): Parameters<FileRewinds["restoreBackup"]>[0] {
  return { record, reader: place.reader };
}

describe("a backup that Quoll restores", () => {
  test("brings back what was at risk, nothing else, and a redo takes it back", async () => {
    await using place = await guardedPlace({
      "src/a.ts": "a",
      "src/run.sh": "#!",
      "other.ts": "o",
      ".gitignore": "*.log\n",
    });
    place.commitAll();
    writeFileSync(place.path("src/a.ts"), "changed\r\n");
    chmodSync(place.path("src/run.sh"), 0o755);
    await place.write("src/new 'x'\n.ts", "new");
    await place.write("src/x.log", "ignored");
    chmodSync(place.path("src/x.log"), 0o640);
    symlinkSync("a.ts", place.path("src/link"));
    const before = treeOf(place.dir);
    await place.keep("deletes", "src");
    rmSync(place.path("src"), { recursive: true });
    writeFileSync(place.path("other.ts"), "later");
    const { rewinds, store } = restores(place);
    const record = await newest(place);
    const preview = await rewinds.previewBackup(request(place, record), NEVER);
    expect(preview.restores.length).toBe(5);
    expect(existsSync(place.path("src"))).toBe(false);
    const done = await rewinds.restoreBackup(request(place, record), NEVER);
    expect(done.kept).toEqual([]);
    expect(treeOf(place.dir)).toEqual({ ...before, "other.ts": treeOf(place.dir)["other.ts"] ?? "" });
    await rewinds.redo({}, NEVER);
    expect(existsSync(place.path("src"))).toBe(false);
    await store.close();
  });

  test("leaves a file that changed since, unless the person chooses the backup's", async () => {
    await using place = await guardedPlace({ "a.txt": "a", "b.txt": "b" });
    place.commitAll();
    writeFileSync(place.path("a.txt"), "uncommitted");
    await place.keep("discards");
    writeFileSync(place.path("a.txt"), "mine, later");
    const { rewinds } = restores(place);
    const asked = request(place, await newest(place));
    const preview = await rewinds.previewBackup(asked, NEVER);
    expect(preview.conflicts.map(({ path }) => path)).toEqual([place.path("a.txt")]);
    expect((await rewinds.restoreBackup(asked, NEVER)).kept.map(({ path }) => path)).toEqual([place.path("a.txt")]);
    expect(await place.read("a.txt")).toBe("mine, later");
    await rewinds.restoreBackup({ ...asked, choices: { [place.path("a.txt")]: "checkpoint" } }, NEVER);
    expect(await place.read("a.txt")).toBe("uncommitted");
    await rewinds.redo({}, NEVER);
    expect(await place.read("a.txt")).toBe("mine, later");
  });

  deepTest("overwrites what a command of the agent has left", async () => {
    await using place = await guardedPlace({ "a.txt": "a" });
    place.commitAll();
    writeFileSync(place.path("a.txt"), "uncommitted");
    await place.keep("discards");
    const session = restores(place, "session-a");
    const before = await session.store.keepCopies([place.path("a.txt")], NEVER);
    place.git("checkout", "--", "a.txt");
    const files = await session.store.changesSince(before, NEVER);
    const about = { messageId: "m1", toolUseIds: [], agentIds: [], commands: ["git checkout -- a.txt"], outside: [] };
    await session.store.record({ ...about, files });
    await session.store.close();
    const done = await restores(place).rewinds.restoreBackup(request(place, await newest(place)), NEVER);
    expect(done.restored).toEqual([place.path("a.txt")]);
    expect(await place.read("a.txt")).toBe("uncommitted");
  });

  deepTest("deletes again the file whose deletion was uncommitted", async () => {
    await using place = await guardedPlace({ "a.txt": "a", "b.txt": "b" });
    place.commitAll();
    place.git("rm", "--quiet", "a.txt");
    await place.keep("discards");
    place.git("reset", "--quiet", "--hard");
    const { rewinds } = restores(place);
    const asked = request(place, await newest(place));
    expect((await rewinds.previewBackup(asked, NEVER)).conflicts.map(({ path }) => path)).toEqual([
      place.path("a.txt"),
    ]);
    await rewinds.restoreBackup({ ...asked, choices: { [place.path("a.txt")]: "checkpoint" } }, NEVER);
    expect(existsSync(place.path("a.txt"))).toBe(false);
  });

  deepTest("is found in a linked worktree, before the first commit, and in a merge", async () => {
    await using place = await guardedPlace({ "a.txt": "a" });
    place.git("init", "--quiet", "--initial-branch=main");
    await place.keep("deletes", "a.txt");
    unlinkSync(place.path("a.txt"));
    await restores(place).rewinds.restoreBackup(request(place, await newest(place)), NEVER);
    expect(await place.read("a.txt")).toBe("a");
    place.commitAll();
    place.git("worktree", "add", "--quiet", "-b", "side", place.path("side"));
    writeFileSync(place.path("side/a.txt"), "of the side");
    await place.clock.advance(1_000);
    await place.keep("deletes", "side/a.txt");
    unlinkSync(place.path("side/a.txt"));
    await restores(place).rewinds.restoreBackup(request(place, await newest(place)), NEVER);
    expect([await place.read("side/a.txt"), await place.read("a.txt")]).toEqual(["of the side", "a"]);
    git(place.path("side"), "commit", "--quiet", "--all", "--message=side");
    await place.write("a.txt", "of main");
    place.git("commit", "--quiet", "--message=main", "a.txt");
    expect(() => place.git("merge", "--quiet", "side")).toThrow();
    const half = await place.read("a.txt");
    await place.clock.advance(1_000);
    await place.keep("discards");
    place.git("merge", "--abort");
    const asked = request(place, await newest(place));
    await restores(place).rewinds.restoreBackup({ ...asked, choices: { [place.path("a.txt")]: "checkpoint" } }, NEVER);
    expect(await place.read("a.txt")).toBe(half);
  });

  deepTest("of a submodule comes back in it, from its own repository", async () => {
    await using place = await guardedPlace({ "inner/f": "f", "outer/a": "a" });
    git(place.path("inner"), "init", "--quiet");
    git(place.path("inner"), "add", "f");
    git(place.path("inner"), "commit", "--quiet", "-m", "inner");
    const outer = place.path("outer");
    git(outer, "init", "--quiet");
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", place.path("inner"), "sub");
    git(outer, "commit", "--quiet", "-m", "outer");
    writeFileSync(join(outer, "sub/f"), "uncommitted");
    const lines = await place.keep("deletes", "outer/sub/f");
    expect(lines).toHaveLength(1);
    unlinkSync(join(outer, "sub/f"));
    const [record] = place.index.all();
    if (!record) throw new Error("The index is empty.");
    await restores(place).rewinds.restoreBackup(request(place, record), NEVER);
    expect(await place.read("outer/sub/f")).toBe("uncommitted");
  });

  deepTest("of a repository that was deleted as a whole comes back with its history", async () => {
    await using place = await guardedPlace({ "repo/a": "a" });
    git(place.path("repo"), "init", "--quiet");
    git(place.path("repo"), "add", "a");
    git(place.path("repo"), "commit", "--quiet", "-m", "first");
    const before = treeOf(place.path("repo"), true);
    await place.keep("deletes", "repo");
    rmSync(place.path("repo"), { recursive: true });
    await restores(place).rewinds.restoreBackup(request(place, await newest(place)), NEVER);
    expect(treeOf(place.path("repo"), true)).toEqual(before);
    expect(git(place.path("repo"), "log", "--format=%s")).toBe("first");
  });

  deepTest("names what its line restores besides files: references and permissions", async () => {
    await using place = await guardedPlace({ "a.txt": "a" });
    place.commitAll();
    await place.keep("refs");
    const refs = await restores(place).rewinds.previewBackup(request(place, await newest(place)), NEVER);
    expect(refs.notUndone).toEqual([expect.stringContaining("git for-each-ref refs/quoll/backup/")]);
    await place.clock.advance(1_000);
    await place.keep("ownership", ".");
    const rights = await restores(place).rewinds.previewBackup(request(place, await newest(place)), NEVER);
    expect(rights.notUndone).toEqual([expect.stringContaining("restore.sh")]);
  });

  deepTest("whose commit, objects or folder are gone says so, and changes nothing", async () => {
    await using place = await guardedPlace({ "a.txt": "a", "b.local": "b", ".gitignore": "*.local\n" });
    place.commitAll();
    writeFileSync(place.path("a.txt"), "uncommitted");
    await place.keep("deletes", "a.txt", "b.local");
    const record = await newest(place);
    unlinkSync(place.path("a.txt"));
    const [ref = ""] = place.refs();
    const removeObject = (name: string) => {
      const oid = place.git("rev-parse", name);
      rmSync(place.path(`.git/objects/${oid.slice(0, 2)}/${oid.slice(2)}`));
    };
    const restore = (one: BackupRecord) => restores(place).rewinds.restoreBackup(request(place, one), NEVER);
    removeObject(`${ref}:a.txt`);
    expect((await restore(record)).notUndone).toEqual([expect.stringContaining("gone")]);
    removeObject(ref);
    expect((await place.reader.find([], NEVER)).flatMap(({ parts }) => parts.map(({ kind }) => kind))).toEqual([
      "folder",
    ]);
    await expect(restore(record)).rejects.toThrow(record.id);
    expect(lstatSync(place.path("b.local")).isFile()).toBe(true);
    const onlyFolder = { ...record, parts: record.parts.filter(({ kind }) => kind === "folder") };
    rmSync(place.backups, { recursive: true });
    await expect(restore(onlyFolder)).rejects.toThrow(record.id);
    expect(existsSync(place.path("a.txt"))).toBe(false);
  });

  test("of a crafted repository writes into no git folder, and not outside of its work tree", async () => {
    await using place = await guardedPlace({ "a.txt": "a" });
    place.commitAll();
    await place.keep("deletes", "a.txt");
    const [ref = ""] = place.refs();
    const blob = place.git("rev-parse", `${ref}:a.txt`);
    const tree = (line: string) => runShell(`printf '${line}\\n' | git -C '${place.dir}' mktree`).trim();
    const nested = tree(`040000 tree ${tree(`100755 blob ${blob}\tpost-checkout`)}\thooks`);
    const whole = tree(`040000 tree ${nested}\t.GIT\n040000 tree ${nested}\t..\n100644 blob ${blob}\tb.txt`);
    const commit = place.git("commit-tree", whole, "-m", "Kept before: x\n\n.\n");
    place.git("update-ref", ref, commit);
    const module = place.path(".git/modules/sub");
    git(place.dir, "clone", "--quiet", "--bare", ".", module);
    git(module, "update-ref", ref, commit);
    git(module, "config", "core.worktree", "/");
    const [record] = await place.reader.find([], NEVER);
    if (!record) throw new Error("There is no backup.");
    const done = await restores(place).rewinds.restoreBackup(request(place, record), NEVER);
    expect(done.restored).toEqual([place.path("b.txt")]);
  });
});
