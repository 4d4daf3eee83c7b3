import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { secretFinder } from "../../src/services/redaction/find-secrets.ts";
import { ruleSetFinder } from "../../src/services/redaction/rule-set.ts";
import { ROOT } from "../house/house-rules.ts";
import { deepTest, longerInDeep } from "../support/deep.ts";

const SOURCES = "**/*.{ts,tsx,js,mjs,cjs,json,md,yml,yaml,toml,sh,css,html}";
/** Issue 3, Build part 10. */
const MOST_HITS_A_LINE = 1 / 1_000;
/** Files of each library that are read; `bun scripts/bench/redaction.ts` reads them all. */
const FILES_A_LIBRARY = { quick: 1, deep: 12 };

const find = secretFinder(ruleSetFinder(), []);

/** How many lines were read, and what was taken for a secret: the place, never the value. */
function scan(files: readonly string[]) {
  let lines = 0;
  const hits: string[] = [];
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    lines += text.split("\n").length;
    for (const { start, kind } of find(text)) {
      hits.push(`${file.slice(ROOT.length + 1)}:${text.slice(0, start).split("\n").length} ${kind}`);
    }
  }
  return { lines, hits };
}
const filesOf = (folder: string) => [...new Glob(SOURCES).scanSync({ cwd: join(ROOT, folder), absolute: true })].sort();

longerInDeep("nothing in this repository's own sources and documents is taken for a secret", async (isWhole) => {
  const { lines, hits } = scan(
    ["src", "packages", "docs", "scripts"]
      .flatMap(filesOf)
      .filter((file) => !/\/(?:node_modules|tests)\//.test(file.slice(ROOT.length)))
      .filter((_, at) => isWhole || at % 3 === 0),
  );
  expect(lines).toBeGreaterThan(20_000);
  expect(hits).toEqual([]);
});

deepTest("the tests hold a few made-up secrets at most", () => {
  const { lines, hits } = scan(filesOf("tests"));
  expect(hits.length / lines).toBeLessThan(MOST_HITS_A_LINE);
});

function scanLibraries(filesOfEach: number): void {
  const taken = new Map<string, number>();
  const files = filesOf("node_modules").filter((file) => {
    const [, library = ""] = file.split("/node_modules/");
    const [scope = "", name = ""] = library.split("/");
    const key = scope.startsWith("@") ? `${scope}/${name}` : scope;
    taken.set(key, (taken.get(key) ?? 0) + 1);
    return !key.startsWith(".") && (taken.get(key) ?? 0) <= filesOfEach;
  });
  const { lines, hits } = scan(files);
  expect(lines).toBeGreaterThan(50_000);
  expect(hits.length / lines).toBeLessThan(MOST_HITS_A_LINE);
}

deepTest("fewer than one line in a thousand of the installed libraries is", () => scanLibraries(FILES_A_LIBRARY.quick));
deepTest("the same of more of their files", () => scanLibraries(FILES_A_LIBRARY.deep));
