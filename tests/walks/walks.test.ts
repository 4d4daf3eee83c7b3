import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { deepTest } from "../support/deep.ts";
import { readList, WALK_NAMES } from "./lists.ts";
import { measureWalks } from "./walks.ts";

/** Which files draw and wait depends on the machine's speed: measurements of one tree differ by so many. */
const MAX_TIMED_FILES = 3;

test("each file in the list of a walk exists", () => {
  const listed = WALK_NAMES.flatMap((name) => Object.values(readList(name)).flat());
  expect(listed.length).toBeGreaterThan(0);
  expect(listed.filter((file) => !existsSync(join(import.meta.dir, "..", "..", file)))).toEqual([]);
});

deepTest(
  "the files of each walk through the code are those of its list (`bun scripts/walks.ts` writes it)",
  async () => {
    const measured = await measureWalks();
    const differences = WALK_NAMES.map((name) => {
      const { always, sometimes } = readList(name);
      const { files } = measured[name];
      const missing = always.filter((file) => !files.includes(file)).map((file) => `without ${file}`);
      const unknown = files.filter((file) => ![...always, ...sometimes].includes(file)).map((file) => `with ${file}`);
      return { name, files: [...missing, ...unknown] };
    });
    expect(differences.filter(({ files }) => files.length > MAX_TIMED_FILES)).toEqual([]);
  },
);
