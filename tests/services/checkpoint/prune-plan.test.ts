import { describe, expect, test } from "bun:test";
import { parseRecords, withoutDropped } from "../../../src/services/checkpoint/checkpoint-record.ts";
import { oldestPoints, outdatedPoints } from "../../../src/services/checkpoint/prune-plan.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const LIMITS = { maxPoints: 3, keepDays: 30, maxBytes: 0 };

function session(id: string, ...days: readonly number[]) {
  return { id, points: days.map((day, at) => ({ id: `${id}${at}`, time: day * DAY_MS })) };
}

describe("the prompts that a prune drops", () => {
  test("are those beyond the newest hundred of a session, and those that are too old", () => {
    const sessions = [session("many", 95, 96, 97, 98, 99), session("old", 1, 69, 71), session("kept", 99)];
    expect(outdatedPoints(sessions, LIMITS, 100 * DAY_MS)).toEqual([
      { id: "many", until: "many2", points: 2 },
      { id: "old", until: "old2", points: 2 },
    ]);
  });

  test("are all of a session whose newest prompt is too old", () => {
    expect(outdatedPoints([session("old", 1, 2)], LIMITS, 100 * DAY_MS)).toEqual([
      { id: "old", until: null, points: 2 },
    ]);
  });

  test("are the oldest of all sessions, a fifth and at least one", () => {
    expect(oldestPoints([session("a", 1, 5, 9), session("b", 2, 6)])).toEqual([{ id: "a", until: "a1", points: 1 }]);
    expect(oldestPoints([session("a", 1, 2, 3, 4, 5), session("b", 2, 6, 7, 8, 9)])).toEqual([
      { id: "a", until: "a2", points: 2 },
      { id: "b", until: "b1", points: 1 },
    ]);
    expect(oldestPoints([])).toEqual([]);
  });

  test("are decided by the order of the records, also if the clock went back", () => {
    const prompt = (id: string, time: number) =>
      `{"kind":"prompt","id":"${id}","messageId":"${id}","time":${time},"roots":[],"notHeld":[]}\n`;
    const left = (text: string) => withoutDropped(parseRecords(text)).map((one) => ("id" in one ? one.id : one.kind));
    const records = prompt("p1", 900) + prompt("p2", 100) + prompt("p3", 500);
    expect(left(`${records}{"kind":"dropped","time":1,"until":"p2"}\n`)).toEqual(["p2", "p3"]);
    expect(left(`${records}{"kind":"dropped","time":1,"until":null}\n${prompt("p4", 1)}`)).toEqual(["p4"]);
    expect(left(`${records}{"kind":"dropped","time":1,"until":"unknown"}\n`)).toEqual(["p1", "p2", "p3"]);
  });
});
