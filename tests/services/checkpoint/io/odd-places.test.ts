import { describe, expect, test } from "bun:test";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { ROOT_LIMITS } from "../../../../src/services/checkpoint/io/root-tree.ts";
import { deepTest } from "../../../support/deep.ts";
import { agentTurn, briefly, changesOf, checkpointPlace, stateOf } from "../checkpoint-place.ts";

const NEVER = new AbortController().signal;
const FILES = { scope: "files" } as const;

function gitIn(folder: string, ...args: readonly string[]): void {
  const env = { PATH: process.env["PATH"], HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };
  const who = ["-c", "user.name=a", "-c", "user.email=a@localhost", "-c", "protocol.file.allow=always"];
  execFileSync("git", [...who, ...args], { cwd: folder, env, stdio: "ignore" });
}

function repositoryAt(folder: string, content = "1"): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/q.txt`, content);
  gitIn(folder, "init", "-q");
  gitIn(folder, "add", "-A");
  gitIn(folder, "commit", "-qm", "x");
}

describe("a work root with repositories inside", () => {
  test("holds their files, also without a commit, and starts no program of their settings", async () => {
    await using place = await checkpointPlace({ "a.txt": "a", "fresh/r.txt": "r" });
    const { root, path } = place;
    repositoryAt(path("deep/nested"));
    repositoryAt(path("deep/nested/inner"));
    gitIn(path("fresh"), "init", "-q");
    gitIn(path("deep/nested"), "config", "core.fsmonitor", `touch ${path("ran")}; false`);
    const { store, rewinds } = place.open();
    const edit = async () => {
      for (const name of ["a.txt", "deep/nested/q.txt", "deep/nested/inner/q.txt", "fresh/r.txt"])
        await place.write(name, "agent");
      await place.write("fresh/new.txt", "agent");
    };
    await stateOf(store, root);
    const changes = await agentTurn(store, root, { messageId: "m1", work: edit });
    expect(briefly(root, changes)).toEqual([
      "+fresh/new.txt",
      "~a.txt",
      "~deep/nested/inner/q.txt",
      "~deep/nested/q.txt",
      "~fresh/r.txt",
    ]);
    expect(existsSync(path("ran"))).toBe(false);
    expect((await rewinds.rewind({ messageId: "m1", ...FILES }, NEVER)).kept).toEqual([]);
    expect([await place.read("deep/nested/inner/q.txt"), existsSync(path("fresh/new.txt"))]).toEqual(["1", false]);
  });

  deepTest("knows the files of a repository that a call made or deleted", async () => {
    await using place = await checkpointPlace({ "a.txt": "a" });
    const { root, path } = place;
    repositoryAt(path("old"));
    const { store, rewinds } = place.open();
    const changes = await agentTurn(store, root, {
      messageId: "m1",
      work: () => {
        repositoryAt(path("new"));
        rmSync(path("old"), { recursive: true });
      },
    });
    expect(briefly(root, changes)).toEqual(["+new/", "+new/q.txt", "-old/", "-old/q.txt"]);
    expect(store.takeNotices()).toEqual([`A rewind does not bring back ${path("old")}/.git, which a call deleted.`]);
    const { notUndone, kept } = await rewinds.rewind({ messageId: "m1", ...FILES }, NEVER);
    expect({ notUndone, kept }).toEqual({ notUndone: [`${path("new")}/.git stays`], kept: [] });
    expect([await place.read("old/q.txt"), existsSync(path("new/q.txt"))]).toEqual(["1", false]);
  });

  deepTest("holds the files of submodules, and of a linked worktree as a root", async () => {
    await using place = await checkpointPlace({ "a.txt": "a" });
    const { root, path } = place;
    const library = place.place.path("library");
    repositoryAt(library);
    place.git("init", "-q");
    place.git("add", "-A");
    gitIn(root, "submodule", "add", library, "lib");
    gitIn(root, "commit", "-qm", "x");
    const other = place.place.path("other");
    gitIn(root, "worktree", "add", "-q", other);
    const { store } = place.open();
    const { changes } = await changesOf(store, root, () => place.write("lib/q.txt", "agent"));
    expect(briefly(root, changes)).toEqual(["~lib/q.txt"]);
    const inWorktree = await changesOf(store, other, () => writeFileSync(`${other}/a.txt`, "agent"));
    expect(briefly(other, inWorktree.changes)).toEqual(["~a.txt"]);
    expect(existsSync(path("lib/.git"))).toBe(true);
  });
});

describe("a repository", () => {
  deepTest("in a merge or with a sparse checkout is covered as it lies on the disk", async () => {
    await using place = await checkpointPlace({ "a.txt": "base\n", "far/b.txt": "b" });
    const { root, path } = place;
    repositoryAt(root, "q");
    gitIn(root, "checkout", "-qb", "side");
    await place.write("a.txt", "side\n");
    gitIn(root, "commit", "-qam", "side");
    gitIn(root, "checkout", "-q", "-");
    await place.write("a.txt", "main\n");
    gitIn(root, "commit", "-qam", "main");
    gitIn(root, "sparse-checkout", "set", "--no-cone", "/*", "!/far/");
    expect(() => gitIn(root, "merge", "-q", "side")).toThrow();
    const conflicted = await place.read("a.txt");
    const { store, rewinds } = place.open();
    const index = readFileSync(path(".git/index"));
    await agentTurn(store, root, {
      messageId: "m1",
      work: async () => {
        await place.write("a.txt", "resolved\n");
        await place.write("far/new.txt", "n");
      },
    });
    await rewinds.rewind({ messageId: "m1", ...FILES }, NEVER);
    expect([await place.read("a.txt"), existsSync(path("far"))]).toEqual([conflicted, false]);
    expect(readFileSync(path(".git/index")).equals(index)).toBe(true);
    expect(existsSync(path(".git/MERGE_HEAD"))).toBe(true);
  });

  deepTest("that stopped in a rebase keeps its state, and the files go back as they lay on the disk", async () => {
    await using place = await checkpointPlace({ "a.txt": "base\n", "b.txt": "b\n" });
    const { root, path } = place;
    repositoryAt(root, "q");
    gitIn(root, "checkout", "-qb", "side");
    await place.write("a.txt", "side\n");
    gitIn(root, "commit", "-qam", "side");
    gitIn(root, "checkout", "-q", "-");
    await place.write("a.txt", "main\n");
    gitIn(root, "commit", "-qam", "main");
    gitIn(root, "checkout", "-q", "side");
    expect(() => gitIn(root, "rebase", "-q", "@{-1}")).toThrow();
    const conflicted = await place.read("a.txt");
    expect(conflicted).toContain("<<<<<<<");
    const own = [".git/index", ".git/HEAD", ".git/rebase-merge/git-rebase-todo"];
    const before = own.map((name) => readFileSync(path(name), "latin1"));
    const { store, rewinds } = place.open();
    await agentTurn(store, root, {
      messageId: "m1",
      work: async () => {
        await place.write("a.txt", "resolved\n");
        await place.write("b.txt", "agent\n");
      },
    });
    expect((await rewinds.rewind({ messageId: "m1", ...FILES }, NEVER)).kept).toEqual([]);
    expect([await place.read("a.txt"), await place.read("b.txt")]).toEqual([conflicted, "b\n"]);
    expect(own.map((name) => readFileSync(path(name), "latin1"))).toEqual(before);
    gitIn(root, "checkout", "--theirs", "a.txt");
    gitIn(root, "add", "a.txt");
    gitIn(root, "-c", "core.editor=true", "rebase", "--continue");
    expect(existsSync(path(".git/rebase-merge"))).toBe(false);
  });

  deepTest("with pointers of large files keeps pointers and contents byte for byte, and starts no filter", async () => {
    const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
    await using place = await checkpointPlace({
      ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n",
      "fetched.bin": "the large content\r\n",
      "pointer.bin": pointer,
    });
    const { root, path } = place;
    repositoryAt(root, "q");
    for (const verb of ["clean", "smudge", "process"])
      gitIn(root, "config", `filter.lfs.${verb}`, `touch ${path(`ran-${verb}`)}; cat`);
    gitIn(root, "config", "filter.lfs.required", "true");
    const { store, rewinds } = place.open();
    const changes = await agentTurn(store, root, {
      messageId: "m1",
      work: async () => {
        await place.write("pointer.bin", "fetched by the agent");
        await place.write("fetched.bin", pointer);
        await place.write("new.bin", "n");
      },
    });
    expect(briefly(root, changes)).toEqual(["+new.bin", "~fetched.bin", "~pointer.bin"]);
    expect((await rewinds.rewind({ messageId: "m1", ...FILES }, NEVER)).kept).toEqual([]);
    const now = [await place.read("pointer.bin"), await place.read("fetched.bin"), existsSync(path("new.bin"))];
    expect(now).toEqual([pointer, "the large content\r\n", false]);
    expect(["clean", "smudge", "process"].filter((verb) => existsSync(path(`ran-${verb}`)))).toEqual([]);
  });

  deepTest("whose submodule an agent changed goes back inside it, and its commit stays", async () => {
    await using place = await checkpointPlace({ "a.txt": "a" });
    const { root, path } = place;
    const library = place.place.path("library");
    repositoryAt(library);
    repositoryAt(root, "q");
    gitIn(root, "submodule", "add", library, "lib");
    gitIn(root, "commit", "-qm", "x");
    const { store, rewinds } = place.open();
    await agentTurn(store, root, {
      messageId: "m1",
      work: async () => {
        await place.write("lib/q.txt", "agent");
        await place.write("lib/new.txt", "agent");
        gitIn(path("lib"), "add", "-A");
        gitIn(path("lib"), "commit", "-qm", "agent");
      },
    });
    expect((await rewinds.rewind({ messageId: "m1", ...FILES }, NEVER)).kept).toEqual([]);
    expect([await place.read("lib/q.txt"), existsSync(path("lib/new.txt"))]).toEqual(["1", false]);
    expect(execFileSync("git", ["log", "--format=%s"], { cwd: path("lib"), encoding: "utf8" })).toBe("agent\nx\n");
  });
});

describe("a clock that goes back", () => {
  deepTest("between prompts, calls and a rewind changes nothing of what comes back", async () => {
    await using place = await checkpointPlace({ "a.txt": "0" });
    const { root } = place;
    let time = 1_700_000_000_000;
    const clock = {
      now: () => {
        time -= 3_600_000;
        return time;
      },
      monotonicMs: () => performance.now(),
      sleep: () => Promise.resolve(),
    };
    const { store, rewinds } = place.open({ clock });
    for (const at of [1, 2, 3])
      await agentTurn(store, root, { messageId: `m${at}`, work: () => place.write("a.txt", `${at}`) });
    expect((await rewinds.points(NEVER)).map(({ messageId, files }) => [messageId, files.length])).toEqual([
      ...[
        ["m1", 1],
        ["m2", 1],
        ["m3", 1],
      ],
    ]);
    const forkedFrom = { sessionId: "session-a", untilMs: time };
    const fork = place.open({ sessionId: "session-b", forkedFrom });
    expect((await fork.rewinds.points(NEVER)).map(({ messageId }) => messageId)).toEqual(["m1", "m2", "m3"]);
    await rewinds.rewind({ messageId: "m3", ...FILES }, NEVER);
    expect(await place.read("a.txt")).toBe("2");
    await rewinds.rewind({ messageId: "m2", ...FILES }, NEVER);
    expect(await place.read("a.txt")).toBe("1");
    await rewinds.redo({}, NEVER);
    const next = place.open({ clock });
    await next.rewinds.rewind({ messageId: "m1", ...FILES }, NEVER);
    expect(await place.read("a.txt")).toBe("0");
  });

  test("for the files too: a file that is older after a change than before has changed", async () => {
    await using place = await checkpointPlace({ "a.txt": "old" });
    const { root, path } = place;
    const { store } = place.open();
    await stateOf(store, root);
    const { changes } = await changesOf(store, root, async () => {
      await place.write("a.txt", "new");
      utimesSync(path("a.txt"), 1_000, 1_000);
    });
    expect(briefly(root, changes)).toEqual(["~a.txt"]);
  });
});

describe("names", () => {
  test("with line breaks, quotes and glob letters are held; a name that is not UTF-8 is told", async () => {
    const odd = ["line\nbreak.txt", 'quo"te\\.txt', "*[a]?.txt", " blank ", "-dash", ":(glob)x", "é\u0301.txt", "a\tb"];
    await using place = await checkpointPlace(Object.fromEntries(odd.map((name) => [name, "before"])));
    const { root, path } = place;
    writeFileSync(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9])]), "latin");
    const { store, rewinds } = place.open();
    const changes = await agentTurn(store, root, {
      messageId: "m1",
      work: async () => {
        for (const name of odd) await place.write(name, "agent");
      },
    });
    expect(changes.map((one) => one.path).sort()).toEqual(odd.map(path).sort());
    const { notCovered } = await rewinds.preview("m1", NEVER);
    expect(notCovered).toEqual([expect.stringContaining("has a name that is not UTF-8")]);
    await rewinds.rewind({ messageId: "m1", ...FILES }, NEVER);
    for (const name of odd) expect([name, await place.read(name)]).toEqual([name, "before"]);
  });

  test("that change only their case come back", async () => {
    await using place = await checkpointPlace({ "Read.me": "r" });
    const { root, path } = place;
    const { store, rewinds } = place.open();
    await agentTurn(store, root, { messageId: "m1", work: () => renameSync(path("Read.me"), path("read.ME")) });
    await rewinds.rewind({ messageId: "m1", ...FILES }, NEVER);
    expect([await place.read("Read.me"), existsSync(path("read.ME"))]).toEqual(["r", false]);
  });
});

describe("a state that can't hold everything", () => {
  test("names large files and unreadable ones, and drops the old content of a file that grew", async () => {
    await using place = await checkpointPlace({ "a.txt": "a", "grows.bin": "small" });
    const { root, path } = place;
    const limits = { ...ROOT_LIMITS, maxFileBytes: 1000, maxFiles: 100, maxNewBytes: 100_000 };
    const { store } = place.open({ limits });
    await stateOf(store, root);
    await place.write("big.bin", "x".repeat(2000));
    await place.write("grows.bin", "x".repeat(3000));
    const { notHeld } = await stateOf(store, root);
    expect([...notHeld].sort()).toEqual([
      `${path("big.bin")} is larger than 1000 bytes`,
      `${path("grows.bin")} is larger than 1000 bytes`,
    ]);
  });

  test("keeps only named files of a root that is too large", async () => {
    await using place = await checkpointPlace({ "a.txt": "a", "b.txt": "b", "c.txt": "c" });
    const { root, path } = place;
    const { store } = place.open({ limits: { ...ROOT_LIMITS, maxFileBytes: 1000, maxFiles: 2, maxNewBytes: 1000 } });
    const before = await stateOf(store, root, [path("a.txt")]);
    await place.write("a.txt", "agent");
    await place.write("b.txt", "agent");
    const after = await stateOf(store, root);
    expect(after.notHeld).toEqual([`${root} is not kept as a whole: it has more than 2 files`]);
    expect((await store.changesBetween(before, after, NEVER)).map((one) => one.path)).toEqual([path("a.txt")]);
  });

  test("does not wait for the first state of a slow root, and says so", async () => {
    await using place = await checkpointPlace({ "a.txt": "a" });
    const { root } = place;
    const { store } = place.open({ firstWaitMs: 0 });
    const first = await stateOf(store, root);
    expect(first.notHeld).toEqual([`${root} was not stored yet: its first state takes long`]);
  });

  test("holds a file that grows while it is stored, or names it", async () => {
    await using place = await checkpointPlace({ "a.txt": "a" });
    const { root, path } = place;
    const { store } = place.open();
    await stateOf(store, root);
    const writer = spawn("sh", ["-c", `while :; do date >> '${path("log.txt")}'; done`], { stdio: "ignore" });
    try {
      while (!existsSync(path("log.txt"))) await new Promise((resolve) => setImmediate(resolve));
      const { notHeld } = await stateOf(store, root);
      for (const line of notHeld) expect(line).toBe(`${path("log.txt")} changed while it was stored`);
    } finally {
      writer.kill("SIGKILL");
    }
    await stateOf(store, root);
    expect((await stateOf(store, root)).notHeld).toEqual([]);
  });

  test("follows a root that is deleted while it is in use, and made anew", async () => {
    await using place = await checkpointPlace({ "a.txt": "a", "d/b.txt": "b" });
    const { root } = place;
    const { store, rewinds } = place.open();
    const changes = await agentTurn(store, root, { messageId: "m1", work: () => rmSync(root, { recursive: true }) });
    expect(briefly(root, changes)).toContain("-d/b.txt");
    expect((await rewinds.rewind({ messageId: "m1", ...FILES }, NEVER)).kept).toEqual([]);
    expect([await place.read("a.txt"), await place.read("d/b.txt")]).toEqual(["a", "b"]);
    const again = await changesOf(store, root, () => place.write("a.txt", "2"));
    expect(briefly(root, again.changes)).toEqual(["~a.txt"]);
  });

  test("starts anew if its index is damaged", async () => {
    await using place = await checkpointPlace({ "a.txt": "a" });
    const { root, folder } = place;
    const first = place.open();
    await stateOf(first.store, root);
    const names = execFileSync("find", [`${folder}/index`, "-type", "f", "!", "-name", "*.ignore"], {
      encoding: "utf8",
    });
    for (const name of names.trim().split("\n")) writeFileSync(name, "garbage");
    const { store } = place.open({ sessionId: "session-b" });
    const { changes, before } = await changesOf(store, root, () => place.write("a.txt", "agent"));
    expect(before.notHeld).toEqual([]);
    expect(briefly(root, changes)).toEqual(["~a.txt"]);
  });

  test("is told once if its folder can't be written", async () => {
    await using place = await checkpointPlace({ "a.txt": "a" });
    const blocked = await place.place.write("blocked", "a file in the place of the folder");
    const { store, rewinds } = place.open({ folder: `${blocked}/checkpoints` });
    for (const messageId of ["m1", "m2"]) {
      const state = await store.takeState({ cause: { kind: "prompt", messageId }, roots: [place.root] }, NEVER);
      expect(state.notHeld).toHaveLength(1);
    }
    expect(store.takeNotices().length).toBe(1);
    expect(store.takeNotices()).toEqual([]);
    await expect(rewinds.preview("m1", NEVER)).rejects.toThrow();
  });
});
