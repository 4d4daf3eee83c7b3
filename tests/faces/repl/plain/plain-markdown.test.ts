import { expect, test } from "bun:test";
import { markdownText } from "../../../../src/faces/repl/plain/plain-markdown.ts";

test.each<[string, string, readonly string[]]>([
  ["a heading", "## Plan", ["Heading 2: Plan"]],
  ["a paragraph in one line each", "one\ntwo\n\nthree", ["one", "two", "three"]],
  ["marks of style", "**bold** *it* ~~old~~ `a()`", ["bold it (struck out: old) `a()`"]],
  ["a link with its address", "see [docs](https://a.dev/x)", ["see docs (https://a.dev/x)"]],
  ["an address alone once", "<https://a.dev/x>", ["https://a.dev/x"]],
  ["a list with levels", "- one\n  - deep\n- two", ["Item: one", "Item, level 2: deep", "Item: two"]],
  ["a numbered list", "3. three\n4. four", ["Item 3: three", "Item 4: four"]],
  ["a numbered list whose numbers repeat", "1. one\n1. two", ["Item 1: one", "Item 2: two"]],
  ["a list of tasks", "- [x] made\n- [ ] left", ["Item, done: made", "Item, not done: left"]],
  ["code", "```ts\nconst a = 1;\n```", ["Code, ts:", "const a = 1;", "End of code."]],
  ["code between text", "a\n```\nb\n```\nc", ["a", "Code:", "b", "End of code.", "c"]],
  [
    "a table row by row",
    "| name | size |\n|---|---|\n| a.ts | 3 |\n| b.ts | |",
    ["Table with 2 columns and 2 rows: name, size.", "Row 1: name: a.ts; size: 3", "Row 2: name: b.ts; size: empty"],
  ],
  [
    "the signs of a diff in words",
    "```diff\n--- a/x.ts\n+++ b/x.ts\n@@ -1,2 +1,2 @@\n-old\n+new\n same\n```",
    [
      "Code, diff:",
      "Old file: a/x.ts",
      "New file: b/x.ts",
      "From line 1:",
      "Removed: old",
      "Added: new",
      " same",
      "End of code.",
    ],
  ],
  ["a quote", "> said\n> twice", ["Quote: said", "Quote: twice"]],
  ["no rule", "a\n\n***\n\nb", ["a", "b"]],
])("a plain screen reads %s", (_, text, lines) => {
  expect(markdownText(text)).toEqual(lines);
});

test("a long block of code is announced once and ended once", () => {
  const code = Array.from({ length: 50 }, (_, at) => `line ${at}`);
  const lines = markdownText(`\`\`\`py\n${code.join("\n")}\n\`\`\`\nafter`);
  expect(lines).toEqual(["Code, py:", ...code, "End of code.", "after"]);
});
