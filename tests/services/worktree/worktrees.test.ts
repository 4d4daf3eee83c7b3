import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lossIn } from "../../../src/services/worktree/io/work-left.ts";
import { assertWorktreeName } from "../../../src/services/worktree/worktree-names.ts";
import { deepTest, testOrDeep } from "../../support/deep.ts";
import { never, worktreePlace } from "./worktree-fixture.ts";

setDefaultTimeout(60_000);

describe("a new worktree", () => {
  test("has a branch of its own and the files of the checked-out commit, outside the repository", async () => {
    await using place = await worktreePlace();
    await place.project.write("a.txt", "changed here\n");
    const { record, isNew } = await place.worktrees().open({ name: "fix" }, never);
    expect({ isNew, path: record.path, branch: record.branch }).toEqual({
      isNew: true,
      path: place.path("fix"),
      branch: "quoll/fix",
    });
    expect(readFileSync(join(record.path, "a.txt"), "utf8")).toBe("A\n");
    expect(place.git(record.path, "branch", "--show-current")).toBe("quoll/fix");
    expect(place.git(place.project.dir, "status", "--porcelain")).toBe("M a.txt");
  });

  test("begins at a branch or commit", async () => {
    await using place = await worktreePlace();
    place.git(place.project.dir, "checkout", "-q", "-b", "side");
    await place.project.write("a.txt", "side\n");
    place.git(place.project.dir, "commit", "-qam", "side");
    place.git(place.project.dir, "checkout", "-q", "main");
    const { record } = await place.worktrees().open({ name: "x", base: "side" }, never);
    expect(readFileSync(join(record.path, "a.txt"), "utf8")).toBe("side\n");
    expect(place.worktrees().open({ name: "y", base: "nowhere" }, never)).rejects.toThrow('"nowhere"');
  });

  test("can be made after an interrupted attempt in a folder that is not trusted", async () => {
    await using place = await worktreePlace();
    const worktrees = place.worktrees({ isTrusted: false });
    const interrupted = AbortSignal.abort(new Error("stopped"));
    await expect(worktrees.open({ name: "x" }, interrupted)).rejects.toThrow("stopped");
    expect((await worktrees.open({ name: "x" }, never)).isNew).toBe(true);
  });

  test("has a name that is safe in paths and branches", () => {
    const wrong = ["", "../x", "a/b", ".hidden", "a..b", "x.", "x.lock", "-f", "a b", "x".repeat(65)];
    for (const name of wrong) expect(() => assertWorktreeName(name)).toThrow("name of a worktree");
    for (const name of ["x", "Fix_2", "v1.2-rc", "7"]) expect(() => assertWorktreeName(name)).not.toThrow();
  });

  deepTest("gets a free name without one", async () => {
    await using place = await worktreePlace();
    const one = await place.worktrees().open({}, never);
    const two = await place.worktrees().open({}, never);
    expect(one.record.name).toMatch(/^[a-z]+-[a-z]+-\d+$/);
    expect(two.record.name).not.toBe(one.record.name);
  });

  deepTest("takes no branch and no folder that is there already", async () => {
    await using place = await worktreePlace();
    place.git(place.project.dir, "branch", "quoll/mine");
    await expect(place.worktrees().open({ name: "mine" }, never)).rejects.toThrow("quoll/mine");
    mkdirSync(place.path("dir"), { recursive: true });
    await expect(place.worktrees().open({ name: "dir" }, never)).rejects.toThrow(place.path("dir"));
    expect(place.branches()).toEqual(["main", "quoll/mine"]);
  });

  deepTest("says that a repository without a commit has none", async () => {
    await using place = await worktreePlace();
    place.git(place.project.dir, "checkout", "-q", "--orphan", "empty");
    await expect(place.worktrees().open({ name: "x" }, never)).rejects.toThrow("no commit yet");
  });

  deepTest("gets the ignored files that .worktreeinclude names, and no others", async () => {
    await using place = await worktreePlace({
      "a.txt": "A\n",
      ".gitignore": ".env*\nbuild/\n",
      ".worktreeinclude": ".env*\n!.env.prod\n*.md\n",
    });
    for (const name of [".env", "sub/.env.local", ".env.prod", "build/x", "notes.md"])
      await place.project.write(name, name);
    const { record } = await place.worktrees().open({ name: "x" }, never);
    const has = (name: string) => existsSync(join(record.path, name));
    expect([".env", "sub/.env.local", ".env.prod", "build/x", "notes.md"].filter(has)).toEqual([
      ".env",
      "sub/.env.local",
    ]);
  });

  test("follows no link of its base out of the worktree", async () => {
    await using place = await worktreePlace({ "a.txt": "A\n", ".gitignore": ".env\n", ".worktreeinclude": ".env\n" });
    symlinkSync(place.home.dir, place.project.path("dir"));
    place.git(place.project.dir, "add", "-A");
    place.git(place.project.dir, "commit", "-qm", "link");
    rmSync(place.project.path("dir"));
    await place.project.write("dir/.env", "secret");
    await place.worktrees().open({ name: "x" }, never);
    expect(existsSync(place.home.path(".env"))).toBe(false);
  });

  deepTest("holds only the folders of worktree.sparse", async () => {
    await using place = await worktreePlace({ "a.txt": "A\n", "one/f": "1", "two/f": "2" });
    const held = await place.worktrees({ sparse: ["one"] }).open({ name: "x" }, never);
    expect(["a.txt", "one/f", "two/f"].map((name) => existsSync(join(held.record.path, name)))).toEqual([
      true,
      true,
      false,
    ]);
    expect(await held.leave(never)).toEqual({ isRemoved: true });
  });

  deepTest("is gone when its set-up fails", async () => {
    await using place = await worktreePlace();
    const setUp = () => Promise.reject(new Error("no network"));
    await expect(place.worktrees({ setUp }).open({ name: "x" }, never)).rejects.toThrow("no network");
    expect(existsSync(place.path("x"))).toBe(false);
    expect(place.branches()).toEqual(["main"]);
    expect(place.git(place.project.dir, "worktree", "list").split("\n")).toHaveLength(1);
    expect((await place.worktrees().open({ name: "x" }, never)).isNew).toBe(true);
  });
});

describe("a name", () => {
  test("stands for the worktree that is there, without another checkout", async () => {
    await using place = await worktreePlace();
    const first = await place.worktrees().open({ name: "fix" }, never);
    writeFileSync(join(first.record.path, "new.txt"), "work");
    expect(await first.leave(never)).toEqual({ isRemoved: false, why: "1 changed file" });
    const again = await place.worktrees().open({ name: "fix" }, never);
    expect({ isNew: again.isNew, path: again.record.path }).toEqual({ isNew: false, path: first.record.path });
    expect(readFileSync(join(again.record.path, "new.txt"), "utf8")).toBe("work");
  });

  test("belongs to one session at a time, also when two ask at once", async () => {
    await using place = await worktreePlace();
    const both = await Promise.allSettled([1, 2].map(() => place.worktrees().open({ name: "fix" }, never)));
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const refused = both.find((one) => one.status === "rejected");
    expect(String(refused?.reason)).toContain("in use by this session");
    await expect(place.worktrees().remove("fix", true, never)).rejects.toThrow("in use");
  });

  deepTest("whose folder was deleted gets its commits back", async () => {
    await using place = await worktreePlace();
    const held = await place.worktrees().open({ name: "fix" }, never);
    writeFileSync(join(held.record.path, "b.txt"), "B");
    place.git(held.record.path, "add", "-A");
    place.git(held.record.path, "commit", "-qm", "work");
    held.release();
    rmSync(held.record.path, { recursive: true });
    const again = await place.worktrees().open({ name: "fix" }, never);
    expect(readFileSync(join(again.record.path, "b.txt"), "utf8")).toBe("B");
  });
});

/** A name, a way to leave work in a worktree, the reason for the refusal, and true if it is tried in every run. */
type Loss = readonly [string, (path: string, git: (...args: string[]) => string) => unknown, string, true?];

describe("a removal", () => {
  const LOSSES: readonly Loss[] = [
    ["a changed file", (path) => writeFileSync(join(path, "a.txt"), "other"), "1 changed file", true],
    ["new files", (path) => [1, 2].map((n) => writeFileSync(join(path, `n${n}`), "")), "2 changed files"],
    ["a deleted file", (path) => rmSync(join(path, "a.txt")), "1 changed file"],
    ["a commit", (_, git) => git("commit", "-q", "--allow-empty", "-m", "x"), "1 commit", true],
    [
      "a commit on a detached head",
      (_, git) => [git("checkout", "-q", "--detach"), git("commit", "-q", "--allow-empty", "-m", "x")],
      "1 commit",
    ],
    [
      "a commit that only its branch has",
      (_, git) => [git("commit", "-q", "--allow-empty", "-m", "x"), git("checkout", "-q", "--detach", "HEAD~1")],
      "1 commit",
    ],
    [
      "a changed file that git is told to overlook",
      (path, git) => [git("update-index", "--assume-unchanged", "a.txt"), writeFileSync(join(path, "a.txt"), "other")],
      "1 changed file",
    ],
    ["no pointer to the repository", (path) => rmSync(join(path, ".git")), "no worktree of this repository", true],
    [
      "an unfinished operation",
      (_, git) => writeFileSync(join(git("rev-parse", "--git-dir"), "MERGE_HEAD"), git("rev-parse", "HEAD")),
      "MERGE_HEAD",
    ],
    [
      "new files behind a setting that hides them",
      (path, git) => [git("config", "status.showUntrackedFiles", "no"), writeFileSync(join(path, "n"), "")],
      "1 changed file",
    ],
  ];
  const refuses = async (lose: Loss[1], why: string) => {
    await using place = await worktreePlace();
    const held = await place.worktrees().open({ name: "fix" }, never);
    const { path } = held.record;
    lose(path, (...args) => place.git(path, ...args));
    const removal = await held.leave(never);
    expect(removal).toMatchObject({ isRemoved: false, why: expect.stringContaining(why) });
    expect(existsSync(path)).toBe(true);
    expect(place.branches()).toContain("quoll/fix");
    const [listed] = await place.worktrees().list(never);
    expect(listed && lossIn(listed.left)).toContain(why);
  };
  for (const [name, lose, why, isQuick] of LOSSES)
    testOrDeep(isQuick === true)(`is refused for ${name}`, () => refuses(lose, why));

  test("takes folder, branch and record of a worktree without work", async () => {
    await using place = await worktreePlace({ "a.txt": "A\n", ".gitignore": "build/\n" });
    const gone: string[] = [];
    const held = await place.worktrees({ removed: async (path) => void gone.push(path) }).open({ name: "fix" }, never);
    mkdirSync(join(held.record.path, "build"));
    writeFileSync(join(held.record.path, "build/out"), "");
    expect(await held.leave(never)).toEqual({ isRemoved: true });
    expect(existsSync(held.record.path)).toBe(false);
    expect(place.branches()).toEqual(["main"]);
    expect(await place.worktrees().list(never)).toEqual([]);
    expect(gone).toEqual([held.record.path]);
  });

  deepTest("counts commits as safe once the base's branch has them", async () => {
    await using place = await worktreePlace();
    const held = await place.worktrees().open({ name: "fix" }, never);
    place.git(held.record.path, "commit", "-q", "--allow-empty", "-m", "x");
    place.git(place.project.dir, "merge", "-q", "quoll/fix");
    expect(await held.leave(never)).toEqual({ isRemoved: true });
    expect(place.branches()).toEqual(["main"]);
  });

  test("loses work only when it is told to", async () => {
    await using place = await worktreePlace();
    const held = await place.worktrees().open({ name: "fix" }, never);
    writeFileSync(join(held.record.path, "new"), "");
    held.release();
    expect(await place.worktrees().remove("fix", false, never)).toMatchObject({ isRemoved: false });
    expect(await place.worktrees().remove("fix", true, never)).toEqual({ isRemoved: true });
    expect(existsSync(held.record.path)).toBe(false);
    expect(place.branches()).toEqual(["main"]);
  });

  deepTest("also ends a worktree whose folder was deleted, but keeps the commits of its branch", async () => {
    await using place = await worktreePlace();
    const empty = await place.worktrees().open({ name: "empty" }, never);
    rmSync(empty.record.path, { recursive: true });
    expect(await empty.leave(never)).toEqual({ isRemoved: true });
    const used = await place.worktrees().open({ name: "used" }, never);
    place.git(used.record.path, "commit", "-q", "--allow-empty", "-m", "x");
    rmSync(used.record.path, { recursive: true });
    expect(await used.leave(never)).toEqual({ isRemoved: false, why: "1 commit" });
    expect(place.branches()).toEqual(["main", "quoll/used"]);
  });

  test("touches no worktree of the user", async () => {
    await using place = await worktreePlace();
    place.git(place.project.dir, "worktree", "add", "-q", place.path("own"));
    await expect(place.worktrees().remove("own", true, never)).rejects.toThrow("no worktree own");
    expect(existsSync(place.path("own"))).toBe(true);
  });
});

describe("hooks", () => {
  test("of WorktreeCreate refuse a worktree, or give its folder; that folder is not Quoll's to remove", async () => {
    await using place = await worktreePlace();
    const refusing = { created: () => Promise.reject(new Error("not today")) };
    await expect(place.worktrees(refusing).open({ name: "x" }, never)).rejects.toThrow("not today");
    const made = await place.home.write("elsewhere/file", "");
    const path = join(made, "..");
    const held = await place.worktrees({ created: async () => ({ path }) }).open({ name: "x" }, never);
    expect(held.record).toMatchObject({ path, madeBy: "hook" });
    expect(await held.leave(never)).toMatchObject({ isRemoved: false });
    expect(existsSync(made)).toBe(true);
  });

  deepTest("of WorktreeRemove remove the clean worktree that a hook made", async () => {
    await using place = await worktreePlace();
    const path = place.home.path("mine");
    const hooks = {
      created: async () => {
        place.git(place.project.dir, "worktree", "add", "-q", path);
        return { path };
      },
      removed: async () => void place.git(place.project.dir, "worktree", "remove", path),
    };
    const held = await place.worktrees(hooks).open({ name: "x" }, never);
    expect(await held.leave(never)).toEqual({ isRemoved: true });
    expect(existsSync(path)).toBe(false);
  });
});

test("git runs no program that an untrusted repository names", async () => {
  await using place = await worktreePlace({ "a.txt": "A\n", ".gitattributes": "* filter=x\n" });
  const mark = place.home.path("mark");
  const program = await place.home.write("evil.sh", `#!/bin/sh\n: >> '${mark}'\ncat\n`);
  chmodSync(program, 0o755);
  const settings = { "core.fsmonitor": program, "filter.x.clean": program, "filter.x.smudge": program };
  for (const [key, value] of Object.entries({ ...settings, "filter.x.required": "true" }))
    place.git(place.project.dir, "config", key, value);
  for (const hook of ["post-checkout", "reference-transaction", "post-index-change"])
    symlinkSync(program, place.project.path(`.git/hooks/${hook}`));
  const held = await place.worktrees({ isTrusted: false }).open({ name: "x" }, never);
  writeFileSync(join(held.record.path, "a.txt"), "B\n");
  expect(await held.leave(never)).toMatchObject({ isRemoved: false, why: "1 changed file" });
  expect(existsSync(mark)).toBe(false);
  place.git(held.record.path, "status");
  expect(existsSync(mark)).toBe(true);
});
