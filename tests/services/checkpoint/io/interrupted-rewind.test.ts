import { describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseRecords, type RewindRecord } from "../../../../src/services/checkpoint/checkpoint-record.ts";
import { applyFiles } from "../../../../src/services/checkpoint/io/apply-files.ts";
import { FileCopies } from "../../../../src/services/checkpoint/io/file-copies.ts";
import { ObjectStore } from "../../../../src/services/checkpoint/io/object-store.ts";
import { deepTest } from "../../../support/deep.ts";
import { agentTurn, type CheckpointPlace, checkpointPlace } from "../checkpoint-place.ts";
import { pictureOf } from "../picture.ts";

const NEVER = new AbortController().signal;
const FILES = { "a.txt": "a", "b/c.txt": "c", "run.sh": "#!/bin/sh", "x/1": "1", "x/2": "2" };

/** The agent changes files in every way. */
async function agentsWork({ path, write }: CheckpointPlace): Promise<void> {
  await write("a.txt", "agent");
  rmSync(path("b"), { recursive: true });
  await write("b", "agent");
  chmodSync(path("run.sh"), 0o755);
  rmSync(path("x"), { recursive: true });
  symlinkSync("a.txt", path("x"));
  await write("new/deep/n.txt", "agent");
}

function recordsOf({ folder }: CheckpointPlace): string {
  return readFileSync(join(folder, "session-a.jsonl"), "utf8");
}

/** The journal of a rewind to `m1` in this place. */
async function journal(place: CheckpointPlace): Promise<{ readonly text: string; readonly entry: RewindRecord }> {
  const { store, rewinds } = place.open();
  await agentTurn(store, place.root, { messageId: "m1", work: () => agentsWork(place) });
  await rewinds.rewind({ messageId: "m1", scope: "files" }, NEVER);
  await rewinds.redo({}, NEVER);
  await store.close();
  const lines = recordsOf(place).trimEnd().split("\n");
  const at = lines.findIndex((line) => parseRecords(line)[0]?.kind === "rewind");
  const text = `${lines.slice(0, at + 1).join("\n")}\n`;
  const entry = parseRecords(text).find((one): one is RewindRecord => one.kind === "rewind");
  if (!entry) throw new Error("no journal");
  return { text, entry };
}

describe("an interrupted rewind", () => {
  deepTest("is finished at the next start, wherever it stopped", async () => {
    await using first = await checkpointPlace(FILES);
    const wanted = pictureOf(first.root);
    const count = (await journal(first)).entry.files.length;
    expect(count).toBeGreaterThan(8);
    for (let done = 0; done <= count; done += 1) {
      await using place = await checkpointPlace(FILES);
      const { text, entry } = await journal(place);
      writeFileSync(join(place.folder, "session-a.jsonl"), text);
      const objects = new ObjectStore(join(place.folder, "objects.git", "objects"), undefined);
      const copies = new FileCopies(objects, 1024 * 1024);
      await applyFiles({ id: entry.id, files: entry.files.slice(0, done).map(plain), objects, copies }, NEVER);
      const { rewinds } = place.open();
      const result = await rewinds.finishInterrupted(NEVER);
      expect({ done, kept: result?.kept, request: result?.request }).toEqual({
        done,
        kept: [],
        request: { messageId: "m1", scope: "files" },
      });
      expect(pictureOf(place.root)).toEqual(wanted);
      expect(await rewinds.finishInterrupted(NEVER)).toBeUndefined();
    }
  });

  deepTest("leaves a file that changed before the next start, and names it", async () => {
    await using place = await checkpointPlace(FILES);
    const { text } = await journal(place);
    writeFileSync(join(place.folder, "session-a.jsonl"), text);
    await place.write("a.txt", "person");
    const result = await place.open().rewinds.finishInterrupted(NEVER);
    expect(result?.kept).toEqual([{ path: place.path("a.txt"), reason: "it changed meanwhile" }]);
    expect(await place.read("a.txt")).toBe("person");
    expect(await place.read("b/c.txt")).toBe("c");
  });

  test("is finished after kill -9, and leaves no temporary file", async () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`f${at}.txt`, `before ${at}`]));
    for (const killAt of [1, 20]) {
      await using place = await checkpointPlace(many);
      const before = pictureOf(place.root);
      const { store, rewinds } = place.open();
      await agentTurn(store, place.root, {
        messageId: "m1",
        work: async () => {
          for (const name of Object.keys(many)) await place.write(name, "agent");
        },
      });
      await killedRewind(place, place.path(`f${killAt}.txt`));
      await rewinds.points(NEVER);
      const result = await place.open().rewinds.finishInterrupted(NEVER);
      // The process may have ended before the kill.
      expect(result?.kept ?? []).toEqual([]);
      expect(pictureOf(place.root)).toEqual(before);
    }
  }, 60_000);
});

function plain({ path, before, after }: RewindRecord["files"][number]) {
  return { path, before, after };
}

/** Rewinds in another process, and kills it as soon as it has written a file. */
async function killedRewind(place: CheckpointPlace, watched: string): Promise<void> {
  const options = { folder: place.folder, sessionId: "session-a", home: place.home, environment: {}, git: undefined };
  const file = await place.place.write("options.json", JSON.stringify(options));
  const script = join(import.meta.dir, "killed-rewind.ts");
  const child = spawn(process.execPath, [script, file, "m1"], { stdio: "ignore" });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  while (!isOver && existsSync(watched) && readFileSync(watched, "utf8") === "agent")
    await new Promise((resolve) => setImmediate(resolve));
  child.kill("SIGKILL");
  await ended;
}
