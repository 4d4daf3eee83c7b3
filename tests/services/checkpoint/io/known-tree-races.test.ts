import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deepTest } from "../../../support/deep.ts";
import { treeViews } from "./tree-views.ts";

const NEVER = new AbortController().signal;
const FILES = { "work/a": "a\n", "work/src/f": "f\n", "work/src/sub/g": "g\n" };

type Views = Awaited<ReturnType<typeof treeViews>>;

/** Both views must find the same; @returns the names of the files. */
async function agreed({ known, asked, listed }: Views): Promise<readonly string[]> {
  const [one, other] = [await known.state(NEVER), await asked.state(NEVER)];
  expect(await listed(one.tree)).toBe(await listed(other.tree));
  const names = (await listed(one.tree)).matchAll(/ blob .*\t(.*)/g);
  return [...names].map(([, name = ""]) => name);
}

/** Git looks; then one view looks again, without git. */
async function look({ known, asked }: Views): Promise<void> {
  await Promise.all([asked.state(NEVER), known.state(NEVER)]);
  await known.state(NEVER);
}

deepTest("a file that comes while git looks is found by the next look", async () => {
  const views = await treeViews({ "work/a": "a\n" });
  await using _ = views.project;
  views.afterGit("--others", () => writeFileSync(join(views.top, "late"), "late\n"));
  await views.known.state(NEVER);
  expect(await agreed(views)).toEqual(["a", "late"]);
});

test("a folder that moves right after git's look is found where it is now, with all that is in it", async () => {
  const views = await treeViews(FILES);
  await using _ = views.project;
  await views.old("", "src", "src/sub");
  views.afterGit("--stage", () => renameSync(join(views.top, "src"), join(views.top, "lib")));
  await views.known.state(NEVER);
  expect(await agreed(views)).toEqual(["a", "lib/f", "lib/sub/g"]);
});

test("files of a folder that a link takes the place of are gone", async () => {
  const views = await treeViews(FILES);
  await using _ = views.project;
  await views.old("", "src", "src/sub");
  await look(views);
  renameSync(join(views.top, "src"), join(views.top, "real"));
  symlinkSync("real", join(views.top, "src"));
  expect(await agreed(views)).toEqual(["a", "real/f", "real/sub/g", "src"]);
});

deepTest("many files of a folder that a link takes the place of need few runs of git", async () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`work/src/f${at}`, `${at}\n`]));
  const views = await treeViews(many, { limits: { maxKnown: 10 } });
  await using _ = views.project;
  await views.known.state(NEVER);
  renameSync(join(views.top, "src"), join(views.top, "real"));
  symlinkSync("real", join(views.top, "src"));
  const before = views.runs.length;
  await views.known.state(NEVER);
  expect(views.runs.length - before).toBeLessThan(10);
});

deepTest("a file that is deleted and written again around a look is part of the next state", async () => {
  const views = await treeViews({ "work/a": "a\n", "work/b": "b\n" });
  await using _ = views.project;
  await look(views);
  writeFileSync(join(views.top, "new"), "new\n");
  writeFileSync(join(views.top, "b"), "changed\n");
  views.afterGit("--cached", () => rmSync(join(views.top, "b")));
  await views.known.state(NEVER);
  writeFileSync(join(views.top, "b"), "again\n");
  expect(await agreed(views)).toEqual(["a", "b", "new"]);
});

test("rules that ignore themselves count until they are gone", async () => {
  const views = await treeViews({ "work/a": "a\n", "work/dist/x": "x\n" });
  await using _ = views.project;
  await look(views);
  writeFileSync(join(views.top, "dist/.gitignore"), "*\n");
  writeFileSync(join(views.top, "dist/y"), "y\n");
  expect(await agreed(views)).toEqual(["a", "dist/x"]);
  await views.old("dist", "dist/.gitignore", "dist/y");
  await look(views);
  rmSync(join(views.top, "dist/.gitignore"));
  expect(await agreed(views)).toEqual(["a", "dist/x", "dist/y"]);
});

deepTest("a file that was too large and shrinks right after git's look is part of the next state", async () => {
  const views = await treeViews(
    { "work/a": "a\n", "work/big": "b".repeat(2_000) },
    { limits: { maxFileBytes: 1_000 } },
  );
  await using _ = views.project;
  await views.old("", "big");
  views.afterGit("--stage", () => truncateSync(join(views.top, "big"), 3));
  await views.known.state(NEVER);
  expect(await agreed(views)).toEqual(["a", "big"]);
});

test.each([
  ["many bytes", 6, 1_000_000],
  ["many files", 300, 1],
])("new files with %s are left to git", async (_name, files, bytes) => {
  const views = await treeViews({ "work/a": "a\n" });
  await using _ = views.project;
  await look(views);
  mkdirSync(join(views.top, "new"));
  for (let at = 0; at < files; at += 1) writeFileSync(join(views.top, "new", `${at}`), Buffer.alloc(bytes, at));
  views.runs.length = 0;
  expect(await agreed(views)).toHaveLength(files + 1);
  expect(views.runs).toContain("write-tree");
});

deepTest("a folder of which the rules ignore all that is in it is watched for the end of these rules", async () => {
  const views = await treeViews({ "work/a": "a\n", "work/cache/.gitignore": "*\n", "work/cache/x": "x\n" });
  await using _ = views.project;
  await views.old("", "cache", "cache/.gitignore");
  await look(views);
  rmSync(join(views.top, "cache/.gitignore"));
  expect(await agreed(views)).toEqual(["a", "cache/x"]);
});

deepTest("old rules that ignore themselves need no second look of git after a change beside them", async () => {
  const views = await treeViews({ "work/a": "a\n", "work/cache/.gitignore": "*\n", "work/cache/x": "x\n" });
  await using _ = views.project;
  await views.old("cache", "cache/.gitignore");
  writeFileSync(join(views.top, "b"), "b\n");
  await views.known.state(NEVER);
  views.runs.length = 0;
  expect(await agreed(views)).toEqual(["a", "b"]);
  expect(views.runs).not.toContain("diff-files");
});

test("a file in the place of a folder with rules, or with a repository, is part of the next state", async () => {
  const views = await treeViews({ "work/a": "a\n", "work/cache/.gitignore": "*\n", "work/vendor/lib/x": "x\n" });
  await using _ = views.project;
  execFileSync("git", ["init", "-q", join(views.top, "vendor/lib")]);
  for (const folder of ["cache", "vendor"]) {
    await look(views);
    rmSync(join(views.top, folder), { recursive: true });
    writeFileSync(join(views.top, folder), "a file\n");
    expect(await agreed(views)).toContain(folder);
  }
});
