import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { ROOT_LIMITS, type RootState } from "../../../../src/services/checkpoint/io/root-tree.ts";
import { deepTest, seededTest } from "../../../support/deep.ts";
import { seededRandom } from "../../../support/seeded-random.ts";
import { treeViews } from "./tree-views.ts";

const NEVER = new AbortController().signal;
const FOLDERS = ["", "src", "src/deep", "logs", "build", "kept", ":odd [x]*"];
const NAMES = ["a.ts", "b.log", "c", ".gitignore", "build", "kept"];
const RULES = ["*.log\nbuild/\n", "build/\n", "*.log\n!b.log\n", "src/deep/\n", ""];

function content({ tree, folders, modes, nested }: RootState) {
  const sorted = (map: ReadonlyMap<string, number>) => Object.fromEntries([...map].sort());
  return { tree, empty: sorted(folders.empty), modes: sorted(modes.others), nested };
}

type Random = ReturnType<typeof seededRandom>;

/** Makes a random change of the kinds that people and programs make. */
function change(top: string, { pick, below, chance }: Random): void {
  const path = join(top, pick(FOLDERS), pick(NAMES));
  const isFile = isPlainFile(path);
  const clear = () => {
    for (let at = dirname(path); at !== top; at = dirname(at)) if (isPlainFile(at) || isLink(at)) rmSync(at);
    mkdirSync(dirname(path), { recursive: true });
    rmSync(path, { recursive: true, force: true });
  };
  switch (below(11)) {
    case 0:
      if (existsSync(path)) rmSync(path, { recursive: true });
      break;
    case 1:
      if (isFile) chmodSync(path, pick([0o600, 0o644, 0o755]));
      break;
    case 2:
      clear();
      symlinkSync("a.ts", path);
      break;
    case 3:
      clear();
      mkdirSync(join(path, "empty"), { recursive: true });
      break;
    case 4:
      // As editors save.
      if (!isFile) break;
      writeFileSync(`${path}.tmp`, `saved ${below(3)}\n`);
      renameSync(`${path}.tmp`, path);
      break;
    case 5:
      // The same size and time: only the content differs.
      if (!isFile) break;
      writeFileSync(path, `same ${below(9)}\n`);
      utimesSync(path, 1_000_000, 1_000_000);
      break;
    case 6:
      rmSync(join(top, ".gitignore"), { recursive: true, force: true });
      writeFileSync(join(top, ".gitignore"), pick(RULES));
      break;
    case 7: {
      const folder = dirname(path);
      if (folder !== top && existsSync(folder)) {
        rmSync(`${folder}-moved`, { recursive: true, force: true });
        renameSync(folder, `${folder}-moved`);
        if (chance(0.3)) symlinkSync(`${basename(folder)}-moved`, folder);
      }
      break;
    }
    default:
      clear();
      writeFileSync(path, path.endsWith(".gitignore") ? pick(RULES) : `text ${below(9)}\n`);
  }
}

function isPlainFile(path: string): boolean {
  return existsSync(path) && lstatSync(path).isFile();
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

async function story(seed: number, steps: number): Promise<number> {
  const random = seededRandom(seed);
  const prefix = random.chance(0.2) ? "src" : "";
  const { top, known, asked, runs, project } = await treeViews({ "work/a.ts": "a\n", "work/src/c": "c\n" }, { prefix });
  await using _ = project;
  let withoutGit = 0;
  for (let step = 0; step < steps; step += 1) {
    const before = runs.length;
    const [one, other] = [await known.state(NEVER), await asked.state(NEVER)];
    if (runs.length === before) withoutGit += 1;
    expect({ seed, step, ...content(one) }).toEqual({ seed, step, ...content(other) });
    for (let count = random.below(3); count > 0; count -= 1) change(top, random);
  }
  return withoutGit;
}

seededTest(
  "a look without git finds the same tree, folders and permissions as git",
  { seed: 1, cases: { quick: 2, deep: 300 } },
  async (seed, cases) => {
    let withoutGit = 0;
    for (let at = 0; at < cases; at += 1) withoutGit += await story(seed + at, 15);
    expect(withoutGit).toBeGreaterThan(cases);
  },
  60_000,
);

test("a small tree needs git once; then changed, deleted and unchanged files need no run of it", async () => {
  const { top, known, runs, listed, project } = await treeViews({ "work/a.ts": "a\n", "work/src/b.ts": "b\n" });
  await using _ = project;
  await known.state(NEVER);
  const first = runs.length;
  writeFileSync(join(top, "src/b.ts"), "changed\n");
  const { tree } = await known.state(NEVER);
  rmSync(join(top, "a.ts"));
  const later = await known.state(NEVER);
  expect(runs.slice(first)).toEqual([]);
  expect(await listed(tree)).toMatch(/a\.ts[\s\S]*src\/b\.ts/);
  expect(await listed(later.tree)).not.toContain("a.ts");
  expect(later.entries?.get("src/b.ts")?.oid).toBe(
    execFileSync("git", ["hash-object", join(top, "src/b.ts")])
      .toString()
      .trim(),
  );
});

deepTest("a tree that grows beyond the limit is left to git", async () => {
  const { top, known, runs, project } = await treeViews({ "work/a.ts": "a\n" });
  await using _ = project;
  await known.state(NEVER);
  mkdirSync(join(top, "many"));
  for (let at = 0; at < ROOT_LIMITS.maxKnown; at += 1) writeFileSync(join(top, "many", `f${at}`), `${at}\n`);
  const grown = await known.state(NEVER);
  expect(grown.entries).toBeUndefined();
  const before = runs.length;
  await known.state(NEVER);
  expect(runs.length).toBeGreaterThan(before);
});

test.each([
  [2, true],
  [6, false],
])("a tree that was not plain at %i states is looked at without git again: %p", async (states, isAgain) => {
  const { top, known, runs, project } = await treeViews({ "work/a.ts": "a\n" });
  await using _ = project;
  const odd = Buffer.concat([Buffer.from(join(top, "odd")), Buffer.from([0xff])]);
  writeFileSync(odd, "");
  for (let at = 0; at < states; at += 1) await known.state(NEVER);
  rmSync(odd);
  await known.state(NEVER);
  const learnt = await known.state(NEVER);
  const before = runs.length;
  await known.state(NEVER);
  expect([learnt.entries !== undefined, runs.length === before]).toEqual([isAgain, isAgain]);
});
