import { expect, test } from "bun:test";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { type FileChange, FileWatch } from "../../../src/services/hooks/io/file-watch.ts";
import { eventually } from "../../support/eventually.ts";
import { tempProject } from "../../support/temp-project.ts";

test("a file is noticed in a folder that is made later, and so are its later changes", async () => {
  await using project = await tempProject();
  const file = project.path("config/quoll/keybindings.json");
  const told: [string, FileChange][] = [];
  const watch = new FileWatch((path, change) => told.push([path, change]));
  watch.add([file]);
  await mkdir(project.path("config"));
  await mkdir(project.path("config/quoll"));
  await writeFile(file, "{}");
  await eventually("the new file is told", () => told.length > 0);
  expect(told[0]).toEqual([file, "add"]);
  await rm(file);
  await eventually("its removal is told", () => told.at(-1)?.[1] === "unlink");
  watch.close();
});
