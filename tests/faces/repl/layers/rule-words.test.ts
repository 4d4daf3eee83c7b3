import { expect, test } from "bun:test";
import { rulesInWords } from "../../../../src/faces/repl/layers/rule-words.ts";

test("a rule with a backtick is between quotation marks, so that its end can be told", () => {
  expect(rulesInWords(["Bash(npm test *)"])).toBe("`npm test …`");
  expect(rulesInWords(["Bash(echo `date` *)"])).toBe("“echo `date` …”");
  expect(rulesInWords(["Custom(a`b)"])).toBe("“Custom(a`b)”");
});
