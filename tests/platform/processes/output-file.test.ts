import { describe, expect, test } from "bun:test";
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { OutputFiles } from "../../../src/platform/processes/output-file.ts";
import { eventually } from "../../support/eventually.ts";
import { tempProject } from "../../support/temp-project.ts";

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

async function prepared() {
  const folder = await tempProject();
  const directory = folder.path("artifacts");
  const files = new OutputFiles();
  files.prepare(() => directory);
  await eventually("a file is prepared", () => existsSync(directory) && readdirSync(directory).length === 1);
  const spare = join(directory, readdirSync(directory)[0] ?? "");
  const taken = async () => {
    const file = await files.take(directory);
    writeSync(file.descriptor, "said");
    const { path } = file;
    const text = readFileSync(path, "utf8");
    await file.close();
    return { path, text };
  };
  const other = folder.path("other");
  return { directory, other, files, spare, taken, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

describe("the output files of commands", () => {
  test("the prepared file is used once, by the next command", async () => {
    await using one = await prepared();
    expect(statSync(one.spare).mode & 0o777).toBe(0o600);
    expect(await one.taken()).toEqual({ path: one.spare, text: "said" });
    expect((await one.taken()).path).not.toBe(one.spare);
    await one.files.close();
  });

  test("a prepared file that was written to, removed or replaced is not used", async () => {
    for (const spoil of [
      (path: string) => appendFileSync(path, "old"),
      (path: string) => rmSync(path),
      (path: string) => {
        rmSync(path);
        writeFileSync(path, "");
      },
    ]) {
      await using one = await prepared();
      spoil(one.spare);
      const { path, text } = await one.taken();
      expect(path).not.toBe(one.spare);
      expect(text).toBe("said");
      await one.files.close();
    }
  });

  test("neither a folder that can't be made nor one that became a file is a failure, and nothing stays open", async () => {
    await using one = await prepared();
    const isOpen = () => readdirSync("/proc/self/fd").some((fd) => linkOf(`/proc/self/fd/${fd}`).startsWith(one.spare));
    expect(isOpen()).toBe(true);
    rmSync(one.directory, { recursive: true });
    writeFileSync(one.directory, "");
    one.files.prepare(() => {
      throw new Error("no folder");
    });
    await expect(one.files.take(one.directory)).rejects.toThrow();
    expect(isOpen()).toBe(false);
    await one.files.close();
  });

  test("a file prepared for another folder is removed", async () => {
    await using one = await prepared();
    const file = await one.files.take(one.other);
    expect(file.path).toContain("/other/");
    expect(existsSync(one.spare)).toBe(false);
    await file.close();
    await one.files.close();
  });

  test("the end of the session removes the prepared file, and none is prepared afterwards", async () => {
    await using one = await prepared();
    await one.files.close();
    expect(readdirSync(one.directory)).toEqual([]);
    one.files.prepare(() => one.directory);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(readdirSync(one.directory)).toEqual([]);
  });
});
