import { expect, test } from "bun:test";
import { appendFileSync, statSync, writeFileSync } from "node:fs";
import { decodeLatin1Line, Latin1Lines } from "../../src/platform/read-latin1-lines.ts";
import { tempProject } from "../support/temp-project.ts";

/** Longer than two reads, with a character of three bytes at each border. */
const LONG = "€".repeat(800_000);

function read(path: string, from = 0, bytes = statSync(path).size) {
  const lines: { text: string; end: number }[] = [];
  new Latin1Lines().read({ path, bytes }, from, (line, end) => lines.push({ text: decodeLatin1Line(line), end }) > 0);
  return lines;
}

test("complete lines are read with the offsets of their ends, also long ones and those with characters of several bytes", async () => {
  await using project = await tempProject();
  const path = project.path("log");
  writeFileSync(path, `first\n\n${LONG}\nä😀\nwithout an end`);
  const ends = [6, 7, 7 + 2_400_001, 7 + 2_400_001 + 7] as const;
  const found = read(path);
  expect(found.map(({ end }) => end)).toEqual([...ends]);
  expect(found.map(({ text }) => text === LONG || text)).toEqual(["first", "", true, "ä😀"]);
  expect(read(path, ends[2])).toEqual([{ text: "ä😀", end: ends[3] }]);
});

test("a file that grew is read up to the size that the caller knows, and reading ends when the visitor says so", async () => {
  await using project = await tempProject();
  const path = project.path("log");
  writeFileSync(path, "1\n2\n");
  const { size } = statSync(path);
  appendFileSync(path, "3\n");
  expect(read(path, 0, size).map(({ text }) => text)).toEqual(["1", "2"]);
  const visited: string[] = [];
  new Latin1Lines().read({ path, bytes: size }, 0, (line) => visited.push(line) === 0);
  expect(visited).toEqual(["1"]);
});
