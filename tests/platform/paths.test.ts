import { expect, test } from "bun:test";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import {
  entryExists,
  hasNoLinks,
  isInside,
  outerGitFolders,
  realFolder,
  realPathOrSelf,
} from "../../src/platform/paths.ts";
import { tempProject } from "../support/temp-project.ts";

test("a folder is inside itself and holds only what is below it", () => {
  const pairs = [
    ["/a", "/a"],
    ["/a", "/a/b"],
    ["/a", "/ab"],
    ["/a/b", "/a"],
    ["/", "/x"],
    ["/a", "/a/..b"],
  ] as const;
  expect(pairs.map(([folder, path]) => isInside(folder, path))).toEqual([true, true, false, false, true, true]);
});

test("a path is resolved as far as it exists", async () => {
  await using project = await tempProject({ "real/a.txt": "" });
  await symlink(project.path("real"), project.path("link"));
  expect(realPathOrSelf(project.path("link/new/file"))).toBe(project.path("real/new/file"));
});

test("a link that leads nowhere is still an entry", async () => {
  await using project = await tempProject();
  await symlink("/nowhere/at/all", project.path("link"));
  expect([entryExists(project.path("link")), entryExists(project.path("other"))]).toEqual([true, false]);
});

test("a file is not a folder", async () => {
  await using project = await tempProject({ "a.txt": "" });
  expect(() => realFolder(project.path("a.txt"))).toThrow("not a folder");
});

test("a worktree's git folders are found through its .git file", async () => {
  await using project = await tempProject({
    "main/.git/worktrees/w/commondir": "../..\n",
    "w/.git": "gitdir: ../main/.git/worktrees/w\n",
  });
  await mkdir(project.path("plain"));
  expect(outerGitFolders(project.path("w"))).toEqual([
    project.path("main/.git/worktrees/w"),
    join(project.dir, "main/.git"),
  ]);
  expect(outerGitFolders(project.path("plain"))).toEqual([]);
});

test("a path has no links when neither it nor a part of it is one; what is missing is none", async () => {
  await using project = await tempProject({ "a/x": "" });
  await symlink("a", project.path("link"));
  await symlink("none", project.path("nowhere"));
  const without = ["a/x", "a", "none", "none/x"].map((name) => hasNoLinks(project.path(name)));
  const withLinks = ["link", "link/x", "link/none", "nowhere"].map((name) => hasNoLinks(project.path(name)));
  expect({ without, withLinks }).toEqual({ without: without.map(() => true), withLinks: withLinks.map(() => false) });
});
