import { expect, test } from "bun:test";
import { rewoundPhrase } from "../../src/contracts/rewound-parts.ts";

test.each([
  ["1 file restored, 2 files deleted", { restored: ["/a"], deleted: ["/b", "/c"] }],
  ["1 empty folder restored", { restored: [], deleted: [], folders: { restored: ["/d"], deleted: [] } }],
  ["no file had to change", { restored: [], deleted: [] }],
])("a rewind is told as: %s", (phrase, result) => {
  expect(rewoundPhrase(result)).toBe(phrase);
});
