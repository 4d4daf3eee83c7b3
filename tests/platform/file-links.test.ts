import { expect, test } from "bun:test";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { fileLinks } from "../../src/platform/file-links.ts";
import { tempProject } from "../support/temp-project.ts";

test("a file that is there has an address; programs, folders and what is missing have none", async () => {
  await using project = await tempProject({ "src/a b.ts": "x\n", "run.sh": "#!/bin/sh\n", "x.desktop": "y\n" });
  await chmod(project.path("run.sh"), 0o755);
  await mkdir(project.path("folder.d"));
  const place = { cwd: () => project.dir, host: "my-host", isRemote: false };
  const link = fileLinks({ ...place, kind: "file" });
  expect(link("src/a b.ts")).toBe(`file://my-host${project.dir}/src/a%20b.ts`);
  expect(link(project.path("src/a b.ts"), 3)).toBe(`file://my-host${project.dir}/src/a%20b.ts`);
  for (const path of ["run.sh", "x.desktop", "folder.d", "src/later.ts", "src/a\u0000b"])
    expect(link(path)).toBeUndefined();
  await writeFile(project.path("src/later.ts"), "now\n");
  expect(link("src/later.ts")).toEndWith("/src/later.ts");
});

test("an editor's address names the line; it is no use on another machine", async () => {
  await using project = await tempProject({ "a.ts": "x\n" });
  const place = { cwd: () => project.dir, host: "my-host" };
  const vscode = fileLinks({ ...place, kind: "vscode", isRemote: false });
  expect(vscode("a.ts", 41)).toBe(`vscode://file${project.dir}/a.ts:41`);
  expect(vscode("a.ts")).toBe(`vscode://file${project.dir}/a.ts`);
  expect(fileLinks({ ...place, kind: "vscode", isRemote: true })("a.ts")).toBeUndefined();
  expect(fileLinks({ ...place, kind: "off", isRemote: false })("a.ts")).toBeUndefined();
});
