import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { addLine } from "../../../../src/services/context/instructions/add-line.ts";
import { tempProject } from "../../../support/temp-project.ts";

const { signal } = new AbortController();

test.each([
  ["a new file", undefined, "- use bun\n"],
  ["an empty file", "", "- use bun\n"],
  ["a file with a last line end", "# A\n", "# A\n- use bun\n"],
  ["a file without one", "# A\n- x", "# A\n- x\n- use bun\n"],
  ["a file of Windows", "# A\r\nx", "# A\r\nx\r\n- use bun\r\n"],
])("a line is added to %s", async (_, before, after) => {
  await using project = await tempProject(before === undefined ? {} : { "AGENTS.md": before });
  const path = project.path("AGENTS.md");
  const added = await addLine({ path, within: project.dir, words: " use\n bun " }, signal);
  expect(added).toEqual({ path, line: "- use bun", isNew: before === undefined });
  expect(await project.read("AGENTS.md")).toBe(after);
});

test("missing folders are made, and an item of a list stays one", async () => {
  await using project = await tempProject();
  const path = project.path("a/b/AGENTS.md");
  expect((await addLine({ path, within: project.dir, words: "* x" }, signal)).line).toBe("* x");
  expect(await project.read("a/b/AGENTS.md")).toBe("* x\n");
});

test("a link is followed inside of its folder, and refused when it leads out of it", async () => {
  await using project = await tempProject({ "repo/docs/a.md": "a\n", profile: "b\n" });
  symlinkSync("docs/a.md", project.path("repo/AGENTS.md"));
  symlinkSync("../profile", project.path("repo/CLAUDE.md"));
  const within = project.path("repo");
  await addLine({ path: project.path("repo/AGENTS.md"), within, words: "x" }, signal);
  expect(await project.read("repo/docs/a.md")).toBe("a\n- x\n");
  await expect(addLine({ path: project.path("repo/CLAUDE.md"), within, words: "x" }, signal)).rejects.toThrow(
    "leads to",
  );
  expect(await project.read("profile")).toBe("b\n");
});

test("a binary file, a folder and an empty line are refused", async () => {
  const binary = new Uint8Array([0, 1, 2, 255]);
  await using project = await tempProject({ "AGENTS.md": binary, "b/x": "" });
  const add = (name: string, words: string) =>
    addLine({ path: project.path(name), within: project.dir, words }, signal);
  await expect(add("AGENTS.md", "x")).rejects.toThrow("not text");
  await expect(add("b", "x")).rejects.toThrow("Nothing was added");
  await expect(add("c", " \n")).rejects.toThrow("no words");
  expect(new Uint8Array(await Bun.file(project.path("AGENTS.md")).arrayBuffer())).toEqual(binary);
});
