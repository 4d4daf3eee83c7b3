import { expect, test } from "bun:test";
import { rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { OutputFile } from "../../../src/platform/processes/output-file.ts";
import { tempProject } from "../../support/temp-project.ts";

test("an output file is new and private, and can be read when its path is gone", async () => {
  await using folder = await tempProject();
  const path = folder.path("artifacts/out.log");
  const file = await OutputFile.create(path);
  expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700]);
  writeSync(file.descriptor, "said");
  await expect(OutputFile.create(path)).rejects.toThrow();
  rmSync(path);
  expect((await file.read(0, 10)).toString()).toBe("said");
  await file.close();
});

test("a folder that became a file is a failure", async () => {
  await using folder = await tempProject();
  writeFileSync(folder.path("artifacts"), "");
  await expect(OutputFile.create(folder.path("artifacts/out.log"))).rejects.toThrow();
});
