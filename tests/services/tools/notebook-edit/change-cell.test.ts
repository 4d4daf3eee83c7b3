import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { changeCell } from "../../../../src/services/tools/notebook-edit/change-cell.ts";

type Cell = { id?: string; cell_type: string; source: string | string[]; outputs?: unknown[]; metadata: unknown };
type Notebook = { cells: Cell[]; nbformat: number; nbformat_minor: number };

const folder = join(import.meta.dir, "notebooks");
/** Written by nbformat 5 (Jupyter), by nbconvert with real outputs, and by @nteract/commutable. */
const WRITTEN = ["nbformat.ipynb", "nbconvert.ipynb", "nteract.ipynb"].map(
  (name) => [name, readFileSync(join(folder, name), "utf8")] as const,
);
const parsed = (text: string) => JSON.parse(text) as Notebook;
const joined = ({ source }: Cell) => (typeof source === "string" ? source : source.join(""));

/** The same notebook as other programs write it. */
const FORMS = WRITTEN.flatMap(([name, text]) => {
  const value = parsed(text);
  const strings = { ...value, cells: value.cells.map((cell) => ({ ...cell, source: joined(cell) })) };
  return [
    [name, text],
    [`${name} with tabs`, JSON.stringify(value, null, "\t")],
    [`${name} in one line`, JSON.stringify(value)],
    [`${name} with CRLF`, text.replaceAll("\n", "\r\n")],
    [`${name} with sources as strings`, `${JSON.stringify(strings, null, 2)}\n`],
  ] as const;
});

describe("a change of a cell", () => {
  test.each(FORMS)("leaves every character of %s when the source is the same", (_, text) => {
    for (const [at, cell] of parsed(text).cells.entries()) {
      const { text: after } = changeCell(text, { mode: "replace", cell: String(at + 1), source: joined(cell) }, "n");
      expect(after).toBe(text);
    }
  });

  test.each(FORMS)("replaces only the source in %s", (_, text) => {
    const source = 'print("größer")\n\n# end';
    const before = parsed(text);
    for (const at of before.cells.keys()) {
      const { text: after, number } = changeCell(text, { mode: "replace", cell: String(at + 1), source }, "n");
      const now = parsed(after);
      expect([number, joined(now.cells[at] as Cell), typeof now.cells[at]?.source]).toEqual([
        at + 1,
        source,
        typeof before.cells[at]?.source,
      ]);
      const same = changeCell(
        after,
        { mode: "replace", cell: String(at + 1), source: joined(before.cells[at] as Cell) },
        "n",
      );
      expect(same.text).toBe(text);
    }
  });

  test.each(FORMS)("of inserting and deleting gives %s back", (_, text) => {
    const { length } = parsed(text).cells;
    for (let at = 0; at <= length; at += 1) {
      const cell = at === 0 ? undefined : String(at);
      const made = changeCell(text, { mode: "insert", cell, source: "x = 1\ny = 2", type: "code" }, "n");
      const now = parsed(made.text);
      expect([now.cells.length, made.number, joined(now.cells[at] as Cell)]).toEqual([
        length + 1,
        at + 1,
        "x = 1\ny = 2",
      ]);
      expect(now.cells[at]).toMatchObject({ cell_type: "code", metadata: {}, outputs: [] });
      expect(changeCell(made.text, { mode: "delete", cell: String(at + 1) }, "n").text).toBe(text);
    }
  });

  test("deletes each cell, the only one too, and fills an empty notebook", () => {
    for (const [, text] of FORMS) {
      let left = text;
      for (let count = parsed(text).cells.length; count > 0; count -= 1) {
        left = changeCell(left, { mode: "delete", cell: "1" }, "n").text;
        expect(parsed(left).cells).toHaveLength(count - 1);
      }
      const filled = changeCell(left, { mode: "insert", cell: undefined, source: "a", type: "markdown" }, "n").text;
      expect(parsed(filled).cells[0]).toMatchObject({ cell_type: "markdown", metadata: {} });
    }
  });

  test("names a cell by its id before its number, and says that outputs are older than the source", () => {
    const [, text] = WRITTEN[1] ?? ["", ""];
    const byId = changeCell(text, { mode: "replace", cell: "cell1aa", source: "1" }, "n");
    expect([byId.number, byId.id, byId.keepsOutputs]).toEqual([2, "cell1aa", true]);
    expect(parsed(byId.text).cells[1]?.outputs).toEqual(parsed(text).cells[1]?.outputs);
    const named = text.replace('"cell0aa"', '"3"');
    expect(changeCell(named, { mode: "replace", cell: "3", source: "1" }, "n").number).toBe(1);
  });

  test("keeps the final line break of a source, and adds none", () => {
    const sourceAfter = (before: string, source: string) => {
      const cells = [{ cell_type: "code", metadata: {}, source: [before] }];
      const text = JSON.stringify({ nbformat: 4, cells });
      return joined(parsed(changeCell(text, { mode: "replace", cell: "1", source }, "n").text).cells[0] as Cell);
    };
    expect(sourceAfter("a\n", "b")).toBe("b\n");
    expect(sourceAfter("a\n", "b\n")).toBe("b\n");
    expect(sourceAfter("a\n", "")).toBe("");
    expect(sourceAfter("a", "b")).toBe("b");
  });

  test("to another type writes the keys of that type, in the order of the cell", () => {
    const [, text] = WRITTEN[1] ?? ["", ""];
    const words = changeCell(text, { mode: "replace", cell: "2", source: "# T", type: "markdown" }, "n").text;
    expect(Object.keys(parsed(words).cells[1] ?? {})).toEqual(["cell_type", "id", "metadata", "source"]);
    const code = changeCell(words, { mode: "replace", cell: "1", source: "1", type: "code" }, "n").text;
    expect(parsed(code).cells[0]).toMatchObject({ cell_type: "code", execution_count: null, outputs: [] });
  });

  test("gives a new cell an id only where the format has ids", () => {
    const [, text] = WRITTEN[0] ?? ["", ""];
    const insert = { mode: "insert", cell: undefined, source: "", type: "code" } as const;
    expect(changeCell(text, insert, "n").id).toMatch(/^[0-9a-f]{8}$/);
    const older = text.replace('"nbformat_minor": 5', '"nbformat_minor": 4');
    expect(parsed(changeCell(older, insert, "n").text).cells[0]).not.toHaveProperty("id");
  });

  test.each([
    ["no JSON", "not a notebook", /not a notebook.*not valid JSON/],
    ["JSON of another kind", "{}", /not a notebook.*nbformat is missing/],
    ["a list", "[1]", /not a notebook.*nbformat is missing/],
    ["nbformat 3", '{"nbformat": 3, "worksheets": []}', /nbconvert/],
    ["a cell that is not there", '{"nbformat": 4, "cells": []}', /no cell 1: it has 0/],
  ])("is refused for %s", (_, text, words) => {
    expect(() => changeCell(text, { mode: "replace", cell: "1", source: "x" }, "n.ipynb")).toThrow(words);
  });
});
