import { describe, expect, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Hazard } from "../../../src/contracts/subject.ts";
import { CreatedFiles } from "../../../src/platform/created-files.ts";
import { deepTest } from "../../support/deep.ts";
import { tempProject } from "../../support/temp-project.ts";
import { failure } from "../tools/call-tool.ts";
import { commandIn, git, guardedPlace, made, runShell, treeOf, untouched } from "./guard-fixture.ts";

const never = new AbortController().signal;
const REF = /refs\/quoll\/backup\/\d{8}T\d{6}Z-[0-9a-f]{6}/;

describe("files in a git work tree", () => {
  test("tracked, changed and untracked files come back from one commit", async () => {
    await using place = await guardedPlace({
      "src/a.ts": "a",
      "src/b.ts": "b",
      "src/deep/run.sh": "#!",
      "other.ts": "o",
    });
    place.commitAll();
    writeFileSync(place.path("src/a.ts"), "changed\r\nwithout an end");
    chmodSync(place.path("src/deep/run.sh"), 0o755);
    await place.write("src/new.ts", "new");
    await place.write("src/with\n\"strange\" näme \\ 'x'", "strange");
    symlinkSync("/etc/passwd", place.path("src/link"));
    writeFileSync(place.path("other.ts"), "not concerned");
    const before = treeOf(place.dir);
    const state = untouched(place.dir);
    const [line, ...more] = await place.keep("deletes", "src");
    expect(untouched(place.dir)).toEqual(state);
    expect(more).toEqual([]);
    expect(line).toMatch(/^Backed up src\. Undo: git -C \S+ restore --overlay --source=\S+ -- src$/);
    rmSync(place.path("src"), { recursive: true });
    runShell(commandIn(line));
    expect(treeOf(place.dir)).toEqual(before);
  });

  test("temporary files are not backed up, except the project and repositories among them", async () => {
    await using temporary = await tempProject({ "x.mjs": "x", "deep/y": "y", "clone/a": "a" });
    git(temporary.path("clone"), "init", "--quiet");
    await using place = await guardedPlace({ "a.txt": "a" }, { temporary: [temporary.dir, tmpdir()] });
    const assessed = (path: string) => place.assess("deletes", path);
    expect(await assessed(temporary.path("x.mjs"))).toBeUndefined();
    expect(await assessed(temporary.path("deep"))).toBeUndefined();
    expect(await assessed(temporary.path("clone"))).toMatchObject({ kind: "possible" });
    expect(await assessed(temporary.path("clone/a"))).toMatchObject({ kind: "possible" });
    expect(await assessed(place.path("a.txt"))).toMatchObject({ kind: "possible" });
  });

  test("clean files are backed up too, and missing files need no backup", async () => {
    await using place = await guardedPlace({ "src/a.ts": "a" });
    place.commitAll();
    expect(await place.assess("deletes", "none", "src/none", "src/a.ts/x")).toBeUndefined();
    const [line] = await place.keep("deletes", "src/a.ts");
    unlinkSync(place.path("src/a.ts"));
    runShell(commandIn(line));
    expect(await place.read("src/a.ts")).toBe("a");
  });

  deepTest("before the first commit there is a way back as well", async () => {
    await using place = await guardedPlace({ a: "a", "dir/b": "b" });
    place.git("init", "--quiet");
    place.git("add", "a");
    const before = treeOf(place.dir);
    const state = untouched(place.dir);
    const [line] = await place.keep("deletes", "a", "dir");
    expect(untouched(place.dir)).toEqual(state);
    rmSync(place.path("dir"), { recursive: true });
    unlinkSync(place.path("a"));
    runShell(commandIn(line));
    expect(treeOf(place.dir)).toEqual(before);
  });

  deepTest("files deleted before the command do not come back", async () => {
    await using place = await guardedPlace({ "src/a": "a", "src/b": "b" });
    place.commitAll();
    unlinkSync(place.path("src/b"));
    const [line] = await place.keep("deletes", "src");
    expect(place.git("ls-tree", "-r", "--name-only", REF.exec(line ?? "")?.[0] ?? "")).toBe("src/a");
  });

  deepTest("a folder where a file was, and a file where a folder was, are kept as they are", async () => {
    await using place = await guardedPlace({ "x/a": "a", y: "y" });
    place.commitAll();
    rmSync(place.path("x"), { recursive: true });
    rmSync(place.path("y"));
    await place.write("x", "a file now");
    await place.write("y/b", "a folder now");
    const before = treeOf(place.dir);
    const [line] = await place.keep("deletes", "x", "y");
    rmSync(place.path("x"));
    rmSync(place.path("y"), { recursive: true });
    runShell(commandIn(line));
    expect(treeOf(place.dir)).toEqual(before);
  });

  test("ignored files are copied, with their times and modes; dependencies and builds are not", async () => {
    await using place = await guardedPlace({
      ".gitignore": ".env\nlocal/\nnode_modules/\ndist/\n*.log\n",
      "src/a.ts": "a",
      ".env": "SECRET=1",
      "local/notes/n.md": "notes",
      "local/dist/out.js": "built",
      "node_modules/x/index.js": "x",
      "dist/a.js": "built",
      "src/x.log": "log",
    });
    place.commitAll();
    chmodSync(place.path(".env"), 0o600);
    utimesSync(place.path(".env"), 1_000_000_000, 1_000_000_000);
    symlinkSync("notes/n.md", place.path("local/link"));
    const lines = await place.keep("deletes", ".env", "local", "node_modules", "dist", "src");
    expect(lines.length).toBe(2);
    const [folder = ""] = place.copies();
    expect([statSync(place.backups).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o700, 0o700]);
    expect(
      Object.keys(treeOf(folder))
        .filter((name) => name.startsWith("files/"))
        .map((name) => name.replace(/^files\/\d\//, ""))
        .sort(),
    ).toEqual([".env", "local/link", "local/notes/n.md", "x.log"]);
    const before = treeOf(place.dir);
    for (const name of [".env", "local", "node_modules", "dist", "src"]) rmSync(place.path(name), { recursive: true });
    for (const line of lines) runShell(commandIn(line));
    const { "node_modules/x/index.js": _, "dist/a.js": _2, "local/dist/out.js": _3, ...kept } = before;
    expect(treeOf(place.dir)).toEqual(kept);
    expect(statSync(place.path(".env")).mtimeMs).toBe(1_000_000_000_000);
  });

  test("only files that a program can recreate: no backup", async () => {
    await using place = await guardedPlace({
      ".gitignore": "dist/\n",
      "a.ts": "",
      "node_modules/x/i.js": "",
      "dist/a.js": "",
      "__pycache__/a.pyc": "",
    });
    place.git("init", "--quiet");
    place.git("add", ".gitignore", "a.ts");
    place.git("commit", "--quiet", "-m", "x");
    expect(await place.assess("deletes", "node_modules", "dist", "__pycache__", "node_modules/x")).toBeUndefined();
    expect(place.copies()).toEqual([]);
  });

  deepTest("a tracked build, and an untracked folder that only has such a name, are backed up", async () => {
    await using place = await guardedPlace({ "dist/a.js": "tracked" });
    place.commitAll();
    await place.write("src/build/new.ts", "mine");
    const [line] = await place.keep("deletes", "dist", "src");
    rmSync(place.path("dist"), { recursive: true });
    rmSync(place.path("src"), { recursive: true });
    runShell(commandIn(line));
    expect([await place.read("dist/a.js"), await place.read("src/build/new.ts")]).toEqual(["tracked", "mine"]);
  });

  deepTest("a repository inside is copied whole, with its history", async () => {
    await using place = await guardedPlace({ a: "", "sub/inner/f": "inner" });
    git(place.path("sub/inner"), "init", "--quiet");
    git(place.path("sub/inner"), "add", "f");
    git(place.path("sub/inner"), "commit", "--quiet", "-m", "inside");
    git(place.path("sub/inner"), "branch", "build");
    place.git("init", "--quiet");
    place.git("add", "a");
    const before = treeOf(place.path("sub"), true);
    const [line] = await place.keep("deletes", "sub");
    rmSync(place.path("sub"), { recursive: true });
    runShell(commandIn(line));
    expect(treeOf(place.path("sub"), true)).toEqual(before);
    expect(git(place.path("sub/inner"), "log", "--format=%s", "build")).toBe("inside");
  });

  deepTest("git's own folder, alone or with its work tree, is copied, never kept in itself", async () => {
    await using place = await guardedPlace({ "repo/a": "a" });
    const repo = place.path("repo");
    git(repo, "init", "--quiet");
    git(repo, "add", "a");
    git(repo, "commit", "--quiet", "-m", "first");
    writeFileSync(join(repo, "a"), "changed");
    for (const path of ["repo", "repo/.git", "repo/.git/refs"]) {
      const before = treeOf(repo, true);
      const lines = await place.keep("deletes", path);
      expect(lines.map((line) => line.includes("restore.sh"))).toEqual([true]);
      rmSync(place.path(path), { recursive: true });
      runShell(commandIn(lines[0]));
      expect(treeOf(repo, true)).toEqual(before);
    }
  });

  test("`git clean` keeps what git doesn't track, and leaves git's own folder out", async () => {
    await using place = await guardedPlace({ ".gitignore": "*.local\n", a: "a" });
    place.commitAll();
    await place.write("new", "untracked");
    await place.write("x.local", "ignored");
    const before = treeOf(place.dir);
    const hazard = { ...place.hazard("deletes", ["."]), target: "untracked", withIgnored: true } as const;
    const lines = await made(await place.guard.assess([hazard], never));
    expect(Object.keys(treeOf(place.copies()[0] ?? "")).filter((name) => name.startsWith("files/"))).toEqual([
      "files/1/x.local",
    ]);
    place.git("clean", "-fdxq");
    for (const line of lines) runShell(commandIn(line));
    expect(treeOf(place.dir)).toEqual(before);
  });

  test("an overwritten file and a link's target are backed up, but not the folder that receives a new file", async () => {
    await using place = await guardedPlace({ "dir/a": "old", "dir/b": "b", target: "target" });
    symlinkSync("target", place.path("link"));
    place.commitAll();
    writeFileSync(place.path("dir/a"), "worked on");
    writeFileSync(place.path("target"), "worked on too");
    expect(await place.assess("overwrites", "dir", "dir/new")).toBeUndefined();
    const [line] = await place.keep("overwrites", "dir", "dir/a", "link");
    expect(line).toMatch(/-- dir\/a target link$/);
    writeFileSync(place.path("dir/a"), "overwritten");
    writeFileSync(place.path("link"), "overwritten");
    runShell(commandIn(line));
    expect([await place.read("dir/a"), await place.read("target"), await place.read("link")]).toEqual([
      "worked on",
      "worked on too",
      "worked on too",
    ]);
  });

  test("many names stand in a file that git reads, and the line names only what is among them", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `src/deep/${index}`);
    await using place = await guardedPlace(Object.fromEntries(names.map((name) => [name, name])));
    place.commitAll();
    const [line] = await place.keep("deletes", ...names);
    expect(line).toMatch(
      /^Backed up src\/deep\/0, src\/deep\/1, src\/deep\/2 and 9 more\. Undo: .* --pathspec-from-file=\S+ /,
    );
    await place.write("src/deep/later", "later");
    for (const name of [...names, "src/deep/later"]) writeFileSync(place.path(name), "later");
    runShell(commandIn(line));
    expect(await Promise.all(names.map((name) => place.read(name)))).toEqual(names);
    expect(await place.read("src/deep/later")).toBe("later");
  });

  deepTest("an index written at the same moment as a file hides no change", async () => {
    await using place = await guardedPlace({ a: "one" });
    place.commitAll();
    // Same size, and times as git saw them: only the index's own age tells.
    const { mtime } = statSync(place.path("a"));
    writeFileSync(place.path("a"), "two");
    utimesSync(place.path("a"), mtime, mtime);
    const [line] = await place.keep("deletes", "a");
    expect(place.git("show", `${REF.exec(line ?? "")?.[0]}:a`)).toBe("two");
  });

  deepTest("a work tree beside the first one keeps in the repository they share", async () => {
    await using place = await guardedPlace({ "main/a": "a" });
    const main = place.path("main");
    git(main, "init", "--quiet");
    git(main, "add", "a");
    git(main, "commit", "--quiet", "-m", "first");
    git(main, "worktree", "add", "--quiet", place.path("second"));
    writeFileSync(place.path("second/a"), "changed");
    const [line] = await place.keep("deletes", "second/a");
    expect(git(main, "show", `${REF.exec(line ?? "")?.[0]}:a`)).toBe("changed");
    runShell(commandIn(line));
    // Taken away as a whole, it is copied: its own top is no place for git to bring it back to.
    const removal: Hazard = {
      kind: "discards",
      target: "other-work-tree",
      text: "deletes a work tree",
      paths: [place.path("second")],
      folder: main,
    };
    const before = treeOf(place.path("second"));
    const lines = await made(await place.guard.assess([removal], never));
    git(main, "worktree", "remove", "--force", place.path("second"));
    runShell(commandIn(lines.find((told) => told.includes("restore.sh"))));
    expect(treeOf(place.path("second"))).toEqual(before);
  });
});

describe("files outside of git", () => {
  test("are copied and come back: links as links, folders with their modes, empty ones too", async () => {
    await using place = await guardedPlace({
      "d/a": "a",
      "d/sub/run.sh": "#!",
      "d/node_modules/x": "x",
      outside: "outside",
    });
    chmodSync(place.path("d/sub/run.sh"), 0o750);
    mkdirSync(place.path("d/empty"), { mode: 0o711 });
    symlinkSync(place.path("outside"), place.path("d/link"));
    symlinkSync("nowhere", place.path("d/dangling"));
    symlinkSync(place.path("d"), place.path("d/circle"));
    const state = untouched(place.dir);
    const [line, ...more] = await place.keep("deletes", "d");
    expect(untouched(place.dir)).toEqual(state);
    expect(more).toEqual([]);
    expect(line).toMatch(/^Backed up \S+\/d \(5 files\)\. Undo: sh \S+\/restore\.sh$/);
    const { "d/node_modules/x": _, ...kept } = treeOf(place.dir);
    rmSync(place.path("d"), { recursive: true });
    runShell(commandIn(line));
    expect(treeOf(place.dir)).toEqual(kept);
    expect(statSync(place.path("d/empty")).mode & 0o777).toBe(0o711);
    const manifest = JSON.parse(readFileSync(join(place.copies()[0] ?? "", "manifest.json"), "utf8"));
    expect(manifest).toEqual({
      version: 1,
      madeAt: "2026-01-02T03:04:05.000Z",
      before: "deletes d",
      files: [{ path: place.path("d"), copy: "files/1/d" }],
      rights: [],
    });
  });

  test("a link that is deleted is kept itself, and what it leads to is left alone", async () => {
    await using place = await guardedPlace({ "real/a": "a" });
    symlinkSync("real", place.path("link"));
    const [line] = await place.keep("deletes", "link");
    unlinkSync(place.path("link"));
    runShell(commandIn(line));
    expect([lstatSync(place.path("link")).isSymbolicLink(), treeOf(join(place.copies()[0] ?? "", "files"))]).toEqual([
      true,
      { "1/link": "-> real" },
    ]);
  });

  deepTest("names with quotes, spaces, line ends and dashes come back", async () => {
    const names = ["-rf", "it's", 'a "b" $HOME `id` \\ ;', "line\nend", " lead", "ümläut"];
    await using place = await guardedPlace(Object.fromEntries(names.map((name) => [`d/${name}`, name])));
    const before = treeOf(place.dir);
    const [line] = await place.keep("deletes", ...names.map((name) => `d/${name}`));
    rmSync(place.path("d"), { recursive: true });
    runShell(commandIn(line));
    expect(treeOf(place.dir)).toEqual(before);
  });

  test("FIFOs and empty folders hold nothing", async () => {
    await using place = await guardedPlace({});
    mkdirSync(place.path("d/empty"), { recursive: true });
    runShell(`mkfifo '${place.path("d/fifo")}'`);
    expect(await place.assess("deletes", "d")).toBeUndefined();
  });

  test("without git the same is copied", async () => {
    await using place = await guardedPlace({ "src/a": "a" }, { environment: { PATH: "/nonexistent" } });
    git(place.dir, "init", "--quiet");
    const [line] = await place.keep("deletes", "src");
    expect(line).toContain("restore.sh");
    expect(await place.assess("discards")).toEqual({
      kind: "impossible",
      why: "no git program was found outside the project",
    });
  });

  test("a git in the project is not used", async () => {
    await using place = await guardedPlace({ "src/a": "a", "bin/git": '#!/bin/sh\ntouch "$0.ran"\n' }, {});
    chmodSync(place.path("bin/git"), 0o755);
    await using other = await guardedPlace({}, { environment: { PATH: `${place.path("bin")}` } });
    git(place.dir, "init", "--quiet");
    const { createDestructiveGuard } = await import("../../../src/services/guard/destructive-guard.ts");
    const guard = createDestructiveGuard({
      backups: other.backups,
      clock: other.clock,
      environment: { PATH: place.path("bin") },
      projectRoot: place.dir,
    });
    const lines = await made(await guard.assess([place.hazard("deletes", ["src"])], never));
    expect([lines.length, existsSync(place.path("bin/git.ran"))]).toEqual([1, false]);
  });
});

describe("changes that are unknown before the run", () => {
  test("means the whole folder", async () => {
    await using place = await guardedPlace({ "d/a": "a", "d/b/c": "c" });
    const hazard: Hazard = { kind: "deletes", text: "deletes files: $X", paths: [], folder: place.path("d") };
    const before = treeOf(place.dir);
    const [line] = await made(await place.guard.assess([hazard], never));
    rmSync(place.path("d"), { recursive: true });
    runShell(commandIn(line));
    expect(treeOf(place.dir)).toEqual(before);
  });

  test.each(["deletes", "overwrites", "ownership", "discards", "refs", "history"] as const)(
    "%s in an unknown folder has no way back",
    async (kind) => {
      await using place = await guardedPlace({});
      const backup = await place.guard.assess([{ kind, text: "", paths: [], folder: undefined }], never);
      expect(backup?.kind).toBe("impossible");
    },
  );
});

describe("limits", () => {
  test("too many or too large files have no way back, in git or out of it", async () => {
    const limits = { maxFiles: 3, maxBytes: 100 };
    await using place = await guardedPlace(
      { "d/1": "", "d/2": "", "d/3": "", "d/4": "", "e/big": "x".repeat(101), "ok/1": "x", "ok/2": "y" },
      { limits },
    );
    const whys = async () => [
      await place.assess("deletes", "d"),
      await place.assess("deletes", "e"),
      (await place.assess("deletes", "ok"))?.kind,
    ];
    const expected = [
      { kind: "impossible", why: "the backup would need more than 3 files" },
      { kind: "impossible", why: "the backup would be larger than 100 bytes" },
      "possible",
    ];
    expect(await whys()).toEqual(expected as never);
    place.git("init", "--quiet");
    expect(await whys()).toEqual(expected as never);
    // Data that git already has costs nothing.
    place.git("add", "--all");
    place.git("commit", "--quiet", "-m", "x");
    place.git("update-index", "--refresh");
    utimesSync(place.path(".git/index"), new Date(), new Date(Date.now() + 10_000));
    expect((await place.assess("deletes", "d"))?.kind).toBe("possible");
  });

  test("dependencies don't count", async () => {
    await using place = await guardedPlace(
      { "d/node_modules/x": "x".repeat(200), "d/a": "a" },
      { limits: { maxFiles: 3, maxBytes: 100 } },
    );
    expect((await place.assess("deletes", "d"))?.kind).toBe("possible");
  });

  deepTest(
    "a file that grew too large during the question is not backed up, and no partial backup remains",
    async () => {
      await using place = await guardedPlace({ "d/a": "a" }, { limits: { maxFiles: 3, maxBytes: 100 } });
      const backup = await place.assess("deletes", "d");
      await place.write("d/b", "x".repeat(200));
      await place.clock.advance(1_000);
      expect(await failure(made(backup))).toBe("the backup would be larger than 100 bytes.");
      expect(place.copies()).toEqual([]);
    },
  );

  deepTest("/usr is not walked to its end", async () => {
    await using place = await guardedPlace({});
    const startedAt = performance.now();
    expect(await place.assess("deletes", "/usr")).toEqual({
      kind: "impossible",
      why: "the backup would need more than 10,000 files",
    });
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });

  test("no backup is possible for a command that deletes the backups", async () => {
    await using place = await guardedPlace({ d: "" });
    await place.keep("deletes", "d").catch(() => {});
    mkdirSync(place.backups, { recursive: true });
    for (const path of ["/", join(place.backups, ".."), place.backups]) {
      expect(await place.assess("deletes", path)).toEqual({
        kind: "impossible",
        why: `${path} contains the backups themselves`,
      });
    }
  });
});

describe("uncommitted work", () => {
  deepTest("is kept with what is staged, and comes back after reset --hard", async () => {
    await using place = await guardedPlace({ a: "a", b: "b", "sub/c": "c" });
    place.commitAll();
    writeFileSync(place.path("a"), "staged");
    place.git("add", "a");
    writeFileSync(place.path("a"), "staged, then changed");
    writeFileSync(place.path("sub/c"), "changed");
    await place.write("new", "untracked");
    unlinkSync(place.path("b"));
    const before = treeOf(place.dir);
    const state = untouched(place.dir);
    const hazard: Hazard = {
      kind: "discards",
      text: "discards uncommitted changes",
      paths: [],
      folder: place.path("sub"),
    };
    const [line, ...more] = await made(await place.guard.assess([hazard], never));
    expect([untouched(place.dir), more]).toEqual([state, []]);
    const ref = REF.exec(line ?? "")?.[0] ?? "";
    expect([place.git("show", `${ref}^2:a`), place.git("rev-parse", `${ref}^`)]).toEqual([
      "staged",
      place.git("rev-parse", "HEAD"),
    ]);
    place.git("reset", "--quiet", "--hard");
    runShell(commandIn(line));
    expect(treeOf(place.dir)).toEqual(before);
  });

  test("that isn't there needs no way back", async () => {
    await using place = await guardedPlace({ a: "a" });
    place.commitAll();
    expect(await place.assess("discards")).toBeUndefined();
  });

  deepTest("in the midst of a conflict is kept as the work tree has it", async () => {
    await using place = await guardedPlace({ a: "base\n" });
    place.commitAll();
    place.git("checkout", "--quiet", "-b", "other");
    writeFileSync(place.path("a"), "theirs\n");
    place.git("commit", "--quiet", "-am", "theirs");
    place.git("checkout", "--quiet", "main");
    writeFileSync(place.path("a"), "ours\n");
    place.git("commit", "--quiet", "-am", "ours");
    expect(() => place.git("merge", "other")).toThrow();
    writeFileSync(place.path("a"), "half resolved\n");
    const state = untouched(place.dir);
    const [line] = await place.keep("discards");
    expect(untouched(place.dir)).toEqual(state);
    place.git("merge", "--abort");
    runShell(commandIn(line));
    expect(await place.read("a")).toBe("half resolved\n");
  });

  test("outside of a repository there is nothing that could be known", async () => {
    await using place = await guardedPlace({ a: "" });
    expect(await place.assess("discards")).toEqual({
      kind: "impossible",
      why: `there is no git repository in ${place.dir}`,
    });
    expect((await place.assess("refs"))?.kind).toBe("impossible");
  });
});

describe("references and history", () => {
  deepTest("branches, tags, HEAD and every stash are kept and come back", async () => {
    await using place = await guardedPlace({ a: "a" });
    place.commitAll();
    place.git("branch", "feat/x");
    place.git("tag", "-a", "v1", "-m", "v1");
    for (const text of ["older", "newer"]) {
      writeFileSync(place.path("a"), text);
      place.git("stash", "--quiet");
    }
    const state = untouched(place.dir);
    const [line] = await place.keep("refs");
    expect(untouched(place.dir)).toEqual(state);
    const root = REF.exec(line ?? "")?.[0] ?? "";
    expect(place.refs().map((name) => name.slice(root.length + 1))).toEqual([
      "HEAD",
      "heads/feat/x",
      "heads/main",
      "stash/0",
      "stash/1",
      "tags/v1",
    ]);
    expect(line).toContain(
      `Copies kept before a command that refs: 6 references under ${root}. To list them, to bring back a branch, to bring back a tag, to bring back a stash:\ngit -C ${place.dir} for-each-ref ${root}\n`,
    );
    place.git("stash", "clear");
    place.git("branch", "--quiet", "-D", "feat/x");
    place.git("tag", "-d", "v1");
    place.git("reflog", "expire", "--expire=now", "--all");
    place.git("gc", "--quiet", "--prune=now");
    place.git("branch", "feat/x", `${root}/heads/feat/x`);
    place.git("stash", "apply", "--quiet", `${root}/stash/1`);
    expect([await place.read("a"), place.git("cat-file", "-t", `${root}/tags/v1`)]).toEqual(["older", "tag"]);
  });

  deepTest("commits that only the reflog knows outlive a gc", async () => {
    await using place = await guardedPlace({ a: "a" });
    place.commitAll();
    writeFileSync(place.path("a"), "lost");
    place.git("commit", "--quiet", "-am", "to be lost");
    const lost = place.git("rev-parse", "HEAD");
    place.git("reset", "--quiet", "--hard", "HEAD~1");
    await place.keep("history");
    place.git("reflog", "expire", "--expire=now", "--all");
    place.git("gc", "--quiet", "--prune=now");
    expect(place.git("show", `${lost}:a`)).toBe("lost");
  });

  deepTest("one command that does several things gets one line for each", async () => {
    await using place = await guardedPlace({ a: "a" });
    place.commitAll();
    writeFileSync(place.path("a"), "changed");
    const hazards = (["discards", "history"] as const).map((kind) => place.hazard(kind, []));
    const lines = await made(await place.guard.assess(hazards, never));
    expect(lines.length).toBe(2);
    place.git("reset", "--quiet", "--hard");
    runShell(commandIn(lines[0]));
    expect(await place.read("a")).toBe("changed");
  });

  deepTest("a bare repository keeps its references too", async () => {
    await using place = await guardedPlace({ a: "a" });
    place.commitAll();
    place.git("clone", "--quiet", "--bare", ".", place.path("bare.git"));
    const bare = place.path("bare.git");
    const hazard: Hazard = { kind: "refs", text: "deletes branches", paths: [], folder: bare };
    await made(await place.guard.assess([hazard], never));
    expect(git(bare, "for-each-ref", "--format=%(refname:lstrip=4)", "refs/quoll").split("\n")).toEqual([
      "HEAD",
      "heads/main",
    ]);
  });
});

describe("rights", () => {
  deepTest("modes of a whole tree are noted and come back", async () => {
    await using place = await guardedPlace({ "d/a": "a", "d/sub/run.sh": "#!", "d/node_modules/x": "" });
    chmodSync(place.path("d/a"), 0o640);
    chmodSync(place.path("d/sub/run.sh"), 0o4755);
    chmodSync(place.path("d/sub"), 0o750);
    symlinkSync("a", place.path("d/link"));
    const modes = () => ["d", "d/a", "d/sub", "d/sub/run.sh"].map((name) => statSync(place.path(name)).mode);
    const before = modes();
    const [line] = await place.keep("ownership", "d");
    expect(line).toContain("modes and owners of 4 paths");
    // From the inside out, as a person who isn't root can.
    runShell(`find '${place.path("d")}' -depth ! -type l ! -path '*/node_modules*' -exec chmod 0000 {} +`);
    runShell(commandIn(line));
    expect(modes()).toEqual(before);
  });
});

describe("commands without a possible backup", () => {
  test.each([
    ["publishes", "a published version can't be withdrawn"],
    ["remote-history", "a remote repository can't be restored from here"],
    ["database", "the data of a service or database can't be backed up from here"],
    ["device", "the content of a disk can't be backed up"],
    ["processes", "a process can't be restarted in its old state"],
  ] as const)("%s", async (kind, why) => {
    await using place = await guardedPlace({ a: "a" });
    place.commitAll();
    expect(await place.assess(kind, "a")).toMatchObject({ kind: "impossible", why });
    // However much else could be kept.
    const hazard = place.hazard(kind, []);
    const hazards = [place.hazard("deletes", ["a"]), hazard];
    expect(await place.guard.assess(hazards, never)).toEqual({ kind: "impossible", why, hazard });
  });

  test("no hazard needs none", async () => {
    await using place = await guardedPlace({});
    expect(await place.guard.assess([], never)).toBeUndefined();
  });
});

describe("a backup", () => {
  test("that is made at once of one file takes four runs of git, of which one looks at the files", async () => {
    await using bin = await tempProject({ git: "" });
    const path = process.env["PATH"] ?? "";
    writeFileSync(bin.path("git"), `#!/bin/sh\necho "$1" >>${bin.path("log")}\nPATH='${path}' exec git "$@"\n`);
    chmodSync(bin.path("git"), 0o755);
    await using place = await guardedPlace({ a: "a" }, { environment: { PATH: `${bin.dir}:${path}` } });
    place.commitAll();
    writeFileSync(place.path("a"), "changed");
    await place.keep("overwrites", "a");
    expect(readFileSync(bin.path("log"), "utf8").trim().split("\n")).toEqual([
      "ls-files",
      "diff-index",
      "fast-import",
      "for-each-ref",
    ]);
  });

  test("that is made later holds what changed while a person thought about it", async () => {
    await using place = await guardedPlace({ "src/a": "a" });
    place.commitAll();
    writeFileSync(place.path("src/a"), "changed");
    const backup = await place.assess("deletes", "src");
    await place.write("src/new", "new");
    await place.clock.advance(10_000);
    const [line] = await made(backup);
    rmSync(place.path("src"), { recursive: true });
    runShell(commandIn(line));
    expect(treeOf(place.path("src"))).toEqual({
      a: expect.stringMatching(/^644 /),
      new: expect.stringMatching(/^644 /),
    });
  });
});

describe("an abort", () => {
  test("while looking or keeping ends it with its own reason and leaves nothing", async () => {
    await using place = await guardedPlace({ "src/a": "a", ".gitignore": "x\n", x: "ignored" });
    place.commitAll();
    appendFileSync(place.path("src/a"), "more");
    const ended = AbortSignal.abort(new Error("Esc"));
    expect(await failure(place.guard.assess([place.hazard("deletes", ["src"])], ended))).toBe("Esc");
    const backup = await place.assess("deletes", "src", "x");
    expect(await failure(made(backup, ended))).toBe("Esc");
    // At every moment of the making.
    for (let after = 0; after < 12; after += 1) {
      const abort = new AbortController();
      const timer = setTimeout(() => abort.abort(new Error("Esc")), after * 3);
      await made(backup, abort.signal).catch((error: Error) => expect(error.message).toBe("Esc"));
      clearTimeout(timer);
      const whole = place.refs().length === place.copies().length;
      expect([whole, place.copies().filter((name) => name.endsWith(".partial"))]).toEqual([true, []]);
    }
  });
});

describe("old backups", () => {
  test("go after 30 days or beyond a hundred; the newest stays", async () => {
    await using place = await guardedPlace({ ".gitignore": "x\n", x: "ignored", a: "a" });
    place.commitAll();
    await place.keep("deletes", "x", "a");
    await place.clock.advance(31 * 24 * 3_600_000);
    expect([place.refs().length, place.copies().length]).toEqual([1, 1]);
    await place.keep("deletes", "x", "a");
    expect([place.refs().length, place.copies().length]).toEqual([1, 1]);
    for (let index = 0; index < 99; index += 1) {
      const id = `20260202T0${Math.floor(index / 60)}${String(index % 60).padStart(2, "0")}00Z-00000a`.slice(0, 23);
      mkdirSync(join(place.backups, id));
    }
    await place.clock.advance(1_000);
    const newest = (await place.keep("deletes", "x"))[0];
    expect(place.copies().length).toBe(100);
    expect(newest).toContain(place.copies().at(-1) ?? "?");
  });
});

describe("unforeseen changes", () => {
  test("in a work tree its uncommitted work is kept, with what git ignores", async () => {
    await using place = await guardedPlace({ ".gitignore": "*.log", a: "a" });
    place.commitAll();
    writeFileSync(place.path("a"), "changed");
    writeFileSync(place.path("new"), "new");
    writeFileSync(place.path("x.log"), "ignored");
    const before = treeOf(place.dir);
    const lines = await place.keep("unforeseen");
    for (const name of ["a", "new", "x.log"]) rmSync(place.path(name));
    for (const line of lines) runShell(commandIn(line));
    expect(treeOf(place.dir)).toEqual(before);
  });

  deepTest("without what git ignores where that is too much, and this is said", async () => {
    const limits = { maxFiles: 100, maxBytes: 1_000 };
    await using place = await guardedPlace({ ".gitignore": "*.log", a: "a" }, { limits });
    place.commitAll();
    writeFileSync(place.path("a"), "changed");
    writeFileSync(place.path("x.log"), "x".repeat(2_000));
    const lines = await place.keep("unforeseen");
    expect(lines).toEqual([
      expect.stringContaining(" Undo: "),
      "Ignored files were not backed up: the backup would be larger than 1000 bytes.",
    ]);
  });

  deepTest("nowhere else, and this is said and never asked for", async () => {
    await using place = await guardedPlace({ a: "a" });
    expect(await place.keep("unforeseen")).toEqual([
      `No backup was made (unforeseen): there is no git repository in ${place.dir}.`,
    ]);
  });

  deepTest("beside what is sure to go, which is kept in any case", async () => {
    await using place = await guardedPlace({ a: "a" });
    const backup = await place.guard.assess([place.hazard("deletes", ["a"]), place.hazard("unforeseen", [])], never);
    const [copy, gap] = await made(backup);
    rmSync(place.path("a"));
    runShell(commandIn(copy));
    expect(await place.read("a")).toBe("a");
    expect(gap).toStartWith("No backup was made (unforeseen): ");
    const impossible = await place.guard.assess([place.hazard("device", []), place.hazard("unforeseen", [])], never);
    expect(impossible?.kind).toBe("impossible");
  });

  test("nothing uncommitted needs no way back", async () => {
    await using place = await guardedPlace({ a: "a" });
    place.commitAll();
    expect(await place.assess("unforeseen")).toBeUndefined();
  });
});

describe("a file that the model itself created", () => {
  const place = async () => {
    const created = new CreatedFiles();
    const made = await guardedPlace({ "src/a.ts": "a" }, { isOwnFile: (path) => created.isOwn(path) });
    const create = async (name: string, text: string) => {
      await made.write(name, text);
      const { mtimeMs: modifiedMs, size } = statSync(made.path(name));
      created.add(made.path(name), { modifiedMs, size });
    };
    return { ...made, create, [Symbol.asyncDispose]: made[Symbol.asyncDispose] };
  };

  test("is backed up before it is deleted, without a line", async () => {
    await using here = await place();
    here.commitAll();
    await here.create("repro.ts", "a try");
    expect(await here.keep("deletes", "repro.ts")).toEqual([]);
    expect(git(here.dir, "for-each-ref", "refs/quoll")).toMatch(REF);
  });

  test("outside of a repository is too", async () => {
    await using here = await place();
    await here.create("repro.ts", "a try");
    expect(await here.keep("deletes", "repro.ts")).toEqual([]);
    expect(here.copies()).toHaveLength(1);
  });

  test("is announced if somebody else has changed it since, or if it is deleted with another file", async () => {
    await using here = await place();
    here.commitAll();
    await here.create("repro.ts", "a try");
    await here.create("other.ts", "another try");
    appendFileSync(here.path("repro.ts"), "a person's words");
    expect(await here.keep("deletes", "repro.ts")).toHaveLength(1);
    await here.write("notes.txt", "a person's file");
    expect(await here.keep("deletes", "other.ts", "notes.txt")).toHaveLength(1);
  });
});
