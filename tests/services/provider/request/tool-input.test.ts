import { expect, test } from "bun:test";
import { seededRandom } from "@quoll/model-twin/byte-cuts";
import { parseToolInput } from "../../../../src/services/provider/request/tool-input.ts";

const problemOf = (text: string) => parseToolInput(text).malformed?.problem;

test.each([
  ['{"a": tru}', 'invalid symbol from position 6 to 9, found "tru}"'],
  ['{"a" 1}', 'colon expected at position 5, found "1}"'],
  ['{"a":1,}', 'property name expected at position 7, found "}"'],
  ["[1 2]", 'comma expected at position 3, found "2]"'],
  ['{"a":[1', "close bracket expected at position 7"],
  ['{"a":"cut', 'unexpected end of string from position 5 to 9, found "\\"cut"'],
  ['{"a":"\\q"}', 'invalid escape character from position 5 to 9, found "\\"\\\\q\\"}"'],
  ['{"a":"x\ny"}', 'unexpected end of string from position 5 to 7, found "\\"x\\ny\\"}"'],
  ["[".repeat(100_000), "it is not valid JSON"],
])("%p: %s", (text, problem) => {
  expect(problemOf(text)).toBe(problem);
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test("each of thousands of damaged texts is kept with a position", () => {
  const random = seededRandom(7);
  const whole = JSON.stringify({ a: [1, -2.5e3, true, null, 'x"\\/\u00e9😀\n'], "b c": { d: {}, e: [] }, f: "" });
  for (let round = 0; round < 4_000; round += 1) {
    const at = Math.floor(random() * whole.length);
    const kind = Math.floor(random() * 3);
    const other = '{}[]:,"\\tn0-1 e.'[Math.floor(random() * 16)] ?? "";
    const text = kind === 0 ? whole.slice(0, at) : whole.slice(0, at) + other + whole.slice(at + kind - 1);
    const problem = problemOf(text);
    expect([text, problem?.includes("position") ?? true]).toEqual([text, true]);
    expect([text, problem === undefined]).toEqual([text, text === "" || parses(text)]);
  }
});
