import { expect, test } from "bun:test";
import { cleanLines } from "../../../src/app/status-line/open-status-line.ts";

const GREEN = "\u001b[32m";
const RESET = "\u001b[0m";

test("three lines are kept, with colours that end in their line", () => {
  expect(cleanLines("a\r\nb\nc\nd\n")).toEqual(["a", "b", "c"]);
  expect(cleanLines(`${GREEN}ok`)).toEqual([`${GREEN}ok${RESET}`]);
  expect(cleanLines("  two \n\n")).toEqual(["  two"]);
  expect(cleanLines("\n \n")).toEqual([]);
});

test("links to web pages are kept and ended; other addresses and all other sequences are dropped", () => {
  const link = "\u001b]8;;https://example.com/a\u0007";
  expect(cleanLines(`${link}here`)).toEqual([`${link}here\u001b]8;;\u001b\\`]);
  expect(cleanLines("\u001b]8;;file:///etc/passwd\u0007here")[0]).not.toContain("passwd");
  const evil =
    "\u001b[2J\u001b[5;5Hmoved\u001b]0;title\u0007\u001b]52;c;Zm9v\u0007\u001b[?1049h\u009b2J\u202eend\u0007\ta";
  expect(cleanLines(evil)).toEqual(["moved⟨U+202E⟩end    a"]);
});
