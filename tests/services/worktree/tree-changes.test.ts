import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, rmSync } from "node:fs";
import iconv from "iconv-lite";
import { findGit } from "../../../src/platform/git/find-git.ts";
import { findRepository } from "../../../src/platform/git/repository.ts";
import { WorktreeGit } from "../../../src/services/worktree/io/worktree-git.ts";
import { treeChanges } from "../../../src/services/worktree/tree-changes.ts";
import { never, worktreePlace } from "./worktree-fixture.ts";

setDefaultTimeout(60_000);

const TABLE = [
  "id,name,price",
  "1,りんご,120",
  "2,みかん,80",
  "3,商品一覧の表示,200",
  "4,カタカナの名前と漢字",
  "",
].join("\r\n");
const sjis = (text: string) => iconv.encode(text, "Shift_JIS");

test("new and changed files in Shift_JIS are shown as their letters, beside files in UTF-8", async () => {
  await using place = await worktreePlace();
  const { dir } = place.project;
  await place.project.write("old.csv", sjis(TABLE));
  await place.project.write("gone.csv", sjis(TABLE));
  place.git(dir, "add", ".");
  place.git(dir, "commit", "-qm", "tables");
  await place.project.write("old.csv", sjis(TABLE.replace("りんご", "ぶどう")));
  await place.project.write("表.csv", sjis(TABLE));
  await place.project.write("a.txt", "größer\n");
  rmSync(place.project.path("gone.csv"));
  const repository = findRepository(dir);
  const program = findGit(place.environment, [dir]);
  if (!repository || program === undefined) throw new Error("There is no repository.");
  const git = new WorktreeGit({ program, environment: place.environment, isTrusted: true }, repository);
  const { files } = await treeChanges(git, dir, never);
  const shown = new Map(files.map(({ path, hunks }) => [path, JSON.stringify(hunks)]));
  expect([...shown.keys()].sort()).toEqual(["a.txt", "gone.csv", "old.csv", "表.csv"]);
  expect([...shown.values()].filter((text) => text.includes("\ufffd"))).toEqual([]);
  expect(shown.get("表.csv")).toContain("商品一覧の表示");
  expect(shown.get("gone.csv")).toContain("商品一覧の表示");
  expect(shown.get("old.csv")).toMatch(/りんご.*ぶどう/);
  expect(shown.get("a.txt")).toContain("größer");
});

test("a work tree without changes has no files and no notes; a file of which only the mode changed is named", async () => {
  await using place = await worktreePlace();
  const { dir } = place.project;
  const repository = findRepository(dir);
  const program = findGit(place.environment, [dir]);
  if (!repository || program === undefined) throw new Error("There is no repository.");
  const git = new WorktreeGit({ program, environment: place.environment, isTrusted: true }, repository);
  expect(await treeChanges(git, dir, never)).toEqual({ files: [], notes: [] });
  chmodSync(place.project.path("a.txt"), 0o755);
  expect(await treeChanges(git, dir, never)).toEqual({ files: [], notes: ["1 file with other permissions: a.txt"] });
});

test("empty files are named and have no lines, tracked or not; binary files have no text", async () => {
  await using place = await worktreePlace();
  const { dir } = place.project;
  await place.project.write("gone.txt", "");
  place.git(dir, "add", ".");
  place.git(dir, "commit", "-qm", "empty");
  rmSync(place.project.path("gone.txt"));
  await place.project.write("added.txt", "");
  await place.project.write("picture", "\u0000");
  place.git(dir, "add", ".");
  await place.project.write("new.txt", "");
  await place.project.write("line.txt", "\n");
  const repository = findRepository(dir);
  const program = findGit(place.environment, [dir]);
  if (!repository || program === undefined) throw new Error("There is no repository.");
  const git = new WorktreeGit({ program, environment: place.environment, isTrusted: true }, repository);
  const { files, notes } = await treeChanges(git, dir, never);
  expect(files.map(({ path, added }) => [path, added])).toEqual([["line.txt", 1]]);
  expect(notes).toEqual([
    "2 new files are empty: added.txt, new.txt",
    "1 deleted file was empty: gone.txt",
    "1 file without a text to compare: picture",
  ]);
});
