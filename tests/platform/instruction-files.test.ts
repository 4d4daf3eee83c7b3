import { expect, test } from "bun:test";
import { chmod, mkdir, truncate } from "node:fs/promises";
import { nearestInstructionFile } from "../../src/platform/instruction-files.ts";
import { tempProject } from "../support/temp-project.ts";

test("the nearest one counts, AGENTS.md before CLAUDE.md, an empty one not at all", async () => {
  await using project = await tempProject({
    "AGENTS.md": "top\n",
    "CLAUDE.md": "top of another\n",
    "a/CLAUDE.md": "a\n",
    "a/b/AGENTS.md": " \n",
    "c/x": "",
  });
  const nearest = (folder: string) => nearestInstructionFile(project.path(folder), project.dir);
  expect([nearest("."), nearest("a/b"), nearest("c")]).toEqual([
    { path: project.path("AGENTS.md"), text: "top\n" },
    { path: project.path("a/CLAUDE.md"), text: "a\n" },
    { path: project.path("AGENTS.md"), text: "top\n" },
  ] as never);
});

test("nothing above the top is looked at", async () => {
  await using project = await tempProject({ "AGENTS.md": "outside\n", "repo/src/x": "" });
  expect(nearestInstructionFile(project.path("repo/src"), project.path("repo"))).toBeUndefined();
});

test("a folder of that name, one that is too large and one that can't be read are passed over", async () => {
  await using project = await tempProject({ "CLAUDE.md": "this one\n", "big/AGENTS.md": "x", "closed/AGENTS.md": "x" });
  await mkdir(project.path("AGENTS.md"));
  await truncate(project.path("big/AGENTS.md"), 5 * 1024 * 1024);
  await chmod(project.path("closed/AGENTS.md"), 0o000);
  const wanted = { path: project.path("CLAUDE.md"), text: "this one\n" };
  expect(nearestInstructionFile(project.dir, project.dir)).toEqual(wanted);
  expect(nearestInstructionFile(project.path("big"), project.dir)).toEqual(wanted);
  // Root reads every file.
  if (process.getuid?.() !== 0) expect(nearestInstructionFile(project.path("closed"), project.dir)).toEqual(wanted);
});
