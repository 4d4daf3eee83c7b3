import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { GITLINK, readIndex } from "../../src/platform/git-index.ts";
import { tempProject } from "../support/temp-project.ts";

const FILES = { "a.txt": "a", "deep/er/b.txt": "b", "deep/er/bb.txt": "b", [`${"l".repeat(200)}/é 日`]: "c" };
const SHA = "1".repeat(40);

function git(dir: string, ...args: readonly string[]): void {
  const done = spawnSync("git", args, { cwd: dir, env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" } });
  if (done.status !== 0) throw new Error(String(done.stderr));
}

async function repository() {
  const project = await tempProject(FILES);
  git(project.dir, "init", "-q", ".");
  git(project.dir, "add", ".");
  git(project.dir, "update-index", "--add", "--cacheinfo", `160000,${SHA},sub/repo`);
  return project;
}

describe.each([2, 3, 4])("an index of version %d", (version) => {
  test("gives each name with its mode", async () => {
    await using project = await repository();
    git(project.dir, "update-index", "--index-version", String(version));
    if (version === 3) git(project.dir, "update-index", "--skip-worktree", "a.txt");
    const names = [...Object.keys(FILES), "sub/repo"].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const entries = readIndex(project.path(".git/index"));
    expect(entries?.map(({ name }) => name)).toEqual(names);
    expect(entries?.filter(({ mode }) => mode === GITLINK).map(({ name }) => name)).toEqual(["sub/repo"]);
    expect(readIndex(project.path(".git/index"), GITLINK)).toEqual([{ mode: GITLINK, name: "sub/repo" }]);
  });

  test("cut anywhere it is none", async () => {
    await using project = await repository();
    git(project.dir, "update-index", "--index-version", String(version));
    const whole = Buffer.from(await Bun.file(project.path(".git/index")).arrayBuffer());
    const entriesEnd = whole.indexOf("sub/repo") < 0 ? whole.indexOf("repo") : whole.indexOf("sub/repo");
    for (let bytes = 1; bytes < entriesEnd; bytes += 7) {
      await Bun.write(project.path("cut"), whole.subarray(0, bytes));
      expect([bytes, readIndex(project.path("cut"))]).toEqual([bytes, undefined]);
    }
  });
});

test("no index is an empty one; what is no index, or half of one, is not known", async () => {
  await using project = await repository();
  expect(readIndex(project.path("none"))).toEqual([]);
  expect(readIndex(project.path("a.txt"))).toBeUndefined();
  git(project.dir, "update-index", "--split-index");
  expect(readIndex(project.path(".git/index"))).toBeUndefined();
});
