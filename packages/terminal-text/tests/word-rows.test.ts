import { expect, test } from "bun:test";
import { wordRows } from "../src/word-rows.ts";

test("a line is broken at blanks only, and loses no word", () => {
  const line = "  No session of this project has a name that begins with nonsense: the project has no session yet.";
  for (let columns = 12; columns <= line.length; columns += 1) {
    const rows = wordRows(line, columns);
    expect(rows.join(" ")).toBe(line);
    expect(rows.filter((row) => row.length > columns)).toEqual([]);
  }
});

test("a command to copy stays in one row, however long it is", () => {
  const rules = "--allow-sandboxed --allowed-tools 'Bash(npm test *),Bash(npm run build)'";
  expect(wordRows(`To allow this next time, add: ${rules}`, 40)).toEqual(["To allow this next time, add:", rules]);
  expect(wordRows("Run `quoll config get model` to see the model.", 20)).toContain("`quoll config get model`");
  expect(wordRows('Set a key or run "quoll auth login anthropic" now.', 30)).toContain('"quoll auth login anthropic"');
});

test("wide characters and words wider than the window are left to the terminal", () => {
  const wide = "価格 の 店 の 価格 の 店 の 価格";
  expect(wordRows(wide, 10)).toEqual([wide]);
  expect(wordRows("see /a/path/that/is/very/long/indeed now", 12)).toEqual([
    "see",
    "/a/path/that/is/very/long/indeed",
    "now",
  ]);
});
