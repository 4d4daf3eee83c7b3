import { expect, test } from "bun:test";
import { repositoryFacts } from "../../../../src/services/context/init/repository-facts.ts";
import { tempProject } from "../../../support/temp-project.ts";

const { signal } = new AbortController();

test("facts come from manifests, targets, workflows, instruction files and the README", async () => {
  await using project = await tempProject({
    "package.json": JSON.stringify({
      name: "shop",
      packageManager: "bun@1",
      scripts: { test: "bun test", lint: "biome" },
    }),
    "bun.lock": "",
    Makefile: "CC := gcc\n.PHONY: all\nall: build\n\techo\nbuild deploy:\n",
    "pyproject.toml": "[project]\nname='x'\n[tool.ruff]\n",
    "README.md": `# Shop\n\nSells things.\n${"long ".repeat(2_000)}`,
    "CLAUDE.md": "x",
    "packages/a/AGENTS.md": "y",
    "packages/a/src/a.ts": "",
    "packages/a/src/a.test.ts": "",
    ".github/workflows/ci.yml":
      "steps:\n  - run: npm ci\n  - name: x\n    run: |\n      npm test\n      npm run lint\n  - uses: y\n",
    ".gitignore": "dist/\n",
    "dist/out.js": "",
  });
  const facts = await repositoryFacts(project.dir, () => false, signal);
  for (const part of [
    ".ts 2",
    "packages/",
    "bun.lock",
    "packages/a/AGENTS.md",
    "packages/a/src/a.test.ts",
    "packageManager: bun@1",
    "script test: bun test",
    "all build",
    "project tool.ruff",
    "npm ci",
    "npm run lint",
    "Sells things.",
  ])
    expect(facts).toContain(part);
  expect(facts).not.toContain("out.js");
  expect(facts).not.toMatch(/\bCC\b|PHONY|uses/);
  expect(facts.length).toBeLessThan(4_000);
});

test("hidden files, broken manifests and an empty folder are no obstacle", async () => {
  await using project = await tempProject({ "package.json": "{", "secret.md": "" });
  const facts = await repositoryFacts(project.dir, (path) => path.endsWith("secret.md"), signal);
  expect(facts).not.toContain("secret");
  await using empty = await tempProject();
  expect(await repositoryFacts(empty.dir, () => false, signal)).toContain("Files:");
});
