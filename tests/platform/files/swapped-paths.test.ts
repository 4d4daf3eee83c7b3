import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { ToolFailedError } from "../../../src/contracts/errors.ts";
import { readStamp } from "../../../src/platform/files/file-stamp.ts";
import { HeldFolder } from "../../../src/platform/files/held-folder.ts";
import { loadFile } from "../../../src/platform/files/load-file.ts";
import { openFile } from "../../../src/platform/files/open-file.ts";
import { writeFile } from "../../../src/platform/files/write-file.ts";
import { failure } from "../../services/tools/call-tool.ts";
import { isDeep } from "../../support/deep.ts";
import { tempProject } from "../../support/temp-project.ts";
import { swapper } from "./swapper.ts";

const { signal } = new AbortController();
const ROUNDS = isDeep ? 500 : 150;
/** A busy machine may give a racing process no turn for long. */
const RACE_MS = 10_000;
const CHANGED = "changed while it was judged: nothing was read or written; call again.";

/** Both ways of reaching an entry; the second is what other systems get. */
const WAYS = process.platform === "linux" ? [true, false] : [false];

/** The outcome of a try: its result, or undefined for an error that the model gets. */
async function tried<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ToolFailedError) return undefined;
    throw error;
  }
}

/**
 * The outcomes of reads of a path while another process swaps it; ends after at least one read and one refusal, or
 * at the time limit.
 */
async function racedReads(path: string, byHandle: boolean): Promise<ReadonlySet<string | undefined>> {
  const seen = new Set<string | undefined>();
  const end = performance.now() + RACE_MS;
  for (let round = 0; round < ROUNDS || (seen.size < 2 && performance.now() < end); round += 1) {
    seen.add(await tried(() => readAll(path, byHandle)));
  }
  return seen;
}

async function readAll(path: string, byHandle: boolean): Promise<string> {
  const { handle } = await openFile(path, byHandle);
  return handle.readFile("utf8").finally(() => handle.close());
}

/** Bytes of all files under a folder. */
function bytesIn(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

for (const byHandle of WAYS) {
  describe(byHandle ? "through the open folder" : "by path and identity", () => {
    test("a folder that a racing process swaps for a link never leads a write outside", async () => {
      await using project = await tempProject({ "in/sub/f": "old", "out/sub/f": "outside" });
      await using _ = await swapper({ path: project.path("in"), to: project.path("out"), kind: "link" });
      const path = project.path("in/sub/f");
      let written = 0;
      let refused = 0;
      const end = performance.now() + RACE_MS;
      for (let round = 0; round < ROUNDS || (written * refused === 0 && performance.now() < end); round += 1) {
        const bytes = Buffer.from(`round ${round}`);
        const expected = await tried(() => readStamp(path));
        const stamp = await tried(() => writeFile({ path, bytes, expected, signal, byHandle }));
        if (stamp) written += 1;
        else refused += 1;
      }
      expect(readFileSync(project.path("out/sub/f"), "utf8")).toBe("outside");
      expect(bytesIn(project.path("out"))).toBe("outside".length);
      // By path the window may leave an empty temporary file; through the handle not even that.
      if (byHandle) expect(readdirSync(project.path("out/sub"))).toEqual(["f"]);
      // Both outcomes happened, so there really was a race.
      expect([written > 0, refused > 0]).toEqual([true, true]);
    }, 60_000);

    test("a new folder's file is never created outside", async () => {
      await using project = await tempProject({ "in/x": "", "out/x": "outside" });
      await using _ = await swapper({ path: project.path("in"), to: project.path("out"), kind: "link" });
      for (let round = 0; round < ROUNDS; round += 1) {
        const path = project.path(`in/new${round}/deep/f`);
        await tried(() => writeFile({ path, bytes: Buffer.from("x"), expected: undefined, signal, byHandle }));
      }
      const files = readdirSync(project.path("out"), { recursive: true, withFileTypes: true }).filter((e) =>
        e.isFile(),
      );
      expect(files.map(({ name }) => name)).toEqual(["x"]);
      // By path the window may leave an empty folder; through the handle not even that.
      if (byHandle) expect(readdirSync(project.path("out"))).toEqual(["x"]);
    }, 60_000);

    test("a read never shows a file outside", async () => {
      await using project = await tempProject({ "in/sub/f": "inside", "out/sub/f": "outside" });
      await using _ = await swapper({ path: project.path("in"), to: project.path("out"), kind: "link" });
      expect(await racedReads(project.path("in/sub/f"), byHandle)).toEqual(new Set(["inside", undefined]));
    }, 60_000);

    test("a file that a racing process swaps for a link to a secret is never read through it", async () => {
      await using project = await tempProject({ "in/f": "inside", secret: "outside" });
      await using _ = await swapper({ path: project.path("in/f"), to: project.path("secret"), kind: "link" });
      expect(await racedReads(project.path("in/f"), byHandle)).toEqual(new Set(["inside", undefined]));
    }, 60_000);

    test("a FIFO that is swapped in neither hangs a read nor is written", async () => {
      await using project = await tempProject({ "in/f": "inside" });
      execFileSync("mkfifo", [project.path("fifo")]);
      await using _ = await swapper({ path: project.path("in/f"), to: project.path("fifo"), kind: "fifo" });
      expect(await racedReads(project.path("in/f"), byHandle)).toEqual(new Set(["inside", undefined]));
    }, 60_000);

    test("a file that is replaced between the look at it and the opening is told by its path alone", async () => {
      await using project = await tempProject({ f: "old" });
      const path = project.path("f");
      for (let round = 0; round < 100; round += 1) {
        await project.write("next", "new");
        const reading = tried(() => readAll(path, byHandle));
        renameSync(project.path("next"), path);
        const shown = await reading;
        if (!byHandle) expect(shown).toBeUndefined();
        else if (round > 0 && shown !== undefined) expect(shown).toBe("new");
      }
    });

    test("a write never follows a link in the file's own place", async () => {
      await using project = await tempProject({ "in/x": "", secret: "outside" });
      const path = project.path("in/f");
      symlinkSync(project.path("secret"), path);
      const write = (expected: Awaited<ReturnType<typeof readStamp>>) =>
        writeFile({ path, bytes: Buffer.from("new"), expected, signal, byHandle });
      expect(await failure(write(undefined))).toContain("was created by another program just now");
      expect(await failure(readAll(path, byHandle))).toBe(`${path} ${CHANGED}`);
      expect(readFileSync(project.path("secret"), "utf8")).toBe("outside");
      expect(readdirSync(project.path("in")).sort()).toEqual(["f", "x"]);
    });

    test("a folder that is a link, lies under one, is a file or is gone is told apart", async () => {
      await using project = await tempProject({ "real/sub/f": "x", file: "" });
      symlinkSync("real", project.path("link"));
      const hold = async (name: string) => HeldFolder.hold(project.path(name), byHandle);
      expect(await failure(hold("link"))).toBe(`${project.path("link")} ${CHANGED}`);
      expect(await failure(hold("link/sub"))).toBe(`${project.path("link/sub")} ${CHANGED}`);
      expect(await failure(hold("file"))).toContain(byHandle ? "ENOTDIR" : "is not a folder");
      expect(await failure(hold("none"))).toContain("ENOENT");
      expect(await failure(loadFile(project.path("file/x"), 10, signal))).toBe(
        `A part of the path ${project.path("file/x")} is a file, not a folder.`,
      );
    });

    test("a held folder that is moved away is noticed, and what is in it stays reachable to nobody else", async () => {
      await using project = await tempProject({ "in/f": "inside", "out/f": "outside" });
      const held = HeldFolder.hold(project.path("in"), byHandle);
      try {
        expect(held.stampOf("f")?.size).toBe(6);
        renameSync(project.path("in"), project.path("moved"));
        symlinkSync("out", project.path("in"));
        expect(() => held.verify()).toThrow(CHANGED);
        expect(() => held.stampOf("f")).toThrow(CHANGED);
        expect(existsSync(held.entry("f"))).toBe(true);
        if (byHandle) expect(readFileSync(held.entry("f"), "utf8")).toBe("inside");
      } finally {
        held.close();
      }
    });

    test("folders are made one by one, also where one is there by then", async () => {
      await using project = await tempProject({});
      const write = (name: string) =>
        writeFile({ path: project.path(name), bytes: Buffer.from(name), expected: undefined, signal, byHandle });
      await Promise.all(["a/b/c/1", "a/b/c/2", "a/b/3", "a/4"].map(write));
      expect(await Promise.all(["a/b/c/1", "a/b/c/2", "a/b/3", "a/4"].map((name) => project.read(name)))).toEqual([
        "a/b/c/1",
        "a/b/c/2",
        "a/b/3",
        "a/4",
      ]);
    });

    test("a folder that may only be entered is no obstacle", async () => {
      await using project = await tempProject({ "in/f": "inside" });
      chmodSync(project.path("in"), 0o311);
      try {
        expect(await readAll(project.path("in/f"), byHandle)).toBe("inside");
      } finally {
        chmodSync(project.path("in"), 0o755);
      }
    });
  });
}

test("descriptors are given back, however a call ends", async () => {
  if (process.platform !== "linux") return;
  await using project = await tempProject({ "in/f": "inside" });
  mkdirSync(project.path("in/folder"));
  const open = () => readdirSync("/proc/self/fd").length;
  const before = open();
  for (let round = 0; round < 50; round += 1) {
    await tried(() => loadFile(project.path("in/f"), 3, signal));
    await tried(() => loadFile(project.path("in/none"), 3, signal));
    await tried(() => loadFile(project.path("in/folder"), 3, signal));
    const bytes = Buffer.from("x");
    await tried(() => writeFile({ path: project.path("in/f"), bytes, expected: undefined, signal }));
    await tried(() => writeFile({ path: project.path("in/f/g/h"), bytes, expected: undefined, signal }));
  }
  expect(open()).toBe(before);
});
