import { describe, expect, test } from "bun:test";
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  readFile,
  readlink,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { checkedOutCommit } from "../../../src/platform/git/find-ref.ts";
import { copyProject, placeFile } from "../../../src/platform/scratch/copy-project.ts";
import { runCommand } from "../../support/run-command.ts";
import { tempProject } from "../../support/temp-project.ts";

const { signal } = new AbortController();

async function copyOf(root: string, since?: { readonly ms: number; readonly known: ReadonlySet<string> }) {
  const copy = await copyProject({ root, signal, ...(since && { since }) });
  return {
    ...copy,
    read: (name: string) => readFile(`${copy.root}/${name}`, "utf8"),
    [Symbol.asyncDispose]: copy.remove,
  };
}

async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const { code, out, err } = await runCommand(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd });
  expect({ args, code, err: code === 0 ? "" : err }).toEqual({ args, code: 0, err: "" });
  return out.trim();
}

/** An index of version 2 with one file in it. */
function indexOf(name: string): Buffer {
  const entry = Buffer.alloc(Math.ceil((62 + name.length + 1) / 8) * 8);
  entry.writeUInt32BE(0o100644, 24);
  entry.writeUInt16BE(name.length, 60);
  entry.write(name, 62);
  return Buffer.concat([Buffer.from("DIRC\0\0\0\x02\0\0\0\x01", "latin1"), entry, Buffer.alloc(20)]);
}

const exists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

describe("a copy of a project", () => {
  test("has its files with their times and rights, and nothing that is ignored", async () => {
    await using project = await tempProject({ "a.txt": "a", "sub/b.sh": "b", ".gitignore": "out/\n", "out/c": "c" });
    await chmod(project.path("sub/b.sh"), 0o755);
    await utimes(project.path("a.txt"), 1_000, 2_000);
    await using copy = await copyOf(project.dir);
    expect(await copy.read("a.txt")).toBe("a");
    expect((await lstat(`${copy.root}/a.txt`)).mtimeMs).toBe(2_000_000);
    expect((await lstat(`${copy.root}/sub/b.sh`)).mode & 0o777).toBe(0o755);
    expect(await exists(`${copy.root}/out`)).toBe(false);
    expect(copy.notes).toEqual([]);
    await copy.remove();
    expect(await exists(copy.root)).toBe(false);
  });

  test("takes links as links: those into the project lead into the copy, none is followed", async () => {
    await using outside = await tempProject({ "secret.txt": "s" });
    await using project = await tempProject({ "a.txt": "a", "sub/b.txt": "b" });
    await symlink(project.path("a.txt"), project.path("inside"));
    await symlink(outside.path("secret.txt"), project.path("outside"));
    await git(project.dir, "init", "-q");
    await git(project.dir, "add", ".");
    await Bun.$`rm -r ${project.path("sub")}`;
    await symlink(outside.dir, project.path("sub"));
    await outside.write("b.txt", "not ours");
    await using copy = await copyOf(project.dir);
    expect(await readlink(`${copy.root}/inside`)).toBe(`${copy.root}/a.txt`);
    expect(await readlink(`${copy.root}/outside`)).toBe(outside.path("secret.txt"));
    expect(await exists(`${copy.root}/sub/b.txt`)).toBe(false);
  });

  test("has history, index and branches of git, and neither remotes, hooks nor configuration", async () => {
    await using project = await tempProject({ "a.txt": "a\n", ".gitignore": "*.log\n" });
    await git(project.dir, "init", "-q", "-b", "trunk");
    await project.write("kept.log", "tracked all the same");
    await git(project.dir, "add", "-f", ".");
    await git(project.dir, "commit", "-q", "-m", "First");
    await git(project.dir, "branch", "other");
    await git(project.dir, "config", "alias.x", "!echo hi");
    await git(project.dir, "remote", "add", "origin", "https://example.invalid/x.git");
    await project.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n");
    await chmod(project.path(".git/hooks/pre-commit"), 0o755);
    await project.write("a.txt", "b\n");
    await project.write("new.txt", "n\n");
    const before = await git(project.dir, "rev-parse", "HEAD");
    expect(checkedOutCommit(project.dir)).toBe(before);

    await using copy = await copyOf(project.dir);
    expect(await git(copy.root, "rev-parse", "HEAD")).toBe(before);
    expect(await git(copy.root, "status", "--short")).toBe("M a.txt\n?? new.txt");
    expect(await git(copy.root, "branch", "--format=%(refname:short)")).toBe("other\ntrunk");
    expect(await git(copy.root, "remote")).toBe("");
    expect(await copy.read("kept.log")).toBe("tracked all the same");
    await git(copy.root, "commit", "-q", "-a", "-m", "In the copy");
    await git(copy.root, "gc", "-q");
    expect(checkedOutCommit(copy.root)).not.toBe(before);
    expect(await git(project.dir, "rev-parse", "HEAD")).toBe(before);
    expect(await git(project.dir, "status", "--short")).toBe("M a.txt\n?? new.txt");
    expect(await git(project.dir, "fsck")).toBe("");
    await git(project.dir, "pack-refs", "--all");
    expect(checkedOutCommit(project.dir)).toBe(before);
  });

  test("of a work tree beside its repository has the same", async () => {
    await using project = await tempProject({ "main/a.txt": "a\n" });
    const main = project.path("main");
    await git(main, "init", "-q", "-b", "trunk");
    await git(main, "add", ".");
    await git(main, "commit", "-q", "-m", "First");
    await git(main, "worktree", "add", "-q", "-b", "side", project.path("side"));
    const head = await git(main, "rev-parse", "HEAD");
    expect(checkedOutCommit(project.path("side"))).toBe(head);
    await using copy = await copyOf(project.path("side"));
    expect(copy.notes).toEqual(["remotes, hooks and configuration of the repository"]);
    expect(await git(copy.root, "status", "--short", "--branch")).toBe("## side");
    expect(await git(copy.root, "log", "--format=%s")).toBe("First");
    expect(await git(main, "worktree", "list")).not.toContain(copy.root);
  });

  test("never leaves its folder, whatever names stand in git's index", async () => {
    await using project = await tempProject({ "root/a.txt": "a", away: "theirs" });
    const root = project.path("root");
    await git(root, "init", "-q");
    for (const bad of ["../away", ".git/hooks/run"]) {
      await project.write(`root/${bad}`, "theirs");
      await writeFile(`${root}/.git/index`, indexOf(bad));
      await using copy = await copyOf(root);
      expect(await exists(join(copy.root, bad))).toBe(false);
      expect(copy.notes).toContain("files that git tracks although they are ignored");
    }
  });

  test("of a repository with links and FIFOs among its refs has the refs themselves", async () => {
    await using project = await tempProject({ "main/a.txt": "a\n", "side/a.txt": "a\n", "side/.git/x": "" });
    const [main, side] = [project.path("main"), project.path("side")];
    await git(main, "init", "-q", "-b", "trunk");
    await git(main, "add", ".");
    await git(main, "commit", "-q", "-m", "First");
    for (const name of ["config", "objects", "refs", "logs", "info"])
      await symlink(`${main}/.git/${name}`, `${side}/.git/${name}`);
    for (const name of ["HEAD", "index"]) await copyFile(`${main}/.git/${name}`, `${side}/.git/${name}`);
    await runCommand(["mkfifo", `${main}/.git/refs/fifo`], { cwd: main });
    await using copy = await copyOf(side);
    await rm(`${main}/.git/refs/fifo`);
    expect(await git(copy.root, "log", "--format=%s")).toBe("First");
    await git(copy.root, "commit", "-q", "--allow-empty", "-m", "In the copy");
    expect(await git(main, "log", "--format=%s")).toBe("First");
  });

  test.skipIf(process.getuid?.() === 0)("lacks what can't be read, and says so", async () => {
    await using project = await tempProject({ "a.txt": "a", "b.txt": "b" });
    await chmod(project.path("b.txt"), 0);
    await using copy = await copyOf(project.dir);
    expect(await copy.read("a.txt")).toBe("a");
    expect(copy.notes).toContain("unreadable files: b.txt");
  });

  test("that would be too large is not begun", async () => {
    await using project = await tempProject({ big: "" });
    await truncate(project.path("big"), 3 * 1024 ** 3);
    const startedAt = performance.now();
    const given = copyProject({ root: project.dir, signal });
    expect(await given.catch((error: Error) => error.message)).toBe("it has more than 2 GiB of files");
    expect(performance.now() - startedAt).toBeLessThan(8_000);
  });

  test("leaves out what was made since a time, where git doesn't track it and it was not there before", async () => {
    await using project = await tempProject({ "tracked.txt": "t", "known.txt": "k", "new/x.txt": "x" });
    await git(project.dir, "init", "-q");
    await git(project.dir, "add", "tracked.txt");
    await using copy = await copyOf(project.dir, { ms: 0, known: new Set(["known.txt"]) });
    expect(
      await Promise.all(["tracked.txt", "known.txt", "new"].map((name) => exists(`${copy.root}/${name}`))),
    ).toEqual([true, true, false]);
    expect(copy.notes[0]).toBe("files created since the session began: new/x.txt");
    await using all = await copyOf(project.dir, { ms: Date.now() + 60_000, known: new Set() });
    expect(await all.read("new/x.txt")).toBe("x");
  });

  test("of nothing is an empty folder, and one that is given up leaves nothing", async () => {
    const empty = await copyProject({ root: undefined, signal });
    expect(await Bun.$`ls -A ${empty.root}`.text()).toBe("");
    await empty.remove();
    await using project = await tempProject({ "a.txt": "a" });
    const given = copyProject({ root: project.dir, signal: AbortSignal.abort(new Error("stop")) });
    expect(await given.catch((error: Error) => error.message)).toBe("stop");
  });
});

test("a file is put in place, over whatever stands there, and never outside of the copy", async () => {
  await using outside = await tempProject({ "x.txt": "x" });
  await using copy = await tempProject({ "a.txt": "a", "folder/b.txt": "b" });
  await symlink(outside.dir, copy.path("link"));
  await mkdir(copy.path("gone"));
  placeFile(copy.dir, "a.txt", "new");
  placeFile(copy.dir, "deep/er/c.txt", "c");
  placeFile(copy.dir, "folder", "a file now");
  placeFile(copy.dir, "gone", null);
  expect(await Promise.all(["a.txt", "deep/er/c.txt", "folder"].map((name) => copy.read(name)))).toEqual([
    "new",
    "c",
    "a file now",
  ]);
  expect(await exists(copy.path("gone"))).toBe(false);
  for (const name of ["link/x.txt", "../x", "."]) expect(() => placeFile(copy.dir, name, "bad")).toThrow("outside");
  expect(await outside.read("x.txt")).toBe("x");
});
