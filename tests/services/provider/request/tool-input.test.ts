import { expect, test } from "bun:test";
import { seededRandom } from "@quoll/model-twin/byte-cuts";
import { jsonProblem } from "../../../../src/services/provider/request/tool-input.ts";
import { longerInDeep } from "../../../support/deep.ts";

test.each([
  ["", "at position 0 the text ends where a value was expected"],
  ['{"a": tru}', 'at position 6 a value was expected, found "tru}"'],
  ['{"a" 1}', 'at position 5 ":" was expected, found "1}"'],
  ["{a: 1}", 'at position 1 a name in double quotes or "}" was expected, found "a: 1}"'],
  ['{"a":1,}', 'at position 7 a name in double quotes was expected, found "}"'],
  ["[1,]", 'at position 3 a value was expected, found "]"'],
  ["[1 2]", 'at position 3 "," or "]" was expected, found "2]"'],
  ['{"a":[1}', 'at position 7 "," or "]" was expected, found "}"'],
  ['{"a":1]', 'at position 6 "," or "}" was expected, found "]"'],
  ["{} x", 'at position 3 the end was expected, found "x"'],
  ['{"a":"cut', "at position 9 the text ends inside a string that began at 5"],
  ['{"a":"cut\\', "at position 9 the text ends inside a string that began at 5"],
  ['{"a":"\\q"}', 'at position 6 a string contains "\\\\q", which is not a valid escape'],
  ['{"a":"x\ny"}', 'at position 7 a string contains "\\n", which must be escaped'],
  ["01", 'at position 1 the end was expected, found "1"'],
  ["-", 'at position 0 a value was expected, found "-"'],
])("%p: %s", (text, problem) => {
  expect(jsonProblem(text)).toBe(problem);
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test("a problem is found exactly where JSON.parse finds it, over thousands of damaged texts", () => {
  const random = seededRandom(7);
  const whole = JSON.stringify({ a: [1, -2.5e3, true, null, 'x"\\/\u00e9😀\n'], "b c": { d: {}, e: [] }, f: "" });
  for (let round = 0; round < 4_000; round += 1) {
    const at = Math.floor(random() * whole.length);
    const kind = Math.floor(random() * 3);
    const other = '{}[]:,"\\tn0-1 e.'[Math.floor(random() * 16)] ?? "";
    const text = kind === 0 ? whole.slice(0, at) : whole.slice(0, at) + other + whole.slice(at + kind - 1);
    expect([text, jsonProblem(text) === undefined]).toEqual([text, parses(text)]);
  }
});

longerInDeep("a string of megabytes and a nesting of 100,000 are no trouble", async (isWhole) => {
  expect(jsonProblem(`{"content":"${"x\\n".repeat(isWhole ? 1_700_000 : 340_000)}`)).toContain(
    "the text ends inside a string",
  );
  expect(jsonProblem("[".repeat(100_000))).toContain("at position 100000 the text ends");
});
