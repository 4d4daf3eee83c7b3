import { expect, test } from "bun:test";
import { writtenOut } from "../../../src/platform/globs/glob-braces.ts";
import { pathGlobs } from "../../../src/platform/globs/path-glob.ts";
import { pathSet } from "../../../src/services/sandbox/guarded-folders.ts";
import { tempProject } from "../../support/temp-project.ts";

test("a part is a name in the folder where it exists, and a pattern in the others", async () => {
  await using project = await tempProject({ "app/[id]/a": "", "app/i/a": "", "lib/i/a": "", "lib/d/a": "" });
  const matches = pathGlobs(["**/[id]/*"], project.dir);
  expect(["app/[id]/a", "app/i/a", "lib/i/a", "lib/d/a", "lib/x/a"].filter((path) => matches?.(path))).toEqual([
    "app/[id]/a",
    "lib/i/a",
    "lib/d/a",
  ]);
});

test.each([
  ["a.{ts,{js,mjs}}", ["a.ts", "a.js", "a.mjs"]],
  ["{a,b}{1,2}", ["a1", "a2", "b1", "b2"]],
  ["\\{a,b}", ["\\{a,b}"]],
  ["a{", ["a{"]],
  ["{}", ["{}"]],
  ["{x}", ["x"]],
])("the braces of %s are written out", (glob, written) => {
  expect(writtenOut(glob)?.toSorted()).toEqual(written.toSorted());
});

test("a glob with very many alternatives is refused", () => {
  expect(pathGlobs(["{a,b}".repeat(20)], "/")).toBeUndefined();
  expect(pathGlobs(["{a/b,c/d}/".repeat(20)], "/")).toBeUndefined();
});

test("a closed folder of the sandbox with brackets in its name is closed, as are those that the pattern stands for", async () => {
  await using project = await tempProject({ "app/[id]/a": "", "app/i/a": "", "x/(auth)/a": "" });
  const closed = pathSet([project.path("app/[id]"), project.path("x/(auth)/*")]);
  expect(closed.plain).toContain(project.path("app/[id]"));
  const paths = ["app/[id]", "app/i", "x/(auth)/a", "x/auth/a"];
  expect(paths.filter((path) => closed.matches(project.path(path)))).toEqual(paths);
});
