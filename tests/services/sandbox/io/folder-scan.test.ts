import { expect, test } from "bun:test";
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { FolderScan } from "../../../../src/services/sandbox/io/folder-scan.ts";
import { restoreLink, watchLink } from "../../../../src/services/sandbox/io/link-watch.ts";

import { tempProject } from "../../../support/temp-project.ts";

const wanted = (name: string) => name === "X" || name === ".git";

test("a scan finds names at every depth, nearest first, and goes round what tools make", async () => {
  await using project = await tempProject({
    "a/b/X": "1",
    X: "1",
    "node_modules/m/X": "1",
    "a/.git/X": "1",
    "c/other": "1",
  });
  symlinkSync(project.path("a"), project.path("link"));
  const found = new FolderScan(project.dir, wanted).look();
  expect(found).toEqual([
    { path: project.path("X"), name: "X", kind: "file", depth: 0 },
    { path: project.path("a/.git"), name: ".git", kind: "folder", depth: 1 },
    { path: project.path("a/b/X"), name: "X", kind: "file", depth: 2 },
  ]);
});

test("a second look sees what was made and removed since, in old folders and in new ones", async () => {
  await using project = await tempProject({ "a/X": "1", "b/y": "1" });
  const scan = new FolderScan(project.dir, wanted);
  for (const name of ["", "a", "b"]) utimesSync(project.path(name), 1, 1);
  expect(scan.look().map(({ path }) => path)).toEqual([project.path("a/X")]);
  rmSync(project.path("a/X"));
  mkdirSync(project.path("b/new"));
  writeFileSync(project.path("b/new/X"), "1");
  expect(scan.look().map(({ path }) => path)).toEqual([project.path("b/new/X")]);
});

test("below what tools make only the next level is asked for repositories, at every look anew", async () => {
  await using project = await tempProject({
    "vendor/X": "1",
    "vendor/lib/deep/X": "1",
    "vendor/lib/X": "1",
    "build/y": "",
  });
  const scan = new FolderScan(project.dir, wanted);
  for (const name of ["", "vendor", "vendor/lib", "build"]) utimesSync(project.path(name), 1, 1);
  expect(scan.look().map(({ path }) => path)).toEqual([project.path("vendor/X")]);
  mkdirSync(project.path("vendor/lib/.git"));
  expect(scan.look()).toEqual([
    { path: project.path("vendor/X"), name: "X", kind: "file", depth: 1 },
    { path: project.path("vendor/lib/.git"), name: ".git", kind: "folder", depth: 2 },
  ]);
});

test("no number of new folders pushes out those that were looked into before", async () => {
  await using project = await tempProject({ "z/deep/X": "1" });
  const scan = new FolderScan(project.dir, wanted);
  expect(scan.look().map(({ path }) => path)).toEqual([project.path("z/deep/X")]);
  for (let number = 0; number < 1_100; number += 1) mkdirSync(project.path(`a${number}`));
  writeFileSync(project.path("a7/X"), "1");
  const paths = scan.look().map(({ path }) => path);
  expect(paths).toContain(project.path("z/deep/X"));
  expect(paths).toContain(project.path("a7/X"));
});

test("a folder that is very deep, and one that can't be read, end the scan and not the program", async () => {
  const deep = `${"d/".repeat(12)}X`;
  await using project = await tempProject({ [deep]: "1", "a/X": "1" });
  expect(new FolderScan(project.dir, wanted).look().map(({ path }) => path)).toEqual([project.path("a/X")]);
  expect(new FolderScan(project.path("missing"), wanted).look()).toEqual([]);
});

test("a link that was changed is put back, and what took its place is kept beside it", async () => {
  await using project = await tempProject({ target: "mine" });
  const path = project.path("link");
  symlinkSync("target", path);
  const watched = watchLink(path);
  if (!watched) throw new Error("No link was seen.");
  expect(restoreLink(watched)).toBe("untouched");
  rmSync(path);
  writeFileSync(path, "other");
  expect(restoreLink(watched)).toBe("put back");
  expect(await project.read("link")).toBe("mine");
  const [kept] = [...new Bun.Glob("link.changed-in-sandbox-*").scanSync({ cwd: dirname(path) })];
  expect(await project.read(kept ?? "")).toBe("other");
  rmSync(path);
  expect(restoreLink(watched)).toBe("put back");
  expect(watchLink(project.path("target"))).toBeUndefined();
});
