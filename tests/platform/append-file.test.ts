import { expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { AppendFile } from "../../src/platform/append-file.ts";
import { tempProject } from "../support/temp-project.ts";

test("an appended text is in the file when append returns, readable for this user alone", async () => {
  await using project = await tempProject();
  const file = new AppendFile(project.path("deep/folder/log"));
  file.append("one\n");
  file.append("zwei ü\n");
  expect(await project.read("deep/folder/log")).toBe("one\nzwei ü\n");
  expect(statSync(file.path).mode & 0o777).toBe(0o600);
  expect(statSync(project.path("deep/folder")).mode & 0o777).toBe(0o700);
  await file.sync();
  file.close();
  expect(() => file.append("late")).toThrow("closed");
});

test("truncate takes the end off and the next entry follows what is left", async () => {
  await using project = await tempProject({ log: "whole\nto" });
  const file = new AppendFile(project.path("log"));
  file.truncate(6);
  file.append("next\n");
  file.close();
  expect([await project.read("log"), file.size]).toEqual(["whole\nnext\n", 11]);
});

test("a full disk leaves nothing of the entry behind", () => {
  if (!existsSync("/dev/full")) return;
  const file = new AppendFile("/dev/full");
  expect(() => file.append("entry\n")).toThrow("ENOSPC");
  expect(file.size).toBe(0);
  file.close();
});

test("a folder in the place of the file is a system error", async () => {
  await using project = await tempProject();
  await mkdir(project.path("log"));
  expect(() => new AppendFile(project.path("log"))).toThrow("EISDIR");
});

test("a sync during another flush waits for that flush too", async () => {
  await using project = await tempProject();
  const file = new AppendFile(project.path("log"));
  file.append("x".repeat(8 * 1024 * 1024));
  const done: string[] = [];
  const first = file.sync().then(() => done.push("first"));
  await file.sync();
  done.push("second");
  await first;
  expect(done).toEqual(["first", "second"]);
  file.close();
  await file.sync();
});
