import { expect, test } from "bun:test";
import { outdatedSessions } from "../../../src/services/session/retention.ts";
import { seededTest } from "../../support/deep.ts";
import { seededRandom } from "../../support/seeded-random.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const NOW = 1_000 * DAY_MS;
const KEEP = { keepDays: 30, maxBytes: 1_000 };
const session = (id: string, days: number, bytes = 10, marks = {}) => ({
  ...{ id, modifiedAt: NOW - days * DAY_MS, bytes },
  ...marks,
});
const named = (found: ReturnType<typeof outdatedSessions<ReturnType<typeof session>>>) =>
  found.map(({ session: { id }, why }) => `${id} ${why}`);

test("sessions that were not changed for longer than the days are outdated, the oldest first", () => {
  const all = [session("new", 1), session("old", 31), session("edge", 30), session("older", 400)];
  expect(named(outdatedSessions(all, KEEP, NOW))).toEqual(["older age", "old age"]);
});

test("the oldest sessions are outdated until the rest fits on the disk", () => {
  const all = [session("a", 1, 600), session("b", 2, 300), session("c", 3, 300), session("d", 40, 900)];
  expect(named(outdatedSessions(all, KEEP, NOW))).toEqual(["d age", "c size"]);
});

test("a session in use, pinned or archived stays but counts in the size", () => {
  const all = [
    session("open", 90, 500, { isOpen: true }),
    session("pinned", 90, 500, { isPinned: true }),
    session("archived", 90, 500, { isArchived: true }),
    session("recent", 1, 10),
  ];
  expect(named(outdatedSessions(all, KEEP, NOW))).toEqual(["recent size"]);
});

seededTest(
  "kept sessions always stay, and the others fit on the disk unless none of them can go",
  { seed: 7, cases: { quick: 50, deep: 2_000 } },
  (seed, cases) => {
    const random = seededRandom(seed);
    for (let at = 0; at < cases; at += 1)
      checkOutdated(Array.from({ length: random.below(40) }, () => anySession(random)));
  },
);

function anySession({ below }: ReturnType<typeof seededRandom>) {
  const marks = { isOpen: below(5) === 0, isPinned: below(5) === 0, isArchived: below(5) === 0 };
  return session("any", below(60), below(200), marks);
}

function checkOutdated(all: readonly ReturnType<typeof session>[]): void {
  const gone = new Set(outdatedSessions(all, KEEP, NOW).map(({ session: one }) => one));
  const left = all.filter((one) => !gone.has(one));
  const isFree = (one: object) => !Object.values(one).includes(true);
  expect([...gone].filter((one) => !isFree(one))).toEqual([]);
  expect(left.filter((one) => isFree(one) && one.modifiedAt < NOW - 30 * DAY_MS)).toEqual([]);
  const bytes = left.reduce((sum, one) => sum + one.bytes, 0);
  expect(bytes <= KEEP.maxBytes || left.every((one) => !isFree(one))).toBe(true);
}
