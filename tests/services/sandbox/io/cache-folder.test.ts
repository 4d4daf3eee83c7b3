import { expect, test } from "bun:test";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { keepCacheLimits, markUse, openCacheFolder } from "../../../../src/services/sandbox/io/cache-folder.ts";
import { tempProject } from "../../../support/temp-project.ts";

const HOUR_MS = 3_600_000;
const NOW = 1_700_000_000_000;
const signal = new AbortController().signal;

async function caches() {
  const project = await tempProject();
  const folder = (name: string) => project.path(`packages/${name}`);
  return {
    ...project,
    folder,
    open: (name: string, now: number) => openCacheFolder(folder(name), now, () => undefined),
    /** Takes this many kilobytes, and was used last then. */
    fill: (name: string, kilobytes: number, usedAt: number) => {
      const files = openCacheFolder(folder(name), usedAt, () => undefined);
      writeFileSync(join(files, "data"), Buffer.alloc(kilobytes * 1024, 1));
    },
    names: () => readdirSync(project.path("packages")).sort(),
  };
}

test("the folder is filled once, and its marks lie where no command can reach them", async () => {
  await using at = await caches();
  let fills = 0;
  const open = () =>
    openCacheFolder(at.folder("a"), NOW, () => {
      fills += 1;
    });
  const files = open();
  expect([open(), fills]).toEqual([files, 1]);
  expect(readdirSync(files)).toEqual([]);
  expect(readdirSync(at.folder("a")).sort()).toEqual(["files", "last-use"]);
});

test("caches that are too large are emptied at the next start, unless they were in use within the hour", async () => {
  await using at = await caches();
  const limits = { perProject: 100 * 1024, inAll: 10 ** 9 };
  at.fill("a", 200, NOW);
  await keepCacheLimits(at.folder("a"), { limits, now: NOW }, signal);
  expect(existsSync(join(at.open("a", NOW + HOUR_MS / 2), "data"))).toBe(true);
  expect(existsSync(join(at.open("a", NOW + 2 * HOUR_MS), "data"))).toBe(false);
  await keepCacheLimits(at.folder("a"), { limits, now: NOW }, signal);
  expect(at.names()).toEqual(["a"]);
  at.fill("a", 50, NOW + 3 * HOUR_MS);
  await keepCacheLimits(at.folder("a"), { limits, now: NOW }, signal);
  expect(existsSync(join(at.open("a", NOW + 9 * HOUR_MS), "data"))).toBe(true);
});

test("the caches of the projects unused for longest are deleted first, and caches in use stay", async () => {
  await using at = await caches();
  for (const [name, age] of [
    ["old", 30],
    ["older", 40],
    ["fresh", 0],
  ] as const)
    at.fill(name, 200, NOW - age * HOUR_MS);
  at.fill("own", 200, NOW);
  const keep = (inAll: number) =>
    keepCacheLimits(at.folder("own"), { limits: { perProject: 10 ** 9, inAll: inAll * 1024 }, now: NOW }, signal);
  await keep(700);
  expect(at.names()).toEqual(["fresh", "old", "own"]);
  await keep(100);
  expect(at.names()).toEqual(["fresh", "own"]);
});

test("a link among the files is not followed when they are removed", async () => {
  await using at = await caches();
  await at.write("mine/kept", "1");
  at.fill("old", 200, NOW - 9 * HOUR_MS);
  await Bun.$`ln -s ${at.path("mine")} ${at.folder("old")}/files/link`.quiet();
  at.fill("own", 1, NOW);
  await keepCacheLimits(at.folder("own"), { limits: { perProject: 10 ** 9, inAll: 1024 }, now: NOW }, signal);
  expect(at.names()).toEqual(["own"]);
  expect(await at.read("mine/kept")).toBe("1");
  markUse(at.folder("own"), NOW);
});
