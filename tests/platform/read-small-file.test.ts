import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { gitBranch } from "../../src/platform/git/find-ref.ts";
import { outerGitFolders } from "../../src/platform/paths.ts";
import { readFirstLine, readSmallFile } from "../../src/platform/read-small-file.ts";
import { tempProject } from "../support/temp-project.ts";

test("a file is read whole up to its limit, and through a link", async () => {
  await using project = await tempProject({ a: " first \nsecond\n" });
  symlinkSync(project.path("a"), project.path("link"));
  expect(readSmallFile(project.path("link"), 15)).toBe(" first \nsecond\n");
  expect(readSmallFile(project.path("a"), 14)).toBeUndefined();
  expect(readFirstLine(project.path("a"))).toBe("first");
  expect(readSmallFile(project.path("missing"), 9)).toBeUndefined();
  expect(readSmallFile(project.dir, 9)).toBeUndefined();
});

test("a FIFO in the place of a file is not waited for, whoever reads it", async () => {
  await using project = await tempProject({ "b/.git/x": "" });
  for (const name of [".git", "b/.git/HEAD", "AGENTS.md"]) spawnSync("mkfifo", [project.path(name)]);
  expect(readSmallFile(project.path(".git"), 9)).toBeUndefined();
  expect(outerGitFolders(project.dir)).toEqual([]);
  expect(gitBranch(project.path("b"))).toBeUndefined();
});
