import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, utimesSync } from "node:fs";
import { dirname } from "node:path";
import { shellGrammarFiles, unpackExecutable } from "../../src/platform/assets.ts";
import { tempProject } from "../support/temp-project.ts";

test("both wasm files are there", async () => {
  const { runtime, grammar } = await shellGrammarFiles();
  for (const file of [runtime, grammar]) expect(readFileSync(file).subarray(0, 4)).toEqual(Buffer.from("\0asm"));
});

test("a program is put on the disk once, whole, for this user alone", async () => {
  await using project = await tempProject({ embedded: "#!/bin/sh\necho ran\n" });
  const target = project.path("cache/bin/rg-1");
  expect(unpackExecutable(project.path("embedded"), target)).toBe(target);
  expect(Bun.spawnSync([target]).stdout.toString()).toBe("ran\n");
  expect([target, dirname(target)].map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual(["700", "700"]);
  expect(readdirSync(dirname(target))).toEqual(["rg-1"]);
  utimesSync(target, 1, 1);
  unpackExecutable(project.path("embedded"), target);
  expect(statSync(target).mtimeMs).toBe(1_000);
});

test("a copy that a crash left torn is replaced", async () => {
  await using project = await tempProject({ embedded: "whole", "bin/rg": "who" });
  unpackExecutable(project.path("embedded"), project.path("bin/rg"));
  expect(await project.read("bin/rg")).toBe("whole");
});
