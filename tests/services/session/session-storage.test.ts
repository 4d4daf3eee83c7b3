import { expect, test } from "bun:test";
import { existsSync, readdirSync, renameSync, symlinkSync } from "node:fs";
import { readFile } from "node:fs/promises";
import {
  binSession,
  deleteSession,
  emptyBin,
  storedBytes,
  unbinSession,
} from "../../../src/services/session/io/session-storage.ts";
import { tempProject } from "../../support/temp-project.ts";
import { asUser, openLog } from "./support.ts";

/** A session with output, in `data/sessions/p`. */
async function stored(extra: Readonly<Record<string, string>> = {}) {
  const project = await tempProject({
    "sessions/p/one/a.txt": "12345",
    "sessions/p/one/deep/b.txt": "123",
    "outside/kept.txt": "kept",
    ...extra,
  });
  const folder = project.path("sessions/p");
  const log = openLog({ folder, sessionId: "one" });
  log.append(asUser("u1", "hi"));
  return {
    project,
    folder,
    log,
    place: { folder, sessionId: "one" },
    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  };
}

test("a session's bytes are those of its log and of the files in its folder", async () => {
  await using at = await stored();
  at.log.close();
  symlinkSync(at.project.path("outside"), at.project.path("sessions/p/one/link"));
  const { logBytes, ...output } = storedBytes(at.place);
  expect(logBytes).toBe((await readFile(at.log.path)).length);
  expect(output.outputFiles).toBe(3);
  expect(output.outputBytes).toBe(8 + at.project.path("outside").length);
});

test("a deleted session leaves no file, and a link in its folder is not followed", async () => {
  await using at = await stored();
  at.log.close();
  symlinkSync(at.project.path("outside"), at.project.path("sessions/p/one/link"));
  deleteSession(at.place);
  expect(readdirSync(at.folder)).toEqual([]);
  expect(await readFile(at.project.path("outside/kept.txt"), "utf8")).toBe("kept");
});

test("a session that is open is neither deleted nor moved to the bin", async () => {
  await using at = await stored();
  expect(() => deleteSession(at.place)).toThrow("is open in another Quoll");
  expect(() => binSession(at.place, 1)).toThrow("is open in another Quoll");
  at.log.close();
  expect(readdirSync(at.folder).sort()).toEqual(["one", "one.jsonl"]);
});

test("a session comes back from the bin as it was, with its output", async () => {
  await using at = await stored();
  at.log.close();
  const before = await readFile(at.log.path, "utf8");
  const deleted = binSession(at.place, 5);
  expect(readdirSync(at.folder)).toEqual([]);
  unbinSession(deleted);
  expect(await readFile(at.log.path, "utf8")).toBe(before);
  expect(await readFile(at.project.path("sessions/p/one/deep/b.txt"), "utf8")).toBe("123");
  expect(existsSync(deleted.bin)).toBe(false);
});

test("a session deleted before a time is gone for good, and can't be brought back", async () => {
  await using at = await stored();
  at.log.close();
  const deleted = binSession(at.place, 5);
  emptyBin(at.project.dir, 5);
  expect(existsSync(deleted.bin)).toBe(true);
  emptyBin(at.project.dir, 6);
  expect(existsSync(deleted.bin)).toBe(false);
  expect(() => unbinSession(deleted)).toThrow("removed for good");
});

test("a session is not brought back over another one with its id", async () => {
  await using at = await stored();
  at.log.close();
  const deleted = binSession(at.place, 5);
  const other = openLog({ folder: at.folder, sessionId: "one" });
  other.append(asUser("u2", "another"));
  other.close();
  expect(() => unbinSession(deleted)).toThrow("already is a session one");
  expect(await readFile(other.path, "utf8")).toContain("another");
});

test("an interrupted move is completed: a half restored session comes back whole", async () => {
  await using at = await stored();
  at.log.close();
  const deleted = binSession(at.place, 5);
  // The process ended after the output was moved back.
  renameSync(`${deleted.bin}/one`, `${at.folder}/one`);
  unbinSession(deleted);
  expect(readdirSync(at.folder).sort()).toEqual(["one", "one.jsonl"]);
  expect(existsSync(deleted.bin)).toBe(false);
});
