import { expect, test } from "bun:test";
import { findExtensions } from "../../../src/services/extensions/find-extensions.ts";
import { tempProject } from "../../support/temp-project.ts";

test("of extensions with one name, none is found, and one line names their files", async () => {
  await using project = await tempProject({ "a.js": "", "a.mjs": "", "a/index.ts": "", "b.ts": "", "c.d.ts": "" });
  const { files, problems } = findExtensions(project.dir);
  expect(files).toEqual([{ name: "b", file: project.path("b.ts") }]);
  expect(problems).toEqual([
    "the extensions a/index.ts and a.js and a.mjs are left out, because they have one name: rename or delete one",
  ]);
});
