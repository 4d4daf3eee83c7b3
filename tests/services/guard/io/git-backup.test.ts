import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { findGit } from "../../../../src/platform/git/find-git.ts";
import { findRepository } from "../../../../src/platform/git/repository.ts";
import { outdated } from "../../../../src/services/guard/io/backup-folder.ts";
import { parseFiles } from "../../../../src/services/guard/io/index-entries.ts";
import { cQuoted, gitOn } from "../../../../src/services/guard/io/run-git.ts";
import { eventually } from "../../../support/eventually.ts";
import { tempProject } from "../../../support/temp-project.ts";
import { failure } from "../../tools/call-tool.ts";

/** True if a process lives; a zombie doesn't. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return /^[^Z\s]/.test(stdout);
}

const never = new AbortController().signal;

describe("the list of the index", () => {
  const debug = "  ctime: 5:6\n  mtime: 7:8\n  dev: 1\tino: 2\n  uid: 0\tgid: 0\n  size: 24\tflags: 0\n";
  const sha = "3".repeat(40);

  test("gives each name once, with what git saw", () => {
    const text = `H 100644 ${sha} 0\ta\0${debug}M 100755 ${sha} 1\tb\0${debug}M 100755 ${sha} 2\tb\0${debug}`;
    const seen = { modified: 7_000_000_008n, changed: 5_000_000_006n, size: 24 };
    expect(parseFiles(text)).toEqual({
      entries: [
        { path: "a", mode: "100644", isUnmerged: false, seen },
        { path: "b", mode: "100755", isUnmerged: true, seen },
      ],
      untracked: [],
    });
    expect(parseFiles("")).toEqual({ entries: [], untracked: [] });
  });

  test("names that look like entries are names", () => {
    const name = `x\nH 100644 ${sha} 0\ty`;
    const { entries, untracked } = parseFiles(`? ${name}\0? H 100644\0H 100644 ${sha} 0\t${name}\0${debug}`);
    expect([entries.map(({ path }) => path), untracked]).toEqual([[name], [name, "H 100644"]]);
  });

  test("in another format marks files as changed, and leaves out no file", () => {
    const text = `H 100644 ${sha} 0\ta\0  more: 1\nH 100644 ${sha} 0\tb\0`;
    expect(parseFiles(text).entries.map(({ path, seen }) => [path, seen])).toEqual([
      ["a", undefined],
      ["b", undefined],
    ]);
    expect(() => parseFiles("what is this?\0")).toThrow("unknown format");
  });
});

describe("old backups", () => {
  const at = (day: number) => `202601${String(day).padStart(2, "0")}T000000Z-abcdef`;
  const now = Date.UTC(2026, 0, 31);

  test("older than 30 days go, but never the newest, nor what has another name", () => {
    expect(outdated([at(2), at(1), "20251201T000000Z-abcdef", "mine"], now)).toEqual(["20251201T000000Z-abcdef"]);
    expect(outdated(["20251201T000000Z-abcdef"], now)).toEqual([]);
    expect(outdated([], now)).toEqual([]);
  });

  test("a hundred stay", () => {
    const ids = Array.from({ length: 130 }, (_, index) => `20260130T${String(100_000 + index)}Z-abcdef`);
    expect(outdated(ids, now).length).toBe(30);
    expect(outdated(ids, now)).not.toContain(ids[129]);
  });
});

test("names in git's quotes keep every sign", () => {
  expect(cQuoted('a"b\\c\nd\té\u007f')).toBe('"a\\"b\\\\c\\012d\\011é\\177"');
});

describe("a repository", () => {
  test("is found from any folder in it, by its own file or folder", async () => {
    await using project = await tempProject({
      "a/b/x": "",
      "repo/.git/HEAD": "ref: x",
      "repo/sub/y": "",
      "linked/.git": "gitdir: ../repo/.git/worktrees/l\n",
    });
    mkdirSync(project.path("repo/.git/objects"));
    await project.write("repo/.git/worktrees/l/HEAD", "ref: y");
    await project.write("repo/.git/worktrees/l/commondir", "../..\n");
    const gitFolder = project.path("repo/.git");
    expect(findRepository(project.path("repo/sub"))).toEqual({
      top: project.path("repo"),
      gitFolder,
      commonFolder: gitFolder,
      isBare: false,
    });
    expect(findRepository(project.path("linked"))).toEqual({
      top: project.path("linked"),
      gitFolder: project.path("repo/.git/worktrees/l"),
      commonFolder: gitFolder,
      isBare: false,
    });
    expect(findRepository(gitFolder)?.isBare).toBe(true);
    expect(findRepository(project.path("a/b"))).toBeUndefined();
  });
});

describe("git", () => {
  test("is taken from the search path, never from the project or a package in it", async () => {
    await using project = await tempProject({
      "bin/git": "#!/bin/sh\n",
      "x/node_modules/.bin/git": "#!/bin/sh\n",
      "outside/git": "#!/bin/sh\n",
    });
    for (const name of ["bin/git", "x/node_modules/.bin/git", "outside/git"]) chmodSync(project.path(name), 0o755);
    mkdirSync(project.path("links"));
    symlinkSync(project.path("bin/git"), project.path("links/git"));
    const path = ["bin", "x/node_modules/.bin", "links", "outside"].map((name) => project.path(name));
    const found = findGit({ PATH: ["bin", ".", ...path].join(":") }, [project.path("bin")]);
    expect(found).toBe(project.path("outside/git"));
    expect(findGit({}, [])).toBeUndefined();
  });

  test("that fails says so in its words; one that hangs is ended with all that it started", async () => {
    await using project = await tempProject({
      ".git/HEAD": "ref: x",
      fails: "#!/bin/sh\necho 'fatal: no' >&2\nexit 3\n",
    });
    mkdirSync(project.path(".git/objects"));
    writeFileSync(project.path("hangs"), `#!/bin/sh\nsleep 600 &\necho $! > '${project.path("pid")}'\nwait\n`);
    for (const name of ["fails", "hangs"]) chmodSync(project.path(name), 0o755);
    const repository = findRepository(project.dir);
    if (!repository) throw new Error("no repository");
    const on = (name: string) => gitOn(repository, project.path(name), { PATH: process.env["PATH"] });
    expect(await failure(on("fails").run({ args: ["x"], signal: never }))).toBe(
      `git x failed in ${project.dir}: fatal: no.`,
    );
    expect(await on("fails").ask({ args: ["x"], signal: never })).toBeUndefined();
    expect(await failure(on("none").run({ args: ["x"], signal: never }))).toContain("git could not be started");
    expect(await failure(on("hangs").run({ args: ["x"], signal: never, maxRunMs: 20 }))).toBe(
      `git x timed out in ${project.dir}.`,
    );
    await rm(project.path("pid"), { force: true });
    const abort = new AbortController();
    const running = on("hangs").run({ args: ["x"], signal: abort.signal });
    let pid = 0;
    while (pid === 0) pid = Number(await project.read("pid").catch(() => "0"));
    abort.abort(new Error("Esc"));
    expect(await failure(running)).toBe("Esc");
    // Ended, if perhaps not yet fetched by whoever inherited it.
    await eventually("git has ended", () => !isRunning(pid));
  });
});
