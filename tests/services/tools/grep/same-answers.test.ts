import { expect, test } from "bun:test";
import { join } from "node:path";
import { KNOWN_TYPES, typeGlobs } from "../../../../src/services/tools/grep/js-search.ts";
import { deepTest, eachOrDeep } from "../../../support/deep.ts";
import { tempProject } from "../../../support/temp-project.ts";
import { fileTools, noRipgrep, ripgrep } from "../call-tool.ts";

const REPOSITORY = join(import.meta.dir, "../../../..");

/** Searches whose answers must be the same with ripgrep and without; content too, so counts and lines are compared. */
const SEARCHES: Record<string, unknown>[] = [
  { pattern: "export function" },
  { pattern: "describe|export type", output_mode: "count" },
  { pattern: '^import .* from "node:\\w+";$', output_mode: "content" },
  { pattern: "\\bpath\\b", output_mode: "count", type: "ts" },
  { pattern: "TODO|FIXME", "-i": true, output_mode: "content" },
  { pattern: "[A-Z][a-z]+Error\\b", output_mode: "content", "-C": 2 },
  { pattern: "[^\\w\\s]{3,}", output_mode: "count" },
  { pattern: "const \\w+ = \\d[\\d_]*;", output_mode: "content", "-B": 1 },
  { pattern: "a.c", glob: "*.json" },
  { pattern: "\\}\\s*\\n\\s*\\n", multiline: true, output_mode: "count" },
  { pattern: "function \\w+\\([^)]*\\)[^{]*\\{\\n.*return", multiline: true, output_mode: "content" },
  { pattern: "^$", output_mode: "count" },
  { pattern: "x*", output_mode: "count" },
  { pattern: "(?i)readme" },
  { pattern: "é|ü|–|…", output_mode: "content" },
  { pattern: "(?:foo|bar)_?baz?", output_mode: "content" },
  { pattern: "\\.\\*\\+\\?", output_mode: "content" },
  { pattern: "[\\]\\-^]", output_mode: "count" },
  { pattern: "name", glob: "!*.ts !*.json", output_mode: "count" },
  { pattern: "license", glob: "**/package.json", "-i": true },
  { pattern: "return", glob: "*.{js,mjs}", output_mode: "count" },
  { pattern: "\\S+@\\S+\\.\\w{2,4}", output_mode: "content" },
  { pattern: "\\w+?\\(\\)", output_mode: "count" },
];
/** Kept small: two cores, many runs. */
const PLACES = [
  "src/contracts",
  "src/services/tools/edit",
  "node_modules/ignore",
  "node_modules/picomatch",
  "node_modules/lru-cache",
  "docs",
];

eachOrDeep(
  "%j",
  (at) => at % 12 === 0,
  SEARCHES,
  async (search) => {
    const [withRg, without] = [fileTools(REPOSITORY, { rg: ripgrep }), fileTools(REPOSITORY, { rg: noRipgrep })];
    for (const path of PLACES) {
      const answer = (tools: typeof withRg) =>
        tools.grep({ head_limit: 100, ...search, path }).catch((error: Error) => error.message);
      expect(await answer(without)).toBe(await answer(withRg));
    }
  },
);

deepTest("the same files are listed, ignore files, negations and nested folders included", async () => {
  await using project = await tempProject({
    ".gitignore": "*.log\n!keep.log\n/build\ncache/\nsecret*\n!secret-not/\n# note\n\\#odd\n",
    ".ignore": "notes.md\n",
    "a.log": "",
    "keep.log": "",
    "deep/b.log": "",
    "deep/keep.log": "",
    "build/x": "",
    "deep/build/x": "",
    "cache/x": "",
    "deep/cache/x": "",
    "deep/cachefile": "",
    "secret.txt": "",
    "secret-not/x": "",
    "#odd": "",
    "notes.md": "",
    "deep/notes.md": "",
    "deep/.gitignore": "!b.log\nown/*\n!own/this\n",
    "deep/own/this": "",
    "deep/own/that": "",
    "deep/.rgignore": "gone\n",
    "deep/gone": "",
    ".git/info/exclude": "excluded\n",
    excluded: "",
    ".hidden/.gitignore": "*\n!.gitignore\n",
    ".hidden/x": "",
  });
  for (const path of [".", "deep", "build", "cache", "deep/own"]) {
    const list = async (rg: typeof ripgrep) =>
      (await fileTools(project.dir, { rg }).glob({ pattern: "**/*", path })).split("\n").sort();
    expect({ path, files: await list(noRipgrep) }).toEqual({ path, files: await list(ripgrep) });
  }
  const repository = async (rg: typeof ripgrep, path: string) =>
    (await fileTools(REPOSITORY, { rg }).glob({ pattern: "**/*", path })).split("\n").sort();
  for (const path of ["src/contracts", "src/services/tools", "node_modules/ignore"]) {
    expect(await repository(noRipgrep, path)).toEqual(await repository(ripgrep, path));
  }
});

test("our table of types is ripgrep's", async () => {
  const rg = await ripgrep();
  let output = "";
  await rg?.({
    args: ["--no-config", "--type-list"],
    cwd: "/",
    signal: new AbortController().signal,
    timeoutMs: 5_000,
    onOutput: (chunk) => {
      output += chunk;
      return true;
    },
  });
  const theirs = new Map(output.split("\n").map((line) => line.split(": ") as [string, string]));
  for (const type of KNOWN_TYPES)
    expect(`${type}: ${typeGlobs(type)?.join(", ")}`).toBe(`${type}: ${theirs.get(type)}`);
});
