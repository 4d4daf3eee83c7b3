import { expect } from "bun:test";
import { join } from "node:path";
import { deepTest } from "../../../support/deep.ts";
import { tempProject } from "../../../support/temp-project.ts";
import { fileTools, noRipgrep, ripgrep } from "../call-tool.ts";

const REPOSITORY = join(import.meta.dir, "../../../..");

deepTest("without ripgrep the same files are listed, ignore files, negations and nested folders included", async () => {
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
