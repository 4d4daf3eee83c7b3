import { expect, test } from "bun:test";
import { callIds } from "../../../../src/services/provider/history/call-ids.ts";

const all = (next: (given: string) => string, given: readonly string[]) => given.map((id) => next(id));

test("ids that fit stay, others get one of their own", () => {
  const given = ["toolu_01AbC", "x".repeat(41), "a:b", "toolu_01AbC", "", "call_2"];
  expect(all(callIds({ maxChars: 40 }), given)).toEqual([
    "toolu_01AbC",
    "call_2",
    "call_3",
    "call_4",
    "call_5",
    "call_6",
  ]);
});

test("for a server that wants exactly nine letters and digits every id has that", () => {
  const ids = all(callIds({ maxChars: 9, isExact: true }), [
    "toolu_01",
    "aBcDeF123",
    "aBcDeF123",
    "c00000004",
    "c00000004",
  ]);
  expect(ids).toEqual(["c00000001", "aBcDeF123", "c00000003", "c00000004", "c00000005"]);
  for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
});

test("a longer history begins with the ids of the shorter one", () => {
  const given = Array.from({ length: 300 }, (_, index) => (index % 3 === 0 ? `odd:${index % 7}` : `id${index % 50}`));
  const whole = all(callIds({ maxChars: 12 }), given);
  expect(all(callIds({ maxChars: 12 }), given.slice(0, 150))).toEqual(whole.slice(0, 150));
  expect(new Set(whole).size).toBe(whole.length);
});
