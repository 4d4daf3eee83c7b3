import { describe, expect, test } from "bun:test";
import { decodeKeys, emptyDecoder, flushKeys, type KeyEvent } from "../../../../src/faces/repl/input/decode-keys.ts";
import {
  emptyTrustState,
  type TrustChoice,
  type TrustState,
  trustKey,
} from "../../../../src/faces/repl/ui/trust-keys.ts";
import { themeFor } from "../../../../src/faces/repl/view/theme.ts";
import { trustLines } from "../../../../src/faces/repl/view/trust-box.ts";

const ESC = "\u001b";
const DOWN = `${ESC}[B`;
const UP = `${ESC}[A`;
const REQUEST = {
  root: "/home/robin/src/shop",
  reasons: [
    "allows Bash(npm test *) without asking (.quoll/settings.json:4)",
    "lets git run core.fsmonitor = ./watch.sh (.git/config:7)",
    "starts the MCP server 漢字: npx server --port 1 (.mcp.json)",
  ],
};
const MANY = { ...REQUEST, reasons: Array.from({ length: 40 }, (_, at) => `runs hook-${at}.sh at each Stop`) };
const theme = themeFor(0);

function drawn(columns: number, rows: number, { request = REQUEST, scroll = 0 } = {}) {
  const state = { ...emptyTrustState(0), scroll };
  return trustLines(request, state, { theme, columns, rows });
}

/** A state whose guard is over, of a window of this size. */
function ready(request = REQUEST, rows = 24): TrustState {
  return { ...emptyTrustState(0), preview: drawn(80, rows, { request }).preview };
}

function press(state: TrustState, nowMs: number, ...pieces: readonly string[]) {
  let now = state;
  let early = "";
  const answers: TrustChoice[] = [];
  for (const piece of pieces) {
    const { events, decoder } = decodeKeys(emptyDecoder, piece);
    for (const event of [...events, ...flushKeys(decoder).events]) {
      const result = trustKey(now, event as KeyEvent, nowMs);
      now = result.state;
      early += result.early ?? "";
      if (result.answer !== undefined) answers.push(result.answer);
    }
  }
  return { state: now, answers, early };
}

describe("the screen that asks for trust", () => {
  test("nothing in a folder's name or in a reason drives the terminal or hides", () => {
    const request = { root: "/tmp/\u001b[2Jx\u202egpj", reasons: ["runs \u001b]0;x\u0007a\u200bb\nc"] };
    const text = drawn(80, 24, { request }).lines.join("\n");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: there is none in what goes to the terminal.
    expect(text.replaceAll("\n", "").match(/[\u0000-\u001f\u007f-\u009f\u200b\u202a-\u202e]/g)).toBeNull();
    expect(text).toContain("␛[2Jx⟨U+202E⟩gpj");
    expect(text).toContain("a⟨U+200B⟩b");
  });
});

describe("a key on the screen that asks for trust", () => {
  test.each([
    ["1", "trust"],
    ["2", "session"],
    ["3", "no"],
    [ESC, "exit"],
    ["\u0003", "exit"],
    ["\u0004", "exit"],
  ] as const)("%j answers", (key, answer) => {
    expect(press(ready(), 10_000, key).answers).toEqual([answer]);
  });

  test("enter takes what the cursor stands on: at first what runs nothing", () => {
    expect(press(ready(), 10_000, "\r").answers).toEqual(["no"]);
    expect(press(ready(), 10_000, UP, "\r").answers).toEqual(["session"]);
    expect(press(ready(), 10_000, UP, UP, "\r").answers).toEqual(["trust"]);
    expect(press(ready(), 10_000, DOWN, "\r").answers).toEqual(["exit"]);
    expect(press(ready(), 10_000, DOWN, DOWN, "\r").answers).toEqual(["trust"]);
    expect(press(ready(), 10_000, "\t", `${ESC}[Z`, "\r").answers).toEqual(["no"]);
  });

  test("that means nothing here answers nothing, nor does a paste", () => {
    const pressed = press(ready(), 10_000, "y", "4", "11", " ", `${ESC}[200~1\r${ESC}[201~`, "\u0001", "t");
    expect(pressed.answers).toEqual([]);
  });

  test("scrolls within bounds", () => {
    const many = ready(MANY);
    const { maxScroll, rows } = many.preview;
    expect(maxScroll).toBeGreaterThan(0);
    const scrollOf = (...keys: readonly string[]) => press(many, 10_000, ...keys).state.scroll;
    expect(scrollOf("j", "j", "k")).toBe(1);
    expect(scrollOf("k", `${ESC}[5~`)).toBe(0);
    expect(scrollOf(`${ESC}[6~`)).toBe(rows - 1);
    expect(scrollOf(...Array.from({ length: 50 }, () => " "))).toBe(maxScroll);
  });

  test("before the screen can have been read is no answer, and is kept for who comes next", () => {
    const typed = press(emptyTrustState(0), 399, "fix it", "\r", "1", `${ESC}[200~two\rlines${ESC}[201~`, UP, ESC);
    expect(typed.answers).toEqual([]);
    expect(typed.early).toBe(`fix it\r1${ESC}[200~two\rlines${ESC}[201~`);
    // Who goes on typing goes on not answering.
    expect(press(typed.state, 700, "1").answers).toEqual([]);
    expect(press({ ...typed.state, preview: ready().preview }, 1_200, "1").answers).toEqual(["trust"]);
    expect(press(emptyTrustState(0), 10, "\u0003").answers).toEqual(["exit"]);
  });

  test("trusts nothing that the window was too small to show", () => {
    const small = { ...emptyTrustState(0), preview: drawn(40, 6, { request: MANY }).preview };
    expect(small.preview.isReadable).toBe(false);
    expect(press(small, 10_000, "1", "2", UP, "\r").answers).toEqual([]);
    expect(press(small, 10_000, "3").answers).toEqual(["no"]);
    expect(press(small, 10_000, ESC).answers).toEqual(["exit"]);
  });
});
