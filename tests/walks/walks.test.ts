import { expect } from "bun:test";
import { deepTest } from "../support/deep.ts";
import { readList, WALK_NAMES } from "./lists.ts";
import { measureWalks } from "./walks.ts";

deepTest(
  "the files of each walk through the code are those of its list (`bun scripts/walks.ts` writes it)",
  async () => {
    const measured = await measureWalks();
    const differences = WALK_NAMES.flatMap((name) => {
      const { always, sometimes } = readList(name);
      const { files } = measured[name];
      const missing = always.filter((file) => !files.includes(file));
      const unknown = files.filter((file) => !always.includes(file) && !sometimes.includes(file));
      return [...missing.map((file) => `${name}: without ${file}`), ...unknown.map((file) => `${name}: with ${file}`)];
    });
    expect(differences).toEqual([]);
  },
);
