import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync } from "node:fs";
import { findGit } from "../../../src/platform/git/find-git.ts";
import { findRepository } from "../../../src/platform/git/repository.ts";
import { WorktreeGit } from "../../../src/services/worktree/io/worktree-git.ts";
import { treeChanges } from "../../../src/services/worktree/tree-changes.ts";
import { never, worktreePlace } from "./worktree-fixture.ts";

setDefaultTimeout(20_000);

test("a work tree without changes has no files and no notes; a file of which only the mode changed is named", async () => {
  await using place = await worktreePlace();
  const { dir } = place.project;
  const repository = findRepository(dir);
  const program = findGit(place.environment, [dir]);
  if (!repository || program === undefined) throw new Error("There is no repository.");
  const git = new WorktreeGit({ program, environment: place.environment, isTrusted: true }, repository);
  expect(await treeChanges(git, dir, never)).toEqual({ files: [], notes: [] });
  chmodSync(place.project.path("a.txt"), 0o755);
  expect(await treeChanges(git, dir, never)).toEqual({ files: [], notes: ["1 file without a text to compare: a.txt"] });
});
