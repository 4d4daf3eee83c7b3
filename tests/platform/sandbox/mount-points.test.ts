import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ToolFailedError } from "../../../src/contracts/errors.ts";
import {
  type MountPoint,
  MountPoints,
  makeScratch,
  removeScratch,
} from "../../../src/platform/sandbox/mount-points.ts";
import { tempProject } from "../../support/temp-project.ts";

async function mountPlace() {
  const project = await tempProject({ "keep.txt": "x" });
  const records = project.path("records");
  const folder: MountPoint = { path: project.path("folder"), kind: "folder" };
  const file: MountPoint = { path: project.path("file"), kind: "file" };
  const filled: MountPoint = { path: project.path("filled"), kind: "file", content: ".\n" };
  return {
    ...project,
    records,
    all: [folder, file, filled],
    names: () =>
      readdirSync(project.dir)
        .filter((name) => name !== "records")
        .sort(),
    points: (scratch = "") => new MountPoints(records, scratch),
    recordFiles: () => readdirSync(records).filter((name) => name.endsWith(".json")),
  };
}

test("what is missing is made, and gone when it is given back", async () => {
  await using place = await mountPlace();
  const lease = await place.points().acquire(() => place.all);
  expect(lease.held.map(({ path }) => path)).toEqual(place.all.map(({ path }) => path));
  expect(place.names()).toEqual(["filled", "file", "folder", "keep.txt"].sort());
  expect(await place.read("filled")).toBe(".\n");
  expect(statSync(place.path("folder")).isDirectory()).toBe(true);
  await lease.release();
  expect(place.names()).toEqual(["keep.txt"]);
  expect(place.recordFiles()).toEqual([]);
});

test("what is there already is left alone and not held", async () => {
  await using place = await mountPlace();
  const point = { path: place.path("keep.txt"), kind: "file" } as const;
  const lease = await place.points().acquire(() => [point]);
  expect(lease.held).toEqual([]);
  await lease.release();
  expect(await place.read("keep.txt")).toBe("x");
});

test("two that run at once share a mount point; the last one removes it", async () => {
  await using place = await mountPlace();
  const points = place.points();
  const first = await points.acquire(() => place.all);
  const second = await points.acquire(() => place.all);
  await first.release();
  await first.release();
  expect(place.names()).toHaveLength(4);
  await second.release();
  expect(place.names()).toEqual(["keep.txt"]);
});

test("so do two Quolls, and the second is told what is there only because of the first", async () => {
  await using place = await mountPlace();
  const [mine, other] = [place.points(), place.points()];
  const first = await mine.acquire(() => place.all);
  let made: readonly string[] = [];
  const second = await other.acquire((paths) => {
    made = [...paths];
    return place.all;
  });
  expect(made.toSorted()).toEqual(place.all.map(({ path }) => path).toSorted());
  expect(second.held).toHaveLength(3);
  await first.release();
  expect(place.names()).toHaveLength(4);
  await second.release();
  expect(place.names()).toEqual(["keep.txt"]);
});

test("what the user wrote meanwhile stays: into a folder, into a file, or in the place of one", async () => {
  await using place = await mountPlace();
  const more = { path: place.path("replaced"), kind: "file" } as const;
  const lease = await place.points().acquire(() => [...place.all, more]);
  writeFileSync(place.path("folder/inner"), "mine");
  writeFileSync(place.path("file"), "mine");
  writeFileSync(place.path("filled"), "x\n");
  writeFileSync(place.path("new"), "");
  renameSync(place.path("new"), place.path("replaced"));
  await lease.release();
  expect(place.names()).toEqual(["file", "filled", "folder", "keep.txt", "replaced"]);
  expect(await place.read("file")).toBe("mine");
  expect(await place.read("filled")).toBe("x\n");
  expect(await place.read("folder/inner")).toBe("mine");
});

test("what the user has filled is no mount point any more for the next one", async () => {
  await using place = await mountPlace();
  const points = place.points();
  const lease = await points.acquire(() => place.all);
  writeFileSync(place.path("file"), "mine");
  let made: ReadonlySet<string> = new Set();
  const next = await points.acquire((paths) => {
    made = paths;
    return [];
  });
  expect(made.has(place.path("file"))).toBe(false);
  expect(made.has(place.path("folder"))).toBe(true);
  await next.release();
  await lease.release();
});

test("one that can't be made leaves none behind, and says so", async () => {
  await using place = await mountPlace();
  const impossible = { path: place.path("no/such/folder/x"), kind: "file" } as const;
  const attempt = place.points().acquire(() => [...place.all, impossible]);
  expect(attempt).rejects.toThrow(ToolFailedError);
  await attempt.catch(() => undefined);
  expect(place.names()).toEqual(["keep.txt"]);
  expect(place.recordFiles()).toEqual([]);
});

test("records that can't be written are an error in one line, and nothing is made", async () => {
  await using place = await mountPlace();
  writeFileSync(place.records, "a file where the folder would be");
  const attempt = place.points().acquire(() => place.all);
  expect(attempt).rejects.toThrow(/^The sandbox keeps a record of its mount points in \S+, which can't be written/);
  await attempt.catch(() => undefined);
  expect(place.names()).toEqual(["keep.txt"]);
});

const CRASHER = `
import { MountPoints, makeScratch } from "${resolve(import.meta.dir, "../../../src/platform/sandbox/mount-points.ts")}";
const [records, scratch, ...paths] = process.argv.slice(2);
await new MountPoints(records, scratch).acquire(() => paths.map((path) => ({ path, kind: path.endsWith("file") ? "file" : "folder" })));
process.kill(process.pid, "SIGKILL");
`;

test("what a crashed process left is removed by the next one, its private folder too", async () => {
  await using place = await mountPlace();
  const script = await place.write("records-of/crash.mjs", CRASHER);
  const scratch = makeScratch(place.dir);
  const paths = [place.path("a-folder"), place.path("a-file"), place.path("b-folder")];
  const child = Bun.spawn([process.execPath, script, place.records, scratch, ...paths], { stderr: "inherit" });
  await child.exited;
  for (const path of paths) expect(existsSync(path)).toBe(true);
  writeFileSync(join(paths[2] ?? "", "inner"), "the user's");
  await place.points().recover();
  expect(existsSync(scratch)).toBe(false);
  expect(place.names()).toEqual(["b-folder", "keep.txt", "records-of"]);
  expect(place.recordFiles()).toEqual([]);
});

test("a record that was cut off in the middle of the making is worked off by what it planned", async () => {
  await using place = await mountPlace();
  mkdirSync(place.records);
  const owner = {
    pid: 2 ** 22 + 1,
    startTime: "1",
    host: (await import("node:os")).hostname(),
    bootId: "",
    pidNamespace: "",
  };
  const { ownIdentity } = await import("../../../src/platform/process-identity.ts");
  const dead = { ...ownIdentity(), ...owner, bootId: ownIdentity().bootId, pidNamespace: ownIdentity().pidNamespace };
  mkdirSync(place.path("folder"));
  writeFileSync(place.path("file"), "");
  const record = { owner: dead, scratch: "", made: [], planned: place.all, sinceMs: Date.now() - 100 };
  writeFileSync(join(place.records, "1-x.json"), JSON.stringify(record));
  await place.points().recover();
  expect(place.names()).toEqual(["keep.txt"]);
});

test("a record that is no record removes nothing", async () => {
  await using place = await mountPlace();
  mkdirSync(place.records);
  for (const [name, text] of [
    ["a.json", "{"],
    ["b.json", "[]"],
    ["c.json", '{"owner":{}}'],
  ] as const)
    writeFileSync(join(place.records, name), text);
  await place.points().recover();
  expect(readFileSync(join(place.records, "a.json"), "utf8")).toBe("{");
  expect(place.names()).toEqual(["keep.txt"]);
});

test("only a private folder of this kind is ever removed whole", async () => {
  await using place = await mountPlace();
  removeScratch(place.dir);
  expect(place.names()).toEqual(["keep.txt"]);
});
