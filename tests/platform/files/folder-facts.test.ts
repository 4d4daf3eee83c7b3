import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { folderFacts } from "../../../src/platform/files/folder-facts.ts";
import { tempProject } from "../../support/temp-project.ts";

test("a folder's files are summed up at every depth, and links are not followed", async () => {
  await using place = await tempProject({ "own/a": "12345", "own/deep/er/b": "123", big: "x".repeat(10_000) });
  symlinkSync(place.path("big"), place.path("own/link"));
  const facts = await folderFacts(place.path("own"));
  expect({ ...facts, bytes: facts.bytes < 1_000 }).toEqual({
    kind: "folder",
    isWritable: true,
    bytes: true,
    isPart: false,
  });
  expect(facts.bytes).toBeGreaterThanOrEqual(8);
});

test("a missing folder can be made where the one above it is there, and not below a file", async () => {
  await using place = await tempProject({ file: "x" });
  expect(await folderFacts(place.path("a/b/c"))).toMatchObject({ kind: "missing", isWritable: true });
  expect(await folderFacts(place.path("file/b"))).toMatchObject({ kind: "missing", isWritable: false });
  expect(await folderFacts(place.path("file"))).toMatchObject({ kind: "other", isWritable: false });
});
