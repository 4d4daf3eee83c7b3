import { expect, test } from "bun:test";
import type { ResultBody } from "../../src/contracts/display.ts";
import { cappedBody, withTextBody } from "../../src/contracts/result-body.ts";

const LINE = "a line of text\n";

test("content within the limits stays as it is", () => {
  const bodies: readonly ResultBody[] = [
    { kind: "text", text: "one" },
    { kind: "list", items: [{ text: "one", mark: "done", note: "two" }, { text: "three" }] },
    { kind: "table", columns: [{ name: "n", align: "right" }], rows: [["1"], []] },
    { kind: "diff", path: "a.ts", hunks: [{ oldStart: 1, newStart: 1, lines: [{ kind: "added", text: "x" }] }] },
  ];
  expect(bodies.map(cappedBody)).toEqual([...bodies]);
});

test("a long text is cut at the end of a line, with the number of all its filled lines", () => {
  const text = cappedBody({ kind: "text", text: LINE.repeat(10_000) });
  if (text.kind !== "text") throw new Error("The kind changed.");
  expect(text.text.length).toBeLessThanOrEqual(32_000);
  expect(text.text).toEndWith("of text");
  expect(text.total).toBe(10_000);
  expect(cappedBody(text)).toEqual(text);
});

test("of a text that the result contains, only the beginning is kept, and none of a blank text", () => {
  const { body } = withTextBody(LINE.repeat(1_000));
  if (!body) throw new Error("There is no content.");
  expect(cappedBody(body)).toMatchObject({ total: 1_000, isInResult: true });
  expect(JSON.stringify(cappedBody(body)).length).toBeLessThan(2_200);
  expect(withTextBody(" \n")).toEqual({});
});

test("long lists and tables are cut by their number of parts and by their size, and tell how many there were", () => {
  const list = cappedBody({ kind: "list", items: Array.from({ length: 5_000 }, () => ({ text: "x" })) });
  expect(list).toMatchObject({ kind: "list", total: 5_000 });
  expect(list.kind === "list" && list.items.length).toBe(500);
  const row = Array.from({ length: 40 }, () => "x".repeat(1_000));
  const columns = row.map((_, at) => ({ name: `c${at}` }));
  const table = cappedBody({ kind: "table", columns, rows: Array.from({ length: 100 }, () => row) });
  expect(table).toMatchObject({ total: 100, columns: { length: 12 } });
  expect(JSON.stringify(table).length).toBeLessThan(33_000);
});

test("a change is cut in its lines and their number", () => {
  const lines = Array.from({ length: 2_000 }, () => ({ kind: "added" as const, text: "x".repeat(1_000) }));
  const diff = cappedBody({ kind: "diff", path: "a.ts", hunks: [{ oldStart: 1, newStart: 1, lines }] });
  expect(diff.kind === "diff" && diff.hunks.flatMap((hunk) => hunk.lines).length).toBe(500);
  expect(diff.kind === "diff" && diff.hunks[0]?.lines[0]?.text.length).toBe(400);
});

test("a character at the cut of a line is not halved", () => {
  const text = `x${"😀".repeat(300)}`;
  const hunks = [{ oldStart: 1, newStart: 1, lines: [{ kind: "added", text } as const] }];
  for (const body of [
    { kind: "list", items: [{ text, note: text }] },
    { kind: "table", columns: [{ name: text }], rows: [[text]] },
    { kind: "diff", path: text, hunks },
  ] as const) {
    expect(JSON.stringify(cappedBody(body))).not.toMatch(/\\ud[89ab]/);
  }
});
