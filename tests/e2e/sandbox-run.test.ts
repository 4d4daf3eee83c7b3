import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { quollPlace } from "../support/quoll-process.ts";

const settings = {};

test("what keeps `quoll sandbox run` from confining is one line of the person's, and no fault of Quoll's", async () => {
  await using place = await quollPlace({ settings });
  await place.home.write("own/state/sandbox", "a file where a folder has to be");
  const { code, out, err } = await place.run(["sandbox", "run", "--", "echo", "ran"]);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toMatch(/^quoll: The sandbox needs a private folder in \S+, which can't be made \([^\n]+\)\.\n$/);
});

test("what a command changed, and could not be kept from, is said after it", async () => {
  await using place = await quollPlace({ settings, files: { "docs/a": "mine" } });
  const path = place.project.path("sub/AGENTS.md");
  mkdirSync(dirname(path));
  symlinkSync("../docs/a", path);
  const { code, err } = await place.run([
    "sandbox",
    "run",
    "--",
    "sh",
    "-c",
    "rm sub/AGENTS.md; echo evil > sub/AGENTS.md",
  ]);
  expect(code).toBe(0);
  expect(err).toBe(
    `quoll: ${path} was a link to ../docs/a, and was put back; what had taken its place lies beside it.\n`,
  );
  expect(await place.project.read("docs/a")).toBe("mine");
});
