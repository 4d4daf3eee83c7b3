import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { configKeys, gitIsInert } from "../../../../src/services/tools/bash/git-config.ts";
import { tempProject } from "../../../support/temp-project.ts";

const ORDINARY = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
[remote "origin"]
\turl = git@example.org:a/b.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
\tremote = origin
\tmerge = refs/heads/main
`;
const repository = (config: string) => ({
  ".git/HEAD": "ref: refs/heads/main\n",
  ".git/config": config,
  "sub/a.txt": "",
});

test("an ordinary clone is inert, from its root and from below", async () => {
  await using project = await tempProject(repository(ORDINARY));
  expect([gitIsInert(project.dir), gitIsInert(project.path("sub"))]).toEqual([true, true]);
});

test("no repository at all is inert", async () => {
  await using project = await tempProject({ "a.txt": "" });
  expect(gitIsInert(project.dir)).toBe(true);
});

describe("a repository that could run something is not inert", () => {
  test.each([
    ["a file system monitor", "[core]\n\tfsmonitor = ./evil"],
    ["an external diff", "[diff]\n\texternal = ./evil"],
    ["a textconv", '[diff "x"]\n\ttextconv = ./evil'],
    ["a diff command", '[diff "x"]\n\tcommand = ./evil'],
    ["a clean filter", '[filter "x"]\n\tclean = ./evil'],
    ["a filter process", '[filter "x"]\n\tprocess = ./evil'],
    ["a pager", "[core]\n\tpager = ./evil"],
    ["a pager of one command", "[pager]\n\tlog = ./evil"],
    ["an ssh command", "[core]\n\tsshCommand = ./evil"],
    ["a hooks folder", "[core]\n\thooksPath = evil"],
    ["an include", "[include]\n\tpath = ../evil"],
    ["a conditional include", '[includeIf "gitdir:/"]\n\tpath = ../evil'],
    ["an alias", "[alias]\n\tst = !./evil"],
    ["another work tree", "[core]\n\tworktree = /"],
    ["a partial clone, which fetches on a read", '[remote "origin"]\n\tpromisor = true'],
    ["signatures shown through gpg", "[log]\n\tshowSignature = true"],
    ["a gpg program", "[gpg]\n\tprogram = ./evil"],
    ["a merge driver", '[merge "x"]\n\tdriver = ./evil'],
    ["a key on the line of its section", "[core] fsmonitor = ./evil"],
    ["another case", "[CORE]\n\tFsMonitor = ./evil"],
    ["the old way to write a subsection", "[diff.x]\n\ttextconv = ./evil"],
    ["a continued line", "[user]\n\tname = a \\\nb\n[core]\n\tfsmonitor = ./evil"],
    ["a comment that ends in a backslash", "# x \\\n[core]\n\tfsmonitor = ./evil"],
    ["a key before any section", "fsmonitor = ./evil"],
    ["a key that nobody knows", "[core]\n\tsomethingNew = 1"],
    ["rubbish", "\0\0\0"],
  ])("%s", async (_name, config) => {
    await using project = await tempProject(repository(`${ORDINARY}${config}\n`));
    expect(gitIsInert(project.path("sub"))).toBe(false);
  });

  test("a hook that a mere look can start", async () => {
    await using project = await tempProject({ ...repository(ORDINARY), ".git/hooks/post-index-change": "#!/bin/sh\n" });
    expect(gitIsInert(project.dir)).toBe(false);
  });

  test("submodules, whose configuration is their own", async () => {
    await using project = await tempProject({ ...repository(ORDINARY), ".gitmodules": "" });
    expect(gitIsInert(project.dir)).toBe(false);
  });

  test.each(["objects", "refs", "commondir", "config", "config.worktree", "index"])(
    "a bare repository of which HEAD and %s lie among the files",
    async (part) => {
      await using project = await tempProject({
        ...repository(ORDINARY),
        "sub/HEAD": "ref: refs/heads/main\n",
        [`sub/${part}`]: "../y\n",
      });
      expect(gitIsInert(project.path("sub"))).toBe(false);
    },
  );

  test("an index that names a repository within, or can't be read", async () => {
    await using project = await tempProject(repository(ORDINARY));
    spawnSync("git", ["init", "-q", "."], { cwd: project.dir });
    expect(gitIsInert(project.dir)).toBe(true);
    spawnSync("git", ["update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},sub/repo`], {
      cwd: project.dir,
    });
    expect(gitIsInert(project.dir)).toBe(false);
    await Bun.write(project.path(".git/index"), "odd");
    expect(gitIsInert(project.dir)).toBe(false);
    spawnSync("sh", ["-c", "rm -r .git; git init -q --object-format=sha256 . && git add sub"], { cwd: project.dir });
    expect(gitIsInert(project.dir)).toBe(false);
  });

  test("a bare repository among the files", async () => {
    await using project = await tempProject({
      ...repository(ORDINARY),
      "evil/HEAD": "x",
      "evil/objects/x": "",
      "evil/config": "",
    });
    expect([gitIsInert(project.path("evil")), gitIsInert(project.dir)]).toEqual([false, true]);
  });

  test("a missing or huge configuration", async () => {
    await using project = await tempProject({ ".git/HEAD": "x" });
    expect(gitIsInert(project.dir)).toBe(false);
    await project.write(".git/config", `${ORDINARY}${"# x\n".repeat(100_000)}`);
    expect(gitIsInert(project.dir)).toBe(false);
  });
});

test("a worktree is judged by the configuration that it shares, and by its own", async () => {
  await using project = await tempProject({
    "main/.git/HEAD": "x",
    "main/.git/config": ORDINARY,
    "main/.git/worktrees/w/commondir": "../..\n",
    "w/a.txt": "",
  });
  await project.write("w/.git", `gitdir: ${project.path("main/.git/worktrees/w")}\n`);
  expect(gitIsInert(project.path("w"))).toBe(true);
  await project.write("main/.git/worktrees/w/config.worktree", "[core]\n\tfsmonitor = ./evil\n");
  expect(gitIsInert(project.path("w"))).toBe(false);
  await project.write("main/.git/worktrees/w/config.worktree", "");
  await project.write("main/.git/config", `${ORDINARY}[core]\n\tfsmonitor = ./evil\n`);
  expect(gitIsInert(project.path("w"))).toBe(false);
});

test("keys are read with their section in lower case and their subsection as it is", () => {
  expect(configKeys('[Remote "Or]igin"] Url = x # c\n; c\n\tfetch\n')).toEqual([
    "remote.Or]igin.url",
    "remote.Or]igin.fetch",
  ]);
});
