import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { findGit } from "../../../../src/platform/git/find-git.ts";
import { indexFileEntries } from "../../../../src/services/checkpoint/io/git-index-file.ts";
import { ObjectStore } from "../../../../src/services/checkpoint/io/object-store.ts";
import { lazyShadowGit } from "../../../../src/services/checkpoint/io/shadow-git.ts";
import { EMPTY_TREE, type Side, Trees } from "../../../../src/services/checkpoint/io/trees.ts";
import { tempProject } from "../../../support/temp-project.ts";

const NEVER = new AbortController().signal;

/** A repository of git itself, whose trees are read and written here too. */
async function repository() {
  const project = await tempProject();
  const git = (...args: readonly string[]) =>
    execFileSync("git", [...args], { cwd: project.dir, encoding: "utf8" }).trim();
  git("init", "--quiet");
  const objects = project.path(".git/objects");
  const shadow = lazyShadowGit(findGit(process.env, []) ?? "git", project.path(".git"), { PATH: process.env["PATH"] });
  return {
    ...project,
    git,
    trees: new Trees(new ObjectStore(objects, shadow)),
    /** Does something, and stores all files. @returns the tree that git writes. */
    tree(work: (path: (name: string) => string) => void) {
      work(project.path);
      git("add", "--all");
      return git("write-tree");
    },
    entries: (paths: readonly string[]) => indexFileEntries(readFileSync(project.path(".git/index")), paths),
  };
}

const write = (path: string, content: string) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
};

/** Each changes the files that the one before left. */
const STEPS: readonly ((path: (name: string) => string) => void)[] = [
  (path) => {
    for (const name of ["a", "a-b/x", "a.c/y", "deep/er/z", `long/${"n".repeat(200)}/${"m".repeat(200)}`])
      write(path(name), name);
  },
  (path) => {
    write(path("a"), "other");
    write(path("deep/er/new"), "new");
    chmodSync(path("a-b/x"), 0o755);
    symlinkSync("a", path("link"));
  },
  (path) => {
    rmSync(path("deep"), { recursive: true });
    write(path("deep"), "a file in the place of a folder");
    rmSync(path("a"));
    write(path("a/in/it"), "a folder in the place of a file");
  },
  (path) => {
    for (const name of ["a", "a-b", "a.c", "deep", "link", "long"]) rmSync(path(name), { recursive: true });
  },
  (path) => write(path("ä/ö"), "again"),
];

test("trees are the ones that git writes, and their changes those that git lists, also when git has packed them", async () => {
  await using project = await repository();
  let before = EMPTY_TREE;
  for (const step of STEPS) {
    const after = project.tree(step);
    const listed = project.git("diff-tree", "-r", "-t", "-z", "--no-renames", "--name-only", before, after);
    const names = new Set(listed.split("\0").filter(Boolean));
    const changes = await project.trees.changes(before, after, NEVER);
    expect(new Set(changes.keys())).toEqual(names);
    const files = [...changes].filter(([, sides]) =>
      [sides.before, sides.after].some((one) => one && one.mode !== "40000"),
    );
    const entries = project.entries(files.map(([path]) => path));
    const sides = new Map<string, Side>(files.map(([path]) => [path, entries?.get(path)]));
    expect(await project.trees.withEntries(before, sides, NEVER)).toBe(after);
    for (const [path, { mode, oid }] of await project.trees.entriesAt(after, [...names, "no/such"], NEVER))
      expect(project.git("ls-tree", after, path)).toStartWith(
        `${mode.padStart(6, "0")} ${mode === "40000" ? "tree" : "blob"} ${oid}\t`,
      );
    before = after;
    project.git("update-ref", "refs/heads/kept", project.git("commit-tree", "-m", "kept", after));
    project.git("repack", "-adq");
  }
});

test("a tree that is missing is an error", async () => {
  await using project = await repository();
  expect(project.trees.changes(EMPTY_TREE, "1".repeat(40), NEVER)).rejects.toThrow("is missing");
});

test("an index of another version is left to git", async () => {
  await using project = await repository();
  project.tree((path) => write(path("a"), "a"));
  expect(project.entries(["a", "b"])?.get("a")?.mode).toBe("100644");
  project.git("update-index", "--index-version=4");
  expect(project.entries(["a"])).toBeUndefined();
});
