import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { findGit } from "../../../../src/platform/git/find-git.ts";
import { BACKUP_INDEX, BackupIndex } from "../../../../src/services/checkpoint/io/backup-index.ts";
import { diskUsage, type Prune, pruneCheckpoints } from "../../../../src/services/checkpoint/io/prune.ts";
import { RESTORES, recordFile } from "../../../../src/services/checkpoint/io/record-file.ts";
import { PRUNE_LIMITS } from "../../../../src/services/checkpoint/prune-plan.ts";
import { deepTest } from "../../../support/deep.ts";
import { agentTurn, type CheckpointPlace, checkpointPlace } from "../checkpoint-place.ts";

const NEVER = new AbortController().signal;
const DAY_MS = 24 * 60 * 60 * 1_000;
const FILES = { scope: "files" } as const;

function pruneOf(place: CheckpointPlace, more: Partial<Prune> = {}): Promise<readonly string[]> {
  return pruneCheckpoints(
    {
      root: place.place.path("all"),
      others: [],
      git: findGit(process.env, []),
      environment: { PATH: process.env["PATH"] },
      nowMs: place.now(),
      expire: "now",
      ...more,
    },
    NEVER,
  );
}

/** A session of some prompts, each of which writes 20 KB that can't be compressed; closed. */
async function session(place: CheckpointPlace, sessionId: string, prompts: number, project = "p"): Promise<void> {
  const folder = place.place.path(`all/${project}`);
  const { store } = place.open({ folder, sessionId });
  for (let at = 0; at < prompts; at += 1)
    await agentTurn(store, place.root, {
      messageId: `${sessionId}-${at}`,
      work: () => place.write("a.bin", crypto.getRandomValues(new Uint8Array(20_000))),
    });
  await store.close();
}

async function pointsOf(place: CheckpointPlace, sessionId: string, project = "p"): Promise<readonly string[]> {
  const { rewinds } = place.open({ folder: place.place.path(`all/${project}`), sessionId });
  return (await rewinds.points(NEVER)).map(({ messageId }) => messageId);
}

describe("a prune of checkpoints", () => {
  deepTest("says once what it will delete, and deletes at the next start", async () => {
    await using place = await checkpointPlace({ "kept.txt": "k" });
    await session(place, "s", 4);
    const limits = { ...PRUNE_LIMITS, maxPoints: 2 };
    const [line = "", ...others] = await pruneOf(place, { limits });
    expect(line).toContain("2 checkpoints");
    expect(others).toEqual([]);
    expect(await pointsOf(place, "s")).toHaveLength(4);
    expect(await pruneOf(place, { limits })).toEqual([]);
    expect(await pointsOf(place, "s")).toEqual(["s-2", "s-3"]);
    expect(await pruneOf(place, { limits })).toEqual([]);
  });

  deepTest("frees the disk, and leaves everything that the kept checkpoints need", async () => {
    await using place = await checkpointPlace({ "a.bin": "first" });
    await session(place, "s", 6);
    const limits = { ...PRUNE_LIMITS, maxPoints: 2 };
    const before = await diskUsage([place.place.path("all")], NEVER);
    await pruneOf(place, { limits });
    await pruneOf(place, { limits });
    expect(before - (await diskUsage([place.place.path("all")], NEVER))).toBeGreaterThan(60_000);
    const { rewinds, store } = place.open({ folder: place.place.path("all/p"), sessionId: "s" });
    expect((await rewinds.rewind({ messageId: "s-4", ...FILES }, NEVER)).kept).toEqual([]);
    expect((await rewinds.rewind({ messageId: "s-5", ...FILES }, NEVER)).kept).toEqual([]);
    const state = await store.takeState({ cause: { kind: "before" }, roots: [place.root] }, NEVER);
    expect(state.notHeld).toEqual([]);
  });

  test("deletes checkpoints after 30 days, and then everything of the project", async () => {
    await using place = await checkpointPlace({ "a.bin": "first" });
    await session(place, "s", 1);
    for (const days of [29, 31, 31]) await pruneOf(place, { nowMs: place.now() + days * DAY_MS });
    expect(existsSync(place.place.path("all/p"))).toBe(false);
  });

  deepTest(
    "deletes the oldest checkpoints of all projects while the disk limit is exceeded, with the backups",
    async () => {
      await using place = await checkpointPlace({ "a.bin": "first" });
      await session(place, "old", 5, "p");
      await session(place, "new", 5, "q");
      const all = await diskUsage([place.place.path("all")], NEVER);
      const backups = place.place.path("backups");
      mkdirSync(backups);
      await place.place.write("backups/b", "x".repeat(100_000));
      const limits = { ...PRUNE_LIMITS, maxBytes: all + 50_000 };
      for (let start = 0; start < 2; start += 1) await pruneOf(place, { limits, others: [backups] });
      expect(await diskUsage([place.place.path("all"), backups], NEVER)).toBeLessThanOrEqual(limits.maxBytes);
      expect((await pointsOf(place, "old")).length).toBeLessThan(5);
      expect(await pointsOf(place, "new", "q")).toHaveLength(5);
    },
  );

  deepTest("leaves a session that is in use, and the contents that it has just written", async () => {
    await using place = await checkpointPlace({ "a.bin": "first" });
    const folder = place.place.path("all/p");
    const { store, rewinds } = place.open({ folder, sessionId: "live" });
    await agentTurn(store, place.root, { messageId: "m1", work: () => place.write("a.bin", "agent") });
    await session(place, "s", 3);
    const limits = { ...PRUNE_LIMITS, maxPoints: 0, maxBytes: 0 };
    for (let start = 0; start < 2; start += 1) await pruneOf(place, { limits });
    expect(await pointsOf(place, "s")).toEqual([]);
    await place.write("a.bin", "agent");
    expect((await rewinds.rewind({ messageId: "m1", ...FILES }, NEVER)).kept).toEqual([]);
    expect(await place.read("a.bin")).toBe("first");
  });

  test("leaves alone what running sessions stored that have no record yet", async () => {
    await using place = await checkpointPlace({ "kept.txt": "k" });
    await session(place, "old", 1);
    const folder = place.place.path("all/p");
    for (const sessionId of ["a", "b"]) await place.open({ folder, sessionId }).store.prepare([place.root]);
    const nowMs = place.now() + 2 * PRUNE_LIMITS.keepDays * DAY_MS;
    for (let start = 0; start < 2; start += 1) await pruneOf(place, { nowMs });
    expect(readdirSync(join(folder, "index")).sort()).toEqual(["a", "b"]);
    expect(existsSync(join(folder, "objects.git/HEAD"))).toBe(true);
  });

  deepTest("keeps one index of ended sessions", async () => {
    await using place = await checkpointPlace({ "a.bin": "first" });
    for (const id of ["s1", "s2", "s3"]) await session(place, id, 1);
    await pruneOf(place);
    expect(readdirSync(place.place.path("all/p/index"))).toHaveLength(1);
  });
});

/** A folder of copies as the guard makes it, of 100 KB. */
async function backup(place: CheckpointPlace, project: string, id: string): Promise<string> {
  await place.place.write(`backups/${project}/${id}/manifest.json`, "{}");
  await place.place.write(`backups/${project}/${id}/files/1/a`, "x".repeat(100_000));
  return place.place.path(`backups/${project}/${id}`);
}

describe("a prune of backups", () => {
  const IDS = ["20260101T000000Z-aaaaaa", "20260102T000000Z-aaaaaa", "20260103T000000Z-aaaaaa"] as const;

  test("begins when no checkpoint is left, says so once, and leaves the newest of each project", async () => {
    await using place = await checkpointPlace({ "a.bin": "first" });
    await session(place, "s", 2);
    const [oldest, middle, newest] = await Promise.all(IDS.map((id) => backup(place, "p", id)));
    const other = await backup(place, "q", IDS[0]);
    const names = await place.place.write("backups/r/20250101T000000Z-aaaaaa/names-1", "the names of a command\0");
    await place.place.write("backups/r/20250102T000000Z-aaaaaa/names-1", "newer");
    const there = () => [oldest, middle, newest, other].map((folder) => existsSync(folder ?? ""));
    const others = [place.place.path("backups")];
    const limits = { ...PRUNE_LIMITS, maxBytes: (await diskUsage(others, NEVER)) - 50_000 };
    expect(await pruneOf(place, { limits, others })).toEqual([expect.stringContaining("checkpoints")]);
    expect(await pruneOf(place, { limits, others })).toEqual([expect.stringContaining("oldest backups")]);
    expect([await pointsOf(place, "s"), there()]).toEqual([[], [true, true, true, true]]);
    expect(await pruneOf(place, { limits, others })).toEqual([]);
    expect(there()).toEqual([false, true, true, true]);
    await pruneOf(place, { limits: { ...limits, maxBytes: 0 }, others });
    expect([...there(), existsSync(names)]).toEqual([false, false, true, true, true]);
  });

  test("keeps the list of backups when the last session of a project goes, until it is old itself", async () => {
    await using place = await checkpointPlace({ "a.bin": "first" });
    await session(place, "s", 1);
    const folder = place.place.path("all/p");
    const record = { id: IDS[0], time: place.now(), cause: "deletes x", parts: [], lines: ["x"] };
    await new BackupIndex(folder).add([record]);
    const limits = { ...PRUNE_LIMITS, maxPoints: 0 };
    for (let start = 0; start < 2; start += 1) await pruneOf(place, { limits });
    expect([readdirSync(folder), new BackupIndex(folder).all()]).toEqual([[BACKUP_INDEX], [record]]);
    await pruneOf(place, { nowMs: Date.now() + 31 * DAY_MS });
    expect(existsSync(folder)).toBe(false);
  });

  test("forgets the restores of a shell 30 days after the last one", async () => {
    await using place = await checkpointPlace({ "a.bin": "first" });
    const folder = place.place.path("all/p");
    const { rewinds, store } = place.open({ folder, sessionId: RESTORES });
    await place.write("copy", "of the backup");
    const from = { copy: place.path("copy"), size: 13 };
    const entry = { path: place.path("b"), kind: "file", mode: 0o644, isExecutable: false, from } as const;
    const reader = { find: async () => [], entries: async () => [entry], objects: async () => new Map() };
    const record = { id: IDS[0], time: 0, cause: "", parts: [], lines: [] };
    await rewinds.restoreBackup({ record, reader }, NEVER);
    await store.close();
    expect(await place.read("b")).toBe("of the backup");
    await pruneOf(place);
    expect(existsSync(recordFile(folder, RESTORES))).toBe(true);
    for (const days of [31, 31]) await pruneOf(place, { nowMs: place.now() + days * DAY_MS });
    expect(existsSync(recordFile(folder, RESTORES))).toBe(false);
  });
});

describe("the store", () => {
  test("is readable only by this user", async () => {
    await using place = await checkpointPlace({ "a.bin": "first" });
    for (let at = 0; at < 600; at += 1) await place.write(`many/${at}.txt`, `${at}`);
    await session(place, "s", 1);
    const found = execFileSync("find", [place.place.path("all"), "-perm", "/077"], { encoding: "utf8" });
    expect(found.split("\n").filter((path) => path !== "")).toEqual([]);
    expect(statSync(join(place.place.path("all"), "p")).mode & 0o777).toBe(0o700);
  });
});
