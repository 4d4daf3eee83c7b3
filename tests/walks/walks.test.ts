import { expect } from "bun:test";
import { deepTest } from "../support/deep.ts";
import { readList, WALK_NAMES } from "./lists.ts";
import { measureWalks } from "./walks.ts";

deepTest(
  "the files of each walk through the code are those of its list (`bun scripts/walks.ts` writes it)",
  async () => {
    const measured = await measureWalks();
    for (const name of WALK_NAMES) {
      const { always, sometimes } = readList(name);
      const { files } = measured[name];
      const missing = always.filter((file) => !files.includes(file));
      const unknown = files.filter((file) => !always.includes(file) && !sometimes.includes(file));
      expect({ name, missing, unknown }).toEqual({ name, missing: [], unknown: [] });
    }
  },
);
