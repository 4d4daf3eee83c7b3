import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { artifactFolder } from "../../src/platform/artifact-folder.ts";
import { tempProject } from "../support/temp-project.ts";

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

test("an artefact folder is made at its first use, for this user alone, and kept", async () => {
  await using project = await tempProject();
  const folder = artifactFolder(project.path("sessions/one"));
  expect(folder.path).toBe(project.path("sessions/one"));
  expect(existsSync(folder.path)).toBe(false);
  const file = await folder.save("result.txt", "much\n");
  expect([file, readFileSync(file, "utf8"), mode(file), mode(folder.directory)]).toEqual([
    project.path("sessions/one/result.txt"),
    "much\n",
    "600",
    "700",
  ]);
  folder.dispose();
  expect(existsSync(file)).toBe(true);
});

test("a name can't lead out of the folder", async () => {
  await using project = await tempProject();
  const folder = artifactFolder(project.path("a"));
  for (const name of ["../x.txt", "/etc/x.txt", "a/b.txt", "result-toolu_1;rm -rf.txt", "a\u0000b"]) {
    const file = await folder.save(name, "x");
    expect(file.slice(folder.path.length)).toMatch(/^\/[\w.-]+$/);
  }
});

test("an artefact folder is deleted with a session that keeps nothing", async () => {
  const folder = artifactFolder(undefined);
  const file = await folder.save("x.txt", "x");
  expect([existsSync(file), mode(folder.path)]).toEqual([true, "700"]);
  folder.dispose();
  expect(existsSync(folder.path)).toBe(false);
});

test("the path of an artifact folder has its links resolved, so that rules and reads see the same", async () => {
  await using project = await tempProject({ "real/x": "" });
  symlinkSync(project.path("real"), project.path("link"));
  expect(artifactFolder(project.path("link/session")).path).toBe(project.path("real/session"));
});
