import { expect, test } from "bun:test";
import { promptText } from "../../src/contracts/prompt-text.ts";

const has =
  (...names: readonly string[]) =>
  (name: string) =>
    names.includes(name);

test.each([
  ["plain {braces} and {{ nothing }}", [], "plain {braces} and {{ nothing }}"],
  ["a{{if X}} b{{end}}.", ["X"], "a b."],
  ["a{{if X}} b{{end}}.", [], "a."],
  ["{{if X Y}}both{{else}}not both{{end}}", ["X", "Y"], "both"],
  ["{{if X Y}}both{{else}}not both{{end}}", ["Y"], "not both"],
  ["{{if X}}x{{if Y}} and y{{else}} alone{{end}}{{else}}none{{end}}", ["X", "Y"], "x and y"],
  ["{{if X}}x{{if Y}} and y{{else}} alone{{end}}{{else}}none{{end}}", ["X"], "x alone"],
  ["{{if X}}x{{if Y}} and y{{else}} alone{{end}}{{else}}none{{end}}", ["Y"], "none"],
  ["{{if X}}- one\n{{end}}{{if Y}}- two\n{{end}}- three", ["Y"], "- two\n- three"],
])("%j with %j is %j", (template, there, text) => {
  expect(promptText(template, has(...there))).toBe(text);
});
