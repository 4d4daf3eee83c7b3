import { expect, test } from "bun:test";
import { rm, symlink, utimes } from "node:fs/promises";
import type { ContentFolder } from "../../../src/contracts/content-folder.ts";
import { ContentFiles } from "../../../src/platform/files/content-files.ts";
import { readSmallFile } from "../../../src/platform/read-small-file.ts";
import { tempProject } from "../../support/temp-project.ts";

/** The files of folders, and the names of those that were read, in order. */
function listing(folders: readonly ContentFolder<"agent">[], maxFiles = 10) {
  const reads: string[] = [];
  const files = new ContentFiles(
    () => folders,
    async ({ path, name }: { readonly path: string; readonly name: string }) => {
      reads.push(name);
      return readSmallFile(path, 100);
    },
    maxFiles,
  );
  return { files, reads, values: () => files.all.map(({ file: { name }, value }) => [name, value]) };
}

const agents = (folder: string, more: Partial<ContentFolder<"agent">> = {}): ContentFolder<"agent"> => ({
  ...{ folder, format: "agent", origin: "project" },
  ...more,
});

test("only a changed file is read again, also one that kept its size and its time", async () => {
  await using place = await tempProject({ "a.md": "1", "b.md": "1", "deep/c.md": "1", "note.txt": "no" });
  const { files, reads, values } = listing([agents(place.dir)]);
  const now = new Date();
  await utimes(place.path("b.md"), now, now);
  expect(await files.refresh()).toBe(true);
  expect(await files.refresh()).toBe(false);
  expect(reads.splice(0)).toEqual(["a", "b", "deep:c"]);
  await place.write("b.md", "2");
  await utimes(place.path("b.md"), now, now);
  expect(await files.refresh()).toBe(true);
  expect(reads.splice(0)).toEqual(["b"]);
  await rm(place.path("a.md"));
  expect(await files.refresh()).toBe(true);
  expect(reads).toEqual([]);
  expect(values()).toEqual([
    ["b", "2"],
    ["deep:c", "1"],
  ]);
});

test("a file that links make part of two folders counts once, and one outside of its folder's bounds not at all", async () => {
  await using place = await tempProject({ "one/a.md": "a", "secret.md": "s" });
  await symlink(place.path("one"), place.path("two"));
  await symlink(place.path("secret.md"), place.path("one/b.md"));
  const within = place.path("one");
  const { files, values } = listing([agents(place.path("one"), { within }), agents(place.path("two"), { within })]);
  await files.refresh();
  expect(values()).toEqual([["a", "a"]]);
});

test("files beyond the limit of all folders have no effect", async () => {
  await using place = await tempProject({ "one/a.md": "a", "one/b.md": "b", "two/c.md": "c" });
  const { files, values } = listing([agents(place.path("one")), agents(place.path("two"))], 2);
  await files.refresh();
  expect(values().map(([name]) => name)).toEqual(["a", "b"]);
  expect(await files.refresh()).toBe(false);
});
