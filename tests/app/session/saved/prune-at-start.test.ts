import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { pruneAtStart } from "../../../../src/app/session/saved/prune-at-start.ts";
import type { SessionRetention } from "../../../../src/contracts/settings.ts";
import { randomIds } from "../../../../src/platform/clock.ts";
import { labelSession } from "../../../../src/services/session/label-session.ts";
import { asUser, openLog } from "../../../services/session/support.ts";
import { fakeClock } from "../../../support/fake-clock.ts";
import { tempProject } from "../../../support/temp-project.ts";

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = 1_000 * DAY_MS;

/** Quoll's own folders with sessions that were changed so many days before `NOW`. */
async function machine(days: Readonly<Record<string, number>>) {
  const home = await tempProject({});
  const folder = home.path("data/sessions/p");
  const own = { data: home.path("data"), state: home.path("state") };
  const put = (id: string, age: number) => {
    const log = openLog({ folder, sessionId: id });
    log.append(asUser("u1", `prompt of ${id}`));
    log.close();
    const seconds = (NOW - age * DAY_MS) / 1_000;
    utimesSync(log.path, seconds, seconds);
  };
  for (const [id, age] of Object.entries(days)) put(id, age);
  const told: string[] = [];
  return {
    home,
    folder,
    put,
    told,
    /** A start of Quoll, so many hours after `NOW`. */
    start: (hours: number, retention: SessionRetention = {}, startedAt = NOW + hours * HOUR_MS) =>
      pruneAtStart({
        ...{ own, retention, startedAt, now: NOW + hours * HOUR_MS + 10_000 },
        notify: (line) => void told.push(line),
      }),
    ids: () =>
      readdirSync(folder)
        .flatMap((name) => (name.endsWith(".jsonl") ? [name.slice(0, -6)] : []))
        .sort(),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

test("the first prune says what it will delete at one start, and deletes it at the next", async () => {
  await using at = await machine({ new: 1, old: 31, older: 90 });
  await at.start(0);
  expect(at.ids()).toEqual(["new", "old", "older"]);
  expect(at.told).toEqual([expect.stringMatching(/next start.*2 sessions .*30 days.*quoll sessions prune --dry-run/)]);
  // A process that began before the person was told is no next start.
  await at.start(1, {}, NOW);
  expect(at.ids()).toHaveLength(3);
  await at.start(2);
  expect(at.ids()).toEqual(["new"]);
  expect(at.told).toHaveLength(1);
});

test("later prunes happen at most once a day, without a word", async () => {
  await using at = await machine({ new: 1, old: 31 });
  await at.start(0);
  await at.start(1);
  at.put("another", 40);
  await at.start(2);
  expect(at.ids()).toEqual(["another", "new"]);
  await at.start(26);
  expect(at.ids()).toEqual(["new"]);
  expect(at.told).toHaveLength(1);
});

test("sessions in use, pinned or archived stay, whatever their age and size", async () => {
  await using at = await machine({ gone: 90, pinned: 90, archived: 90, open: 90 });
  const parts = { clock: fakeClock(), ids: randomIds };
  labelSession({ folder: at.folder, sessionId: "pinned" }, { isPinned: true }, parts);
  labelSession({ folder: at.folder, sessionId: "archived" }, { isArchived: true }, parts);
  const log = openLog({ folder: at.folder, sessionId: "open", how: "resume" });
  utimesSync(log.path, 1, 1);
  await at.start(0, { keepDays: 1, maxDiskMb: 1 });
  await at.start(1, { keepDays: 1, maxDiskMb: 1 });
  expect(at.ids()).toEqual(["archived", "open", "pinned"]);
  log.close();
});

test("the output of a session counts in the size and is deleted with it; output without a log is found", async () => {
  await using at = await machine({ large: 3, small: 2 });
  const write = (path: string, bytes: number) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "x".repeat(bytes));
  };
  write(`${at.folder}/large/call.txt`, 1_100_000);
  write(`${at.folder}/lost/call.txt`, 10);
  utimesSync(`${at.folder}/lost`, 1, 1);
  await at.start(0, { maxDiskMb: 1 });
  await at.start(1, { maxDiskMb: 1 });
  expect(at.ids()).toEqual(["small"]);
  expect(["large", "lost"].map((name) => existsSync(`${at.folder}/${name}`))).toEqual([false, false]);
});

test("the checkpoints of a session are deleted with it, and those of others stay", async () => {
  await using at = await machine({ old: 31, new: 1 });
  const record = (id: string) => at.home.path(`data/checkpoints/p/${id}.jsonl`);
  for (const id of ["old", "new"]) await at.home.write(`data/checkpoints/p/${id}.jsonl`, "");
  await at.start(0);
  await at.start(1);
  expect([existsSync(record("old")), existsSync(record("new"))]).toEqual([false, true]);
});

test("a deleted session leaves the bin after the time for an undo", async () => {
  await using at = await machine({ new: 1 });
  const bin = (ms: number) => at.home.path(`data/deleted-sessions/${ms}.p`);
  for (const ms of [NOW - HOUR_MS, NOW + 5_000]) mkdirSync(bin(ms), { recursive: true });
  await at.start(0);
  expect([existsSync(bin(NOW - HOUR_MS)), existsSync(bin(NOW + 5_000))]).toEqual([false, true]);
});

test.each(["", "{", "null", '{"toldAt":"x"}'])("a damaged record (%j) tells the person once more", async (content) => {
  await using at = await machine({ old: 31 });
  await at.home.write("state/session-prune.json", content);
  await at.start(0);
  expect([at.told.length, at.ids().length]).toEqual([1, 1]);
  await at.start(1);
  expect(at.ids()).toEqual([]);
});

test("a clock that was set back does not put off the next prune", async () => {
  await using at = await machine({ old: 31 });
  await at.home.write("state/session-prune.json", JSON.stringify({ toldAt: 1, prunedAt: NOW + 900 * DAY_MS }));
  await at.start(0);
  expect(at.ids()).toEqual([]);
});
