import { describe, expect, test } from "bun:test";
import { snapToBoundary } from "@quoll/terminal-text/graphemes";
import { textWidth } from "@quoll/terminal-text/text-width";
import { indexAt, layoutEditor } from "../../../../src/faces/repl/editor/editor-layout.ts";
import * as edit from "../../../../src/faces/repl/editor/editor-state.ts";
import {
  emptyHistory,
  newerEntry,
  olderEntry,
  remember,
  withOlder,
} from "../../../../src/faces/repl/editor/history.ts";
import { cleanPaste, foldPaste, placeholderAt, unfoldPastes } from "../../../../src/faces/repl/editor/pastes.ts";
import { seededTest } from "../../../support/deep.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

const FAMILY = "👨‍👩‍👧‍👦";
/** Shows the cursor as `|`. */
const shown = ({ text, cursor }: edit.Editor) => `${text.slice(0, cursor)}|${text.slice(cursor)}`;
const at = (marked: string) => {
  const cursor = marked.indexOf("|");
  return { ...edit.editorWith(marked.replace("|", "")), cursor };
};

const MOVES = [
  edit.moveLeft,
  edit.moveRight,
  edit.moveWordLeft,
  edit.moveWordRight,
  edit.moveLineStart,
  edit.moveLineEnd,
  edit.deleteBackward,
  edit.deleteForward,
  edit.killLineEnd,
  edit.killLineStart,
  edit.killWordBackward,
  edit.killPartBackward,
  edit.killWordForward,
  edit.yank,
  edit.undoEdit,
];

describe("editing", () => {
  test.each([
    ["left over a joined emoji", edit.moveLeft, `a${FAMILY}|`, `a|${FAMILY}`],
    ["right over a mark", edit.moveRight, "|e\u0301x", "e\u0301|x"],
    ["left over a line break", edit.moveLeft, "a\n|b", "a|\nb"],
    ["left at the start", edit.moveLeft, "|a", "|a"],
    ["right at the end", edit.moveRight, "a|", "a|"],
    ["word left", edit.moveWordLeft, "one two-three|", "one two-|three"],
    ["word left over blanks", edit.moveWordLeft, "one   |", "|one   "],
    ["word right", edit.moveWordRight, "|one two", "one| two"],
    ["word right in another script", edit.moveWordRight, "|привет мир", "привет| мир"],
    ["line start", edit.moveLineStart, "a\nbc|d", "a\n|bcd"],
    ["line end", edit.moveLineEnd, "a|b\nc", "ab|\nc"],
    ["delete a joined emoji", edit.deleteBackward, `a${FAMILY}|b`, "a|b"],
    ["delete a flag", edit.deleteBackward, "🇩🇪🇫🇷|", "🇩🇪|"],
    ["delete forwards", edit.deleteForward, "a|漢b", "a|b"],
    ["delete forwards at the end", edit.deleteForward, "a|", "a|"],
    ["kill to the end of the line", edit.killLineEnd, "a|bc\nd", "a|\nd"],
    ["kill the line break at the end of a line", edit.killLineEnd, "a|\nd", "a|d"],
    ["kill to the start of the line", edit.killLineStart, "x\nab|c", "x\n|c"],
    ["kill the line break at the start of a line", edit.killLineStart, "x\n|c", "x|c"],
    ["kill to white space", edit.killWordBackward, "rm src/a-b.ts |x", "rm |x"],
    ["kill a part of a word", edit.killPartBackward, "src/a-b|", "src/a-|"],
    ["kill a word forwards", edit.killWordForward, "|one two", "| two"],
  ] as const)("%s", (_, operation, before, after) => {
    expect(shown(operation(at(before)))).toBe(after);
  });

  test("the cursor never stands inside of a grapheme, whatever is done", () => {
    const pieces = [
      "a",
      " ",
      "\n",
      "漢",
      FAMILY,
      "e",
      "\u0301",
      "\u200d",
      "👨",
      "🇩",
      "🇪",
      "한",
      "-",
      "word",
      "\u{1f3fd}",
    ];
    for (let seed = 1; seed <= 120; seed += 1) {
      const random = seededRandom(seed);
      let editor = edit.emptyEditor;
      for (let step = 0; step < 60; step += 1) {
        editor = random.below(2) === 0 ? edit.insertText(editor, random.pick(pieces)) : random.pick(MOVES)(editor);
        expect(snapToBoundary(editor.text, editor.cursor)).toBe(editor.cursor);
        expect(editor.cursor).toBeGreaterThanOrEqual(0);
        expect(editor.cursor).toBeLessThanOrEqual(editor.text.length);
      }
    }
  });

  test("inserted text can be deleted again, grapheme by grapheme", () => {
    for (const text of ["plain", `漢${FAMILY}`, "a\nb", "🇩🇪x"]) {
      const before = at("left | right");
      let editor = edit.insertText(before, text);
      while (editor.cursor > before.cursor) editor = edit.deleteBackward(editor);
      expect(shown(editor)).toBe(shown(before));
    }
  });

  test("consecutively cut text comes back whole", () => {
    const killed = edit.killWordBackward(edit.killWordBackward(at("one two three|")));
    expect(shown(killed)).toBe("one |");
    expect(shown(edit.yank(edit.moveLineStart(killed)))).toBe("two three|one ");
  });

  test("undo goes back run by run of typing, and ends at the start", () => {
    let editor = edit.emptyEditor;
    for (const key of "fix it") editor = edit.insertText(editor, key);
    editor = edit.killLineStart(editor);
    const seen: string[] = [];
    for (let step = 0; step < 6; step += 1) {
      editor = edit.undoEdit(editor);
      seen.push(editor.text);
    }
    expect(seen).toEqual(["fix it", "fix ", "fix", "", "", ""]);
  });

  test("undo keeps a bounded past", () => {
    let editor = edit.emptyEditor;
    for (let step = 0; step < 500; step += 1) editor = edit.insertText(editor, " ");
    expect(editor.undo).toHaveLength(200);
  });
});

describe("the rows of what is typed", () => {
  const rows = (text: string, columns: number) => layoutEditor(text, 0, columns).rows.map((row) => row.text);

  test("break at spaces, at line breaks, and inside of long words", () => {
    expect(rows("one two three", 9)).toEqual(["one two ", "three"]);
    expect(rows("a\n\nb", 9)).toEqual(["a", "", "b"]);
    expect(rows("abcdefghij", 5)).toEqual(["abcd", "efgh", "ij"]);
    expect(rows("漢字漢字", 6)).toEqual(["漢字", "漢字"]);
  });

  seededTest(
    "leave a cell for the cursor, lose nothing, and find every place again",
    { seed: 1, cases: { quick: 6, deep: 100 } },
    (first, cases) => {
      for (let seed = first; seed < first + cases; seed += 1) {
        const random = seededRandom(seed);
        const text = Array.from({ length: 40 }, () =>
          random.pick(["a", " ", "word", "\n", "漢", FAMILY, "e\u0301"]),
        ).join("");
        const columns = 4 + random.below(20);
        let editor: edit.Editor = { ...edit.editorWith(text), cursor: 0 };
        for (;;) {
          const layout = layoutEditor(text, editor.cursor, columns);
          expect(layout.column).toBeLessThan(columns);
          for (const row of layout.rows) expect(textWidth(row.text)).toBeLessThan(columns);
          expect(indexAt(layout, layout.row, layout.column)).toBe(editor.cursor);
          if (editor.cursor === text.length) break;
          editor = edit.moveRight(editor);
        }
        const { rows } = layoutEditor(text, 0, columns);
        expect(rows.map((row) => row.text).join("")).toBe(text.replaceAll("\n", ""));
      }
    },
  );
});

describe("pastes", () => {
  const large = Array.from({ length: 120 }, (_, line) => `line ${line}`).join("\n");

  test("carriage returns become line breaks and control characters go", () => {
    expect(cleanPaste("a\rb\r\nc\td\u001b[31m\u0007\ud800")).toBe("a\nb\nc\td[31m\ufffd");
  });

  test("a small paste is inserted as it is", () => {
    expect(foldPaste(new Map(), "one\ntwo")).toEqual({ shown: "one\ntwo", pastes: new Map() });
  });

  test("a large one is shown as a placeholder and comes back whole", () => {
    const first = foldPaste(new Map(), large);
    expect(first.shown).toBe("[pasted 120 lines]");
    const second = foldPaste(first.pastes, `${large}!`);
    expect(second.shown).toBe("[pasted 120 lines #2]");
    expect(unfoldPastes(second.pastes, `see ${first.shown} and ${second.shown}.`)).toBe(`see ${large} and ${large}!.`);
    expect(foldPaste(new Map(), "x".repeat(1_000)).shown).toBe("[pasted 1000 chars]");
  });

  test("a placeholder inside of a paste is just text", () => {
    const inner = `[pasted 120 lines]\n${large}`;
    const { shown, pastes } = foldPaste(foldPaste(new Map(), large).pastes, inner);
    expect(unfoldPastes(pastes, shown)).toBe(inner);
  });

  test("a placeholder is found from either side", () => {
    const { shown, pastes } = foldPaste(new Map(), large);
    const text = `a ${shown} b`;
    const found = { from: 2, to: 2 + shown.length, name: shown };
    expect(placeholderAt(pastes, text, found.to, "before")).toEqual(found);
    expect(placeholderAt(pastes, text, 2, "before")).toBeUndefined();
    expect(placeholderAt(pastes, text, 2, "after")).toEqual(found);
    expect(placeholderAt(pastes, text, found.to, "after")).toBeUndefined();
  });
});

describe("history", () => {
  test("goes back and forth and keeps the draft", () => {
    const history = withOlder(remember(emptyHistory, "new"), ["old"]);
    const up = olderEntry(history, "draft");
    const top = up && olderEntry(up.history, up.text);
    expect([up?.text, top?.text]).toEqual(["new", "old"]);
    expect(top && olderEntry(top.history, top.text)).toBeUndefined();
    const down = top && newerEntry(top.history);
    const bottom = down && newerEntry(down.history);
    expect([down?.text, bottom?.text]).toEqual(["new", "draft"]);
    expect(bottom && newerEntry(bottom.history)).toBeUndefined();
  });

  test("keeps a repeated entry once and no more than a thousand", () => {
    let history = remember(remember(emptyHistory, "same"), "same");
    expect(history.entries).toEqual(["same"]);
    for (let at = 0; at < 1_200; at += 1) history = remember(history, `entry ${at}`);
    expect(history.entries).toHaveLength(1_000);
  });
});
