import { expect, test } from "bun:test";
import { CHUNK_BYTES } from "../../src/platform/read-byte-lines.ts";
import { listFiles, readHead, readLines } from "../../src/platform/read-chunks.ts";
import { tempProject } from "../support/temp-project.ts";

test("lines keep their offsets, and the last one says whether it is whole", async () => {
  await using project = await tempProject({ a: "eins\nzwöi\n\ndr", b: "x\n", empty: "" });
  expect([...readLines(project.path("a"))]).toEqual([
    { text: "eins", offset: 0, end: 5, complete: true },
    { text: "zwöi", offset: 5, end: 11, complete: true },
    { text: "", offset: 11, end: 12, complete: true },
    { text: "dr", offset: 12, end: 14, complete: false },
  ]);
  expect([...readLines(project.path("b"))]).toEqual([{ text: "x", offset: 0, end: 2, complete: true }]);
  expect([...readLines(project.path("empty"))]).toEqual([]);
});

test("a line over several chunks, with characters cut by their borders, comes whole", async () => {
  const long = `a${"ü€😀".repeat(CHUNK_BYTES / 4)}`;
  await using project = await tempProject({ big: `${long}\nend\n` });
  const lines = [...readLines(project.path("big"))].map(({ text }) => text);
  expect(lines[0] === long).toBe(true);
  expect(lines[1]).toBe("end");
});

test("the head of a file ends before a cut character", async () => {
  await using project = await tempProject({ a: "abü" });
  expect([readHead(project.path("a"), 3), readHead(project.path("a"), 99)]).toEqual(["ab", "abü"]);
});

test("files are listed by their ending; a missing folder has none", async () => {
  await using project = await tempProject({ "a.x": "1", "b.y": "1", "c.x/d": "1" });
  expect(listFiles(project.dir, ".x").map(({ name, bytes }) => [name, bytes])).toEqual([["a.x", 1]]);
  expect(listFiles(project.path("none"), ".x")).toEqual([]);
});

test("lines are read from a place on, with their offsets in the file", async () => {
  await using project = await tempProject({ log: "one\nzwö\nthree" });
  expect([...readLines(project.path("log"), 4)]).toEqual([
    { text: "zwö", offset: 4, end: 9, complete: true },
    { text: "three", offset: 9, end: 14, complete: false },
  ]);
  expect([...readLines(project.path("log"), 14)]).toEqual([]);
});
