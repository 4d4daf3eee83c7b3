import { describe, expect, test } from "bun:test";
import { graphemes, snapToBoundary } from "@quoll/terminal-text/graphemes";
import { editorWith, insertText } from "../../../../../src/faces/repl/editor/editor-state.ts";
import type { Vim } from "../../../../../src/faces/repl/editor/vim/operators.ts";
import { pressVim } from "../../../../../src/faces/repl/editor/vim/press-vim.ts";
import { onCharacter } from "../../../../../src/faces/repl/editor/vim/vim-lines.ts";
import { initialVim, visualRange } from "../../../../../src/faces/repl/editor/vim/vim-state.ts";
import { seededRandom } from "../../../../support/seeded-random.ts";
import { VIM_CASES } from "./vim-cases.ts";
import table from "./vim-table.json" with { type: "json" };

const KEYS: Readonly<Record<string, string>> = { "<esc>": "esc", "<c-r>": "ctrl+r" };

const TEXTS = ["¦", "¦one two", "¦a\n\nb (c [d] {e\nf}) \"g\" 'h'\n  \n\tx", "¦漢字 👨‍👩‍👧 e\u0301 x\nyz"];
const ALL_KEYS = [
  ...graphemes("hjklwWbBeE0^$}{%;,_+-| gfFtTdcyxXDCYsSrJpPiIaAoOuUvV.~><\"'()[]23é漢👨‍👩‍👧"),
  ...["esc", "esc", "esc"],
];

/** Selections over lines, and what is done with them. */
const FEW_KEYS = [..."vVjkl$yypPxo", "esc"];

function typed(text: string, keys: string): Vim {
  const editor = { ...editorWith(text.replace("¦", "")), cursor: text.indexOf("¦") };
  const pressed = keys.match(/<[a-z-]+>|./gu) ?? [];
  return pressed.reduce<Vim>((vim, key) => press(vim, KEYS[key] ?? key), {
    state: { ...initialVim, mode: "normal" },
    editor,
  });
}

function press(vim: Vim, key: string): Vim {
  const isTyping = vim.state.mode === "insert" && key !== "esc";
  return isTyping ? { ...vim, editor: insertText(vim.editor, key) } : pressVim(vim, key);
}

/** The text with `¦` before the cursor, and the register as vim prints it. */
function seen({ state, editor }: Vim) {
  const { text, isLines } = state.register;
  return [`${editor.text.slice(0, editor.cursor)}¦${editor.text.slice(editor.cursor)}`, isLines ? `${text}\n` : text];
}

test("the table has every case, as vim left it", () => {
  expect(table.map(([text, keys]) => [text, keys])).toEqual(VIM_CASES.map(([text, keys]) => [text, keys]));
});

test.each(table as [string, string, string, number, string][])("%j %s", (text, keys, after, at, register) => {
  expect(seen(typed(text, keys))).toEqual([`${after.slice(0, at)}¦${after.slice(at)}`, register]);
});

describe("the keys of vim", () => {
  test("an incomplete command waits, esc forgets it, and keys that are none do nothing", () => {
    expect(typed("¦one two", "2d").state.keys).toBe("2d");
    expect(typed("¦one two", "2d<esc>").state.keys).toBe("");
    for (const keys of ["dq", "Q", "gz", "diz", "g<esc>"]) {
      expect([keys, seen(typed("¦one two", keys))]).toEqual([keys, ["¦one two", ""]]);
    }
  });

  test("k in the first line and j in the last one ask for the history, with an operator or a count they don't", () => {
    const wants = (text: string, key: string) => pressVim(typed(text, ""), key).wants;
    expect([wants("¦a\nb", "k"), wants("¦a\nb", "j"), wants("a\n¦b", "j"), wants("a\n¦b", "k")]).toEqual([
      "older",
      undefined,
      "newer",
      undefined,
    ]);
    expect(seen(typed("¦a\nb", "dk"))[0]).toBe("¦a\nb");
  });

  test("the selection includes the character at the cursor, and in V-line the line break", () => {
    const range = (text: string, keys: string) => {
      const { state, editor } = typed(text, keys);
      return visualRange(state, editor);
    };
    expect(range("one ¦two", "v")).toEqual({ from: 4, to: 5 });
    expect(range("one ¦two", "vb")).toEqual({ from: 0, to: 5 });
    expect(range("a\n¦b\nc", "V")).toEqual({ from: 2, to: 4 });
    expect(range("a\n¦b\nc", "v<esc>")).toBeUndefined();
  });

  test("a grapheme of several code points is one character", () => {
    const family = "👨‍👩‍👧";
    expect(seen(typed(`a¦${family}b`, "x"))).toEqual(["a¦b", family]);
    expect(seen(typed(`a¦${family}b`, "vd"))[0]).toBe("a¦b");
    expect(seen(typed(`¦a${family}b`, "2l"))[0]).toBe(`a${family}¦b`);
    expect(seen(typed(`¦a${family}b`, `f${family}`))[0]).toBe(`a¦${family}b`);
  });

  test("a large count ends", () => {
    expect(seen(typed("¦a b c", "9999w"))[0]).toBe("a b ¦c");
    expect(seen(typed("¦a", "9999iab<esc>"))[0]?.length).toBe(999 * 2 + 2);
  });

  test("whatever is typed, the cursor stands on a character, and the selection lies in the text", () => {
    const { pick, below, chance } = seededRandom(14);
    for (let round = 0; round < 150; round += 1) {
      let vim = typed(pick(TEXTS), "");
      for (let left = below(40); left > 0; left -= 1) {
        vim = press(vim, pick(chance(0.5) ? ALL_KEYS : FEW_KEYS));
        const { text, cursor } = vim.editor;
        expect(snapToBoundary(text, cursor)).toBe(cursor);
        if (vim.state.mode === "normal") expect(onCharacter(text, cursor)).toBe(cursor);
        const { from = 0, to = 0 } = visualRange(vim.state, vim.editor) ?? {};
        expect(0 <= from && from <= to && to <= text.length).toBe(true);
      }
    }
  });
});
