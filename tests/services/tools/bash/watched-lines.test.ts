import { expect, test } from "bun:test";
import { appendFileSync } from "node:fs";
import { OutputFile } from "../../../../src/platform/processes/output-file.ts";
import { WatchedLines } from "../../../../src/services/tools/bash/watched-lines.ts";
import { tempProject } from "../../../support/temp-project.ts";

test("a line counts once and when it is complete; of a flood only the end is read", async () => {
  await using project = await tempProject({ log: "one ready\nrea" });
  const log = await OutputFile.open(project.path("log"));
  const lines = new WatchedLines("READY|a*c");
  const look = async (isOver: boolean) => lines.look(log, await log.size(), isOver);
  expect(await look(false)).toEqual(["one ready"]);
  expect(await look(false)).toEqual([]);
  appendFileSync(project.path("log"), "dy two\nc then a\nxabbcx\nready at the");
  expect(await look(false)).toEqual(["ready two", "xabbcx"]);
  expect(await look(true)).toEqual(["ready at the"]);
  appendFileSync(project.path("log"), `\nready lost\n${"x\n".repeat(1024 * 1024)}ready found\n`);
  expect(await look(false)).toEqual(["ready found"]);
  await log.close();
});

test.each(["(a+)+$", ".*ready", "|", "*|"])("%s is no text to watch for", (pattern) => {
  expect(() => new WatchedLines(pattern)).toThrow("notify_on");
});
