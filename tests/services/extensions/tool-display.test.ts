import { expect, test } from "bun:test";
import { readDisplay } from "../../../src/services/extensions/tool-display.ts";

test("each kind of an extension's display becomes content of a result", () => {
  const shown = (given: object) => readDisplay(given).display;
  expect(shown({ kind: "text", text: "one", summary: "1 line" })).toEqual({
    kind: "summary",
    text: "1 line",
    body: { kind: "text", text: "one" },
  });
  expect(shown({ kind: "list", items: ["one", { text: "two", mark: "done", note: "three" }] })).toMatchObject({
    text: "",
    body: { kind: "list", items: [{ text: "one" }, { text: "two", mark: "done", note: "three" }] },
  });
  expect(
    shown({ kind: "table", columns: ["file", { name: "lines", align: "right" }], rows: [["a.ts", 3]] }),
  ).toMatchObject({
    body: { kind: "table", columns: [{ name: "file" }, { name: "lines", align: "right" }], rows: [["a.ts", "3"]] },
  });
  expect(shown({ kind: "diff", path: "a.ts", before: "one\n", after: "two\n" })).toMatchObject({
    body: {
      kind: "diff",
      path: "a.ts",
      hunks: [
        {
          lines: [
            { kind: "removed", text: "one" },
            { kind: "added", text: "two" },
          ],
        },
      ],
    },
  });
});

test("no text of a display controls the terminal or hides what it says", () => {
  const evil = "\u001b[31mred\u001b[0m\u0007\u202edlrow";
  for (const given of [
    { kind: "text", text: evil, summary: evil },
    { kind: "list", items: [evil, { text: evil, note: evil }], summary: evil },
    { kind: "table", columns: [evil], rows: [[evil]], summary: evil },
    { kind: "diff", path: evil, before: evil, after: "", summary: evil },
  ]) {
    const shown = JSON.stringify(readDisplay(given).display);
    expect(shown).toContain("red");
    expect(shown).not.toMatch(/\\u001b|\\u0007|\u202e/);
  }
});

test.each([
  ["a kind that does not exist", { kind: "chart" }, "kind"],
  ["no kind", 42, "expected object"],
  ["an item without a text", { kind: "list", items: [{ mark: "done" }] }, "items.0"],
  ["a mark that does not exist", { kind: "list", items: [{ text: "x", mark: "green" }] }, "items.0"],
  ["a table without columns", { kind: "table", columns: [], rows: [] }, "columns"],
  ["a cell that is no text", { kind: "table", columns: ["a"], rows: [[{}]] }, "rows.0.0"],
  ["too many rows", { kind: "table", columns: ["a"], rows: Array.from({ length: 10_001 }, () => ["x"]) }, "rows"],
  ["too large texts", { kind: "diff", path: "a", before: "x".repeat(1_000_001), after: "" }, "before"],
])("a display with %s is named by its place", (_, given, place) => {
  const { display, problem } = readDisplay(given);
  expect(display).toBeUndefined();
  expect(problem).toContain(place);
});
