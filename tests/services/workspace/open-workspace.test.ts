import { expect, test } from "bun:test";
import { chmod, mkdir, symlink } from "node:fs/promises";
import { dirname } from "node:path";
import { UserFacingError } from "../../../src/contracts/errors.ts";
import { findProject, openWorkspace, projectId } from "../../../src/services/workspace/open-workspace.ts";
import { tempProject } from "../../support/temp-project.ts";

const open = (cwd: string, home = "/nowhere/home", addDirs: readonly string[] = []) =>
  openWorkspace({ cwd, home, addDirs });

function failure(work: () => unknown): { message: string; exitCode: number } {
  try {
    work();
  } catch (error) {
    if (error instanceof UserFacingError) return { message: error.message, exitCode: error.exitCode };
    throw error;
  }
  throw new Error("did not fail");
}

test("the project root is the nearest folder above with .git or .quoll", async () => {
  await using project = await tempProject({
    "repo/.git/HEAD": "",
    "repo/sub/.quoll/x": "",
    "repo/sub/deep/a": "",
    "repo/b/c": "",
  });
  expect(open(project.path("repo/sub/deep")).projectRoot).toBe(project.path("repo/sub"));
  expect(open(project.path("repo/b")).projectRoot).toBe(project.path("repo"));
});

test("a .git file marks a project too", async () => {
  await using project = await tempProject({ "w/.git": "gitdir: /x", "w/a/b": "" });
  expect(open(project.path("w/a")).projectRoot).toBe(project.path("w"));
});

test("an empty marker marks no project: the rules of folders above still apply", async () => {
  await using project = await tempProject({ "repo/.quoll/settings.json": "{}", "repo/sub/a/b": "" });
  for (const name of [".quoll", ".git", "a/.git"]) await mkdir(project.path(`repo/sub/${name}`));
  expect(open(project.path("repo/sub/a")).projectRoot).toBe(project.path("repo"));
  await project.write("repo/sub/.quoll/settings.json", "{}");
  expect(open(project.path("repo/sub/a")).projectRoot).toBe(project.path("repo/sub"));
});

test("neither the home folder nor one above it is a project root", async () => {
  await using project = await tempProject({ ".git/HEAD": "", "home/.quoll/x": "", "home/code/a": "" });
  const home = project.path("home");
  expect(open(project.path("home/code"), home).projectRoot).toBe(project.path("home/code"));
  expect(open(home, home).projectRoot).toBe(home);
});

test("the workspace is broad when it is the home folder or holds it", async () => {
  await using project = await tempProject({ "home/code/a": "", "other/b": "" });
  const home = project.path("home");
  const broad = [home, project.dir, "/"].map((cwd) => open(cwd, home).isBroad);
  const narrow = [project.path("home/code"), project.path("other")].map((cwd) => open(cwd, home).isBroad);
  expect([broad, narrow]).toEqual([
    [true, true, true],
    [false, false],
  ]);
  expect(open(project.path("other"), home, [home]).isBroad).toBe(true);
});

test("a home that is reached through a link is still the home", async () => {
  await using project = await tempProject({ "real/a": "" });
  await symlink(project.path("real"), project.path("home"));
  expect(open(project.path("real"), project.path("home")).isBroad).toBe(true);
});

test("roots are real paths, each once, and paths below them are inside", async () => {
  await using project = await tempProject({ "a/x": "", "b/y": "" });
  await symlink(project.path("b"), project.path("a/link"));
  const workspace = open(project.path("a"), "/nowhere", ["link", "../b", "."]);
  expect(workspace.roots).toEqual([project.path("a"), project.path("b")]);
  const inside = ["a/x", "b/y", "c", "ab"].map((name) => workspace.contains(project.path(name)));
  expect(inside).toEqual([true, true, false, false]);
});

test("the working folder moves inside the workspace only", async () => {
  await using project = await tempProject({ "a/sub/x": "", "b/y": "" });
  const workspace = open(project.path("a"));
  expect([workspace.moveTo(project.path("a/sub")), workspace.cwd]).toEqual([true, project.path("a/sub")]);
  expect([workspace.moveTo(project.path("b")), workspace.cwd]).toEqual([false, project.path("a/sub")]);
});

test("a missing folder, a file and a bad --add-dir are one clear line with exit code 2", async () => {
  await using project = await tempProject({ file: "" });
  expect(failure(() => open(project.path("none")))).toEqual({
    message: `The folder ${project.path("none")} does not exist: check the name, or create it first.`,
    exitCode: 2,
  });
  expect(failure(() => open(project.path("file"))).message).toContain("is not a folder");
  const { message } = failure(() => open(project.dir, "/nowhere", ["gone"]));
  for (const part of [project.path("gone"), "--add-dir", "permissions.additionalDirectories"])
    expect(message).toContain(part);
});

test.skipIf(process.getuid?.() === 0)("a folder that can't be read is one clear line", async () => {
  await using project = await tempProject();
  await mkdir(project.path("closed"), { mode: 0o000 });
  try {
    expect(failure(() => open(project.path("closed"))).message).toContain("cannot be read");
  } finally {
    await chmod(project.path("closed"), 0o700);
  }
});

test("a project's id is readable, a file name, and its own", async () => {
  await using project = await tempProject({ "My App!/a": "" });
  const { id, root, cwd, gitFolders } = findProject({ cwd: project.path("My App!"), home: "/nowhere" });
  expect(id).toMatch(/^[a-z0-9-]+-my-app-[0-9a-f]{10}$/);
  expect([root, cwd, gitFolders]).toEqual([project.path("My App!"), project.path("My App!"), []]);
  expect(projectId("/a/b-c")).not.toBe(projectId("/a-b/c"));
  expect(projectId("/")).toMatch(/^root-[0-9a-f]{10}$/);
  expect(projectId("/日本/語")).toMatch(/^root-[0-9a-f]{10}$/);
  expect(projectId(`/x/${"long".repeat(50)}`).length).toBeLessThanOrEqual(51);
  expect(dirname(id)).toBe(".");
});
