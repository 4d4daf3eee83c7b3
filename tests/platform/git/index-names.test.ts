import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findGitRepository } from "../../../src/platform/git/find-repository.ts";
import { GITLINK, indexNames, parseIndex } from "../../../src/platform/git/index-names.ts";
import { tempProject } from "../../support/temp-project.ts";

const NAMES = ["a", "a.b/c", "dir/deep/er/file.txt", "dir/deep/er/file2.txt", "dir/é ü.txt", `${"x".repeat(200)}/y`];

async function repository(...settings: readonly string[]) {
  const project = await tempProject(Object.fromEntries(NAMES.map((name) => [name, `${name}\n`])));
  const git = (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync(["git", ...args], {
      cwd: project.dir,
      env: { PATH: process.env["PATH"] ?? "", HOME: project.dir, GIT_CONFIG_NOSYSTEM: "1" },
    });
    if (exitCode !== 0) throw new Error(stderr.toString());
    return stdout.toString();
  };
  git("init", "-q", ...settings);
  git("config", "core.quotepath", "false");
  return { ...project, git };
}

describe("the names in an index", () => {
  test.each(["2", "3", "4"])("of version %s are those that git lists, with their objects", async (version) => {
    await using project = await repository();
    project.git("add", ...NAMES);
    // An entry that is only to be added needs version 3.
    if (version === "3") {
      writeFileSync(project.path("later"), "x");
      project.git("add", "-N", "later");
    } else project.git("update-index", "--index-version", version);
    const listed = project
      .git("ls-files", "-z", "--stage")
      .split("\0")
      .filter((line) => line !== "")
      .map((line) => {
        const [, object = "", , path = ""] = /^\d+ (\w+) (\d)\t([\s\S]+)$/.exec(line) ?? [];
        return { path, object };
      });
    const gitDir = join(project.dir, ".git");
    expect(readFileSync(join(gitDir, "index")).readUInt32BE(4)).toBe(Number(version));
    const names = indexNames(gitDir);
    expect(names?.map(({ path, object }) => ({ path, object }))).toEqual(listed);
    expect(names?.filter(({ isUnsettled }) => isUnsettled).map(({ path }) => path)).toEqual(
      version === "3" ? ["later"] : [],
    );
    expect(names?.find(({ path }) => path === "a")?.size).toBe(2);
  });

  test.each(["2", "3", "4"])("of version %s and one mode are those alone", async (version) => {
    await using project = await repository();
    project.git("add", ...NAMES);
    project.git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},dir/repo`);
    project.git("update-index", "--index-version", version);
    if (version === "3") project.git("update-index", "--skip-worktree", "a");
    const gitDir = join(project.dir, ".git");
    expect(indexNames(gitDir, GITLINK)?.map(({ path, mode }) => [path, mode])).toEqual([["dir/repo", GITLINK]]);
    expect(indexNames(gitDir)?.filter(({ mode }) => mode !== GITLINK)).toHaveLength(NAMES.length);
  });

  test("of a repository without files are none", async () => {
    await using project = await repository();
    expect(indexNames(join(project.dir, ".git"))).toEqual([]);
  });

  test.each([
    ["split", (git: (...args: string[]) => unknown) => git("update-index", "--split-index")],
    [
      "sparse",
      (git: (...args: string[]) => unknown) => git("sparse-checkout", "set", "--cone", "--sparse-index", "a.b"),
    ],
  ])("of a %s index are not known", async (_, change) => {
    await using project = await repository();
    project.git("add", ...NAMES);
    project.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "x");
    change(project.git);
    expect(indexNames(join(project.dir, ".git"))).toBeUndefined();
  });

  test("of another hash are not known", async () => {
    await using project = await repository("--object-format=sha256");
    project.git("add", "a", "a.b/c");
    expect(indexNames(join(project.dir, ".git"))).toBeUndefined();
  });

  test("of a damaged index are not known, wherever it is cut", async () => {
    await using project = await repository();
    project.git("add", "a", "a.b/c");
    const bytes = readFileSync(project.path(".git/index"));
    for (let length = 0; length < bytes.length; length += 1)
      expect([length, parseIndex(bytes.subarray(0, length))]).toEqual([length, undefined]);
    writeFileSync(project.path(".git/index"), "DIRC rubbish of some length that is no index at all");
    expect(indexNames(project.path(".git"))).toBeUndefined();
  });
});

test("a repository is found upwards, also through a file that names its folder", async () => {
  await using project = await repository();
  expect(findGitRepository(project.path("dir/deep"))).toEqual({ workTree: project.dir, gitDir: project.path(".git") });
  writeFileSync(project.path("a.b/.git"), "gitdir: ../.git\n");
  expect(findGitRepository(project.path("a.b"))).toEqual({
    workTree: project.path("a.b"),
    gitDir: project.path(".git"),
  });
  expect(findGitRepository("/")).toBeUndefined();
});
