import { expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { projectPrograms } from "../../src/platform/project-programs.ts";
import { tempProject } from "../support/temp-project.ts";

/** A folder with executables of these names, and the same project in each test. */
async function machine(programs: readonly string[], files: Readonly<Record<string, string>>) {
  const bin = await tempProject(Object.fromEntries(programs.map((name) => [name, "#!/bin/sh\n"])));
  for (const name of programs) chmodSync(bin.path(name), 0o755);
  const project = await tempProject(files);
  return { bin, project };
}

test.each([
  [["node", "npm", "bun", "cargo"], { "package.json": "{}" }, ["node", "npm", "bun"]],
  [["node", "pnpm"], { "package.json": "{}", "pnpm-lock.yaml": "" }, ["node", "pnpm"]],
  [["python3", "uv"], { "pyproject.toml": "" }, ["python3", "uv"]],
  [["cargo", "go"], { "go.mod": "" }, ["go"]],
  [["make", "cargo"], { Makefile: "", "Cargo.toml": "" }, ["cargo", "make"]],
  [["node", "npm"], { "readme.md": "" }, []],
  [["npm"], { "Cargo.toml": "" }, []],
])("of %j with the files %j these programs are named: %j", async (programs, files, named) => {
  const { bin, project } = await machine(programs, files);
  await using _bin = bin;
  await using _project = project;
  expect(projectPrograms([project.dir, project.dir], bin.dir)).toEqual(named);
});
