import { expect, test } from "bun:test";
import { seededRandom } from "@quoll/model-twin/byte-cuts";
import { type Message, toolUses } from "../../../../src/contracts/message.ts";
import { callIds, freshIds } from "../../../../src/services/provider/history/call-ids.ts";
import { assistant, user } from "../anthropic/support.ts";

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

const idsOf = (messages: readonly Message[]) =>
  messages.flatMap((message) => (message.role === "assistant" ? toolUses(message).map(({ id }) => id) : []));

test("an id is new in its conversation, which grows, is taken back and branches", () => {
  const random = seededRandom(61);
  const first = user("Go.");
  let branches: Message[][] = [[first], [first], [user("Something else.")]];
  for (let step = 0; step < 2_000; step += 1) {
    const at = Math.floor(random() * branches.length);
    const messages = branches[at] ?? [];
    const fresh = freshIds(messages);
    const given = Array.from({ length: Math.floor(random() * 3) }, () => fresh(random() < 0.2 ? "" : "call"));
    const content = given.map((id) => ({ type: "tool_use", id, name: "Read", input: {} }) as const);
    // An answer may be dropped, and the same request sent again.
    const longer = random() < 0.2 ? messages : [...messages, assistant(content), user("On.")];
    expect(new Set(idsOf(longer)).size).toBe(idsOf(longer).length);
    const isTakenBack = random() < 0.1;
    const other = random() < 0.05 ? (branches[0] ?? []) : longer;
    branches = branches.with(at, isTakenBack ? longer.slice(0, 1 + Math.floor(random() * longer.length)) : other);
  }
  expect(branches.map(({ length }) => length).toSorted((a, b) => b - a)[0]).toBeGreaterThan(10);
});
