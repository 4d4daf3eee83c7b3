import { expect, test } from "bun:test";
import { findExtensions } from "../../../src/services/extensions/find-extensions.ts";
import { extensionsApprovable } from "../../../src/services/trust/extension-approvable.ts";
import { tempProject } from "../../support/temp-project.ts";

test("the approved content of extensions is every file of their folder, however a module names it", async () => {
  await using project = await tempProject({
    ".quoll/extensions/one.ts": `import "./lib/help.js"; await import("./lib/" + "late.mts");`,
    ".quoll/extensions/lib/help.ts": "export {};",
    "src/other.ts": "export {};",
  });
  const folder = project.path(".quoll/extensions");
  const item = () => extensionsApprovable(folder, findExtensions(folder).files, project.dir);
  const { content, lines } = item();
  expect(lines.join("\n")).toMatchInlineSnapshot(`
    "loads extensions (.quoll/extensions, 2 files): their code runs inside Quoll with all your rights
    runs the extension one (.quoll/extensions/one.ts)
    does not compare code that an extension loads from outside .quoll/extensions, such as node_modules or src: it may change unnoticed"
  `);
  await project.write("src/other.ts", "changed");
  expect(item().content).toBe(content);
  const seen = new Set([content]);
  for (const path of ["lib/help.ts", "lib/late.mts", "package.json", ".hidden/x"]) {
    await project.write(`.quoll/extensions/${path}`, "changed");
    expect(seen).not.toContain(item().content);
    seen.add(item().content);
  }
});

test("a folder of extensions with a file that is too large can't be approved", async () => {
  await using project = await tempProject({ ".quoll/extensions/one.ts": "" });
  await project.write(".quoll/extensions/data", "x".repeat(16 * 1024 * 1024 + 1));
  const folder = project.path(".quoll/extensions");
  const { obstacle } = extensionsApprovable(folder, findExtensions(folder).files, project.dir);
  expect(obstacle).toContain("too many or too large files");
});
