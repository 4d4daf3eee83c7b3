import { expect, test } from "bun:test";
import { Terminal } from "@xterm/headless";
import { echoChange, type TypedLine } from "../../../../src/faces/repl/plain/line-echo.ts";
import { seededTest } from "../../../support/deep.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

const PROMPT = "You: ";
const line = (text: string, cursor = text.length): TypedLine => ({ prompt: PROMPT, text, cursor });

test.each<[string, TypedLine, TypedLine, string]>([
  ["typing at the end prints the letter", line("ab"), line("abc"), "c"],
  ["backspace at the end", line("ab"), line("a"), "\b \b"],
  ["left", line("ab"), line("ab", 1), "\b"],
  ["right prints the letter that it passes", line("ab", 0), line("ab", 1), "a"],
  ["typing in the middle prints the rest again", line("ac", 1), line("abc", 2), "bc\b"],
  ["deleting in the middle", line("abc", 2), line("ac", 1), "\bc \b\b"],
  ["the start of the line", line("abc"), line("abc", 0), "\b\b\b"],
  ["a wide character", line("漢"), line(""), "\b\b  \b\b"],
])("%s", (_, before, after, written) => {
  expect(echoChange(before, after, 80)).toBe(written);
});

test("only a cursor that goes back into an earlier row needs a control sequence", () => {
  const long = "x".repeat(30);
  expect(echoChange(line(long), line(`${long}y`), 20)).toBe("y");
  expect(echoChange(line(long), line(long, 2), 20)).toStartWith("\u001b[1A");
});

seededTest(
  "the screen shows the typed text and its cursor, whatever was typed in whatever window",
  { seed: 7, cases: { quick: 4, deep: 60 } },
  async (seed, cases) => {
    const random = seededRandom(seed);
    for (let round = 0; round < cases; round += 1) {
      const columns = 12 + random.below(20);
      const xterm = new Terminal({ cols: columns, rows: 24, allowProposedApi: true });
      let shown = line("");
      await written(xterm, PROMPT);
      for (let step = 0; step < 40; step += 1) {
        const graphemes = [...shown.text];
        const at = random.below(graphemes.length + 1);
        const removed = random.chance(0.3) ? random.below(graphemes.length - at + 1) : 0;
        const added = random.some(5, () => random.pick(["a", "b", " ", "漢"]));
        const next = [...graphemes.slice(0, at), ...added, ...graphemes.slice(at + removed)].slice(0, 90);
        const cursor = next.slice(0, random.below(next.length + 1)).join("").length;
        const after = line(next.join(""), cursor);
        await written(xterm, echoChange(shown, after, columns));
        shown = after;
        const expected = new Terminal({ cols: columns, rows: 24, allowProposedApi: true });
        await written(expected, PROMPT + after.text);
        expect({ seed, step, screen: screenOf(xterm) }).toEqual({ seed, step, screen: screenOf(expected) });
        const upTo = new Terminal({ cols: columns, rows: 24, allowProposedApi: true });
        await written(upTo, PROMPT + after.text.slice(0, cursor));
        expect({ seed, step, ...cursorOf(xterm) }).toEqual({ seed, step, ...cursorOf(upTo) });
      }
    }
  },
);

function written(xterm: Terminal, text: string): Promise<void> {
  return new Promise((resolve) => xterm.write(text, resolve));
}

function screenOf({ buffer, rows }: Terminal): readonly string[] {
  return Array.from({ length: rows }, (_, at) => buffer.active.getLine(at)?.translateToString(true).trimEnd() ?? "");
}

/** The end of a full row is the beginning of the next. */
function cursorOf({ buffer, cols }: Terminal) {
  const { cursorX, cursorY } = buffer.active;
  return cursorX === cols ? { x: 0, y: cursorY + 1 } : { x: cursorX, y: cursorY };
}
