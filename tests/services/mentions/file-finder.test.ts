import { expect, test } from "bun:test";
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FoundFile } from "../../../src/contracts/file-mention.ts";
import { fuzzyMatch } from "../../../src/contracts/fuzzy-match.ts";
import { listFiles } from "../../../src/platform/files/list-files.ts";
import { FileFinder } from "../../../src/services/mentions/file-finder.ts";
import { MAX_PATHS, PathIndex } from "../../../src/services/mentions/path-index.ts";
import { tempProject } from "../../support/temp-project.ts";

const signal = new AbortController().signal;
const FILES = {
  ".gitignore": "dist\n",
  "dist/cart.js": "",
  "src/cart.ts": "",
  "src/cart/line.ts": "",
  "src/secret/cart.key": "",
  "readme.md": "",
};

async function stage(recent: readonly string[] = []) {
  const project = await tempProject(FILES);
  const finder = new FileFinder({
    root: project.dir,
    home: project.path("src"),
    recent: async () => recent,
    isHidden: (path) => path.includes("/secret/"),
    list: (onFile, until) => listFiles({ root: project.dir, ripgrep: undefined, signal: until, onFile }),
  });
  /** The first list that fits; the finder tells again while files are being listed. */
  const found = (typed: string, fits: (paths: readonly string[]) => boolean = () => true) => {
    const { promise, resolve } = Promise.withResolvers<readonly string[]>();
    const ending = new AbortController();
    const told = (list: readonly FoundFile[]) => {
      const paths = list.map(({ path }) => path);
      if (fits(paths)) resolve(paths);
    };
    finder.find(typed, told, ending.signal);
    return promise.finally(() => ending.abort());
  };
  return {
    ...{ project, found },
    async [Symbol.asyncDispose]() {
      finder.close();
      await project[Symbol.asyncDispose]();
    },
  };
}

test("files and folders that git sees are found, without those that may not be read", async () => {
  await using here = await stage();
  const paths = await here.found("cart", (all) => all.length > 2);
  expect(paths).toEqual(["src/cart/", "src/cart.ts", "src/cart/line.ts"]);
});

test("before a letter is typed, recent files come first, then the entries of the folder", async () => {
  await using here = await stage(["src/cart/line.ts"]);
  const paths = await here.found("");
  expect(paths.slice(0, 2)).toEqual(["src/cart/line.ts", "dist/"]);
  expect(paths).toContain("readme.md");
});

test("the files that changed last come before the entries of the folder", async () => {
  await using here = await stage();
  for (const file of Object.keys(FILES)) utimesSync(here.project.path(file), 1_000, 1_000);
  utimesSync(here.project.path("src/cart.ts"), 2_000, 2_000);
  const paths = await here.found("", ([first]) => first === "src/cart.ts");
  expect(paths[0]).toBe("src/cart.ts");
});

test("a folder goes on inside, and folders outside are listed by themselves", async () => {
  await using here = await stage();
  expect(await here.found("src/")).toEqual(["src/cart/", "src/cart.ts"]);
  expect(await here.found("~/ca")).toEqual(["~/cart/", "~/cart.ts"]);
  const absolute = join(here.project.dir, "src/");
  expect(await here.found(`${absolute}car`)).toEqual([`${absolute}cart/`, `${absolute}cart.ts`]);
});

test("an index takes a limited number of paths", () => {
  const index = new PathIndex();
  let taken = 0;
  while (taken <= MAX_PATHS && index.add(`file-${taken}`)) taken += 1;
  expect(taken).toBe(MAX_PATHS);
});

test("a file beyond the paths of a full index is found on demand, and the list says so", async () => {
  const names = [...Array.from({ length: 50 }, (_, at) => `src/file-${at}.ts`), "zoo/secret/late.key", "zoo/late.ts"];
  let listings = 0;
  const finder = new FileFinder({
    ...{ root: "/nowhere", home: "/nowhere", maxPaths: 20, recent: async () => [] },
    isHidden: (path) => path.includes("/secret/"),
    list: async (onFile) => {
      listings += 1;
      return names.every((name) => onFile(name));
    },
  });
  const told: { readonly paths: readonly string[]; readonly note: string | undefined }[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const ending = new AbortController();
  finder.find(
    "late",
    (found, note) => {
      told.push({ paths: found.map(({ path }) => path), note });
      if (found.length > 0) resolve();
    },
    ending.signal,
  );
  await promise;
  finder.close();
  expect(told.at(-1)?.paths).toEqual(["zoo/late.ts"]);
  expect(told.map(({ note }) => note).filter(Boolean)).toEqual([
    expect.stringContaining("more than 20 files"),
    expect.stringContaining("more than 20 files"),
  ]);
  expect(listings).toBe(2);
});

test("letters with gaps are looked for where few paths hold the text, also after more letters", async () => {
  const index = new PathIndex();
  for (const path of ["src/attach-files.ts", "src/other.ts", "src/atfi/x.ts"]) index.add(path);
  const search = async (query: string) =>
    (await index.search(query, { max: 5, bonus: () => 0, signal })).map(({ path }) => path);
  expect(await search("atfi")).toEqual(["src/atfi/", "src/attach-files.ts", "src/atfi/x.ts"]);
  expect(await search("atfils")).toEqual(["src/attach-files.ts"]);
});

test("a search finds the best of all paths", async () => {
  const index = new PathIndex();
  const names = ["cart", "checkOut", "payment", "client-7", "widget"];
  for (let at = 0; at < 3_000; at += 1)
    index.add(`packages/${names[at % 5]}${at % 50}/src-${at % 400}/${names[at % 4]}-${at}.ts`);
  for (const query of ["cart-", "pkgcart", "srcpay", "cklient", "t9", "zz", "wdgt-29", "cart-29", "cart-299x"]) {
    const found = await index.search(query, { max: 60, bonus: () => 0, signal });
    const whole = index.paths.filter((path) => path.toLowerCase().includes(query));
    const all = whole.length < 60 ? index.paths : whole;
    const scored = all.flatMap((path) => fuzzyMatch(query, path) ?? []);
    const best = scored.map(({ score }) => score).sort((a, b) => b - a);
    expect({ query, scores: found.map(({ score }) => score) }).toEqual({ query, scores: best.slice(0, 60) });
  }
});

test("a name that no mention can be written with is not offered", async () => {
  await using here = await stage();
  writeFileSync(here.project.path("src/cart\nbroken.ts"), "");
  writeFileSync(here.project.path('src/cart"quoted.ts'), "");
  const paths = await here.found("cart", (all) => all.length > 2);
  expect(paths).toEqual(["src/cart/", "src/cart.ts", "src/cart/line.ts"]);
  expect(await here.found("src/")).toEqual(["src/cart/", "src/cart.ts"]);
});

test("other work continues while many paths are searched", async () => {
  const index = new PathIndex();
  for (let at = 0; at < 190_000; at += 1) index.add(`pkg${at % 100}/module${at % 1_000}/file-${at}.ts`);
  let turns = 0;
  let isDone = false;
  const searched = index.search("p1m2f3", { max: 5, bonus: () => 0, signal }).then(() => {
    isDone = true;
  });
  while (!isDone) {
    turns += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await searched;
  expect(turns).toBeGreaterThan(2);
});
