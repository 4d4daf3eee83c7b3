import { expect, test } from "bun:test";
import { memoryRoot } from "../../../../src/services/context/memory/memory-folder.ts";
import { runCommand } from "../../../support/run-command.ts";
import { tempProject } from "../../../support/temp-project.ts";

const git = async (cwd: string, ...args: readonly string[]) => {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
  const { code, err } = await runCommand(["git", ...identity, ...args], { cwd });
  if (code !== 0) throw new Error(err);
};

async function repository() {
  const place = await tempProject({ "repo/a.txt": "a\n", "other/b.txt": "b\n" });
  const repo = place.path("repo");
  await git(repo, "init", "-q");
  await git(repo, "add", ".");
  await git(repo, "commit", "-qm", "first");
  return { place, repo };
}

test("every worktree of a repository shares the memory of the repository's own folder", async () => {
  const { place, repo } = await repository();
  await using _ = place;
  await git(repo, "worktree", "add", "-q", place.path("tree"));
  expect(memoryRoot(repo)).toBe(repo);
  expect(memoryRoot(place.path("tree"))).toBe(repo);
});

test("a folder without git has a memory of its own", async () => {
  await using place = await tempProject({ "a/b.txt": "" });
  expect(memoryRoot(place.path("a"))).toBe(place.path("a"));
});

test("a .git file that names a repository which does not know the folder gets none of its memory", async () => {
  const { place, repo } = await repository();
  await using _ = place;
  await git(repo, "worktree", "add", "-q", place.path("tree"));
  for (const pointer of [`${repo}/.git`, `${repo}/.git/worktrees/tree`]) {
    await place.write("other/.git", `gitdir: ${pointer}\n`);
    expect(memoryRoot(place.path("other"))).toBe(place.path("other"));
  }
  // A folder that brings a whole set of pointers of its own still can't put itself into the other repository.
  await place.write("other/own/worktrees/x/commondir", `${repo}/.git\n`);
  await place.write("other/own/worktrees/x/gitdir", `${place.path("other")}/.git\n`);
  await place.write("other/.git", `gitdir: ${place.path("other/own/worktrees/x")}\n`);
  expect(memoryRoot(place.path("other"))).toBe(place.path("other"));
});
