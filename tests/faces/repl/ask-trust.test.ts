import { describe, expect, test } from "bun:test";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { decodeKeys, emptyDecoder, flushKeys, type KeyEvent } from "../../../src/faces/repl/input/decode-keys.ts";
import { GUARD_MS } from "../../../src/faces/repl/ui/question.ts";
import { emptyTrustState, type TrustChoice, type TrustState, trustKey } from "../../../src/faces/repl/ui/trust-keys.ts";
import { themeFor } from "../../../src/faces/repl/view/theme.ts";
import { trustLines } from "../../../src/faces/repl/view/trust-box.ts";
import { terminalProcess } from "../../support/terminal-process.ts";

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
  test.each([40, 80, 120])("at %d columns", (columns) => {
    expect(drawn(columns, 24).lines.map(stripAnsi).join("\n")).toMatchSnapshot();
  });

  test("is never taller nor wider than the window, and says when it can't be read", () => {
    for (let columns = 20; columns <= 130; columns += 11) {
      for (let rows = 5; rows <= 50; rows += 3) {
        const { lines, preview } = drawn(columns, rows, { request: MANY, scroll: rows });
        expect(lines.length).toBeLessThanOrEqual(rows);
        expect(lines.filter((line) => textWidth(line) > columns)).toEqual([]);
        if (preview.isReadable) expect(lines.join("\n")).toMatch(/3 go on/);
        else expect(lines.join("\n")).not.toMatch(/1 trust this folder/);
      }
    }
  });

  test("every reason can be scrolled to, and how many lines are below is said", () => {
    const { preview, lines } = drawn(80, 24, { request: MANY });
    expect(lines.join("\n")).toMatch(/\d+ below/);
    const seen = new Set<string>();
    for (let scroll = 0; scroll <= preview.maxScroll; scroll += 1) {
      for (const line of drawn(80, 24, { request: MANY, scroll }).lines) {
        for (const [name] of line.matchAll(/hook-\d+\.sh/g)) seen.add(name);
      }
    }
    expect([...seen]).toEqual(MANY.reasons.map((reason) => reason.split(" ")[1] ?? ""));
  });

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

const DEMO = [process.execPath, `${import.meta.dir}/../../support/demo-repl.tsx`];

async function asked(options: Parameters<typeof terminalProcess>[1] = {}) {
  const terminal = terminalProcess(DEMO, { ...options, env: { DEMO_TRUST: "30" } });
  await terminal.shows("3 go on without trust");
  return terminal;
}

/** Waits as long as a person needs to read: no key is an answer before. */
async function hasRead(terminal: Awaited<ReturnType<typeof asked>>): Promise<void> {
  const shownAt = performance.now();
  await terminal.shows(() => performance.now() - shownAt > GUARD_MS);
}

describe("asking for trust in a real terminal", () => {
  test.each([
    ["1", "trust: trust"],
    ["\r", "trust: no"],
  ])("%j goes on to the prompt, on the screen that was there before", async (key, told) => {
    await using terminal = await asked();
    await hasRead(terminal);
    terminal.type(key);
    await terminal.shows(told);
    await terminal.shows("? for keys");
    expect(terminal.all).not.toContain("Do you trust this folder?");
    expect(terminal.all.split("quoll 0.1.0").length - 1).toBe(1);
    expect(terminal.output.indexOf(`${ESC}[?1049h`)).toBeLessThan(terminal.output.indexOf(`${ESC}[?1049l`));
  });

  test.each([
    ["escape", ESC],
    ["ctrl+c", "\u0003"],
  ])("%s leaves, and the terminal is as it was", async (_, key) => {
    await using terminal = await asked();
    await hasRead(terminal);
    terminal.type(key);
    await terminal.shows("left before the start");
    expect(await terminal.child.exited).toBe(0);
    expect(terminal.all).not.toContain("Do you trust");
    for (const mode of ["1049", "2004"])
      expect(terminal.output.lastIndexOf(`${ESC}[?${mode}l`)).toBeGreaterThan(
        terminal.output.lastIndexOf(`${ESC}[?${mode}h`),
      );
    expect(terminal.output.lastIndexOf(`${ESC}[?25h`)).toBeGreaterThan(terminal.output.lastIndexOf(`${ESC}[?25l`));
  });

  test("what was typed before it stood answers nothing and waits in the prompt", async () => {
    await using terminal = terminalProcess(DEMO, { env: { DEMO_TRUST: "1" } });
    terminal.type("1fix 2");
    await terminal.shows("3 go on without trust");
    await hasRead(terminal);
    await hasRead(terminal);
    expect(terminal.screen).toContain("Do you trust this folder?");
    terminal.type("3");
    await terminal.shows("trust: no");
    await terminal.shows("› 1fix 2");
  });

  test("the window may change its size", async () => {
    await using terminal = await asked();
    for (const [columns, rows] of [
      [40, 20],
      [120, 40],
      [80, 10],
    ] as const) {
      terminal.resize(columns, rows);
      await terminal.shows(
        () => terminal.screen.split("\n")[0] === `╭ Do you trust this folder? ${"─".repeat(columns - 29)}╮`,
      );
      expect(terminal.screen.split("Do you trust").length).toBe(2);
    }
  });
});
