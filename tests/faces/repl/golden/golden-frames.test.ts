import { expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { earlyFrame, printedLines } from "../../../../src/faces/repl/terminal/early-frame.ts";
import { ScreenTheme } from "../../../../src/faces/repl/terminal/screen-theme.ts";
import { goldenStage } from "../../../support/golden-stage.ts";
import { type GoldenState, goldenStates } from "../../../support/golden-states.ts";
import { ReadableFrames } from "../../../support/readable-frame.ts";

const SIZES = [
  { columns: 40, rows: 24 },
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
];
/** With this variable, the files are written instead of compared: look at their difference before you commit it. */
const isWriting = process.env["GOLDEN"] === "write";
const fileOf = (name: string) => join(import.meta.dir, `${name.replaceAll(" ", "-")}.txt`);

// biome-ignore lint/suspicious/noControlCharactersInRegex: the movement of the cursor at the end of a frame.
const PLACES_CURSOR = /\r(?:\u001b\[\d+[AC])*$/;

/** Six screens are drawn for a state, on machines that do other work too. */
const LIMIT_MS = 60_000;

/** The rows of the welcome, which only the states of the start show. */
const WELCOME_ROWS = 2;

type Named = { readonly name: string; readonly state: GoldenState };
type Drawn = { readonly printed: readonly string[]; readonly live: readonly string[]; readonly cursor: string };

/** The frame of a state in one size and theme. */
async function drawn(
  { name, state }: Named,
  size: (typeof SIZES)[number],
  background: "dark" | "light",
): Promise<Drawn> {
  if ("lines" in state) {
    const theme = new ScreenTheme({ colorLevel: 3, background }, undefined).current;
    return { printed: [], live: state.lines(size, { ...theme, background }), cursor: "before the session" };
  }
  using stage = goldenStage(size, background, state);
  await stage.start();
  await state.play(stage.here);
  await stage.settle();
  await state.last?.(stage.here);
  const { alternate } = stage;
  if (alternate.length > 0) return { printed: [], live: alternate, cursor: "on the alternate screen" };
  const isStart = name.startsWith("start");
  const snapshot = stage.snapshot();
  const { frame } = snapshot;
  const printed = printedLines(snapshot);
  const early = earlyFrame(snapshot, size);
  if (early) expect(early.text.replace(PLACES_CURSOR, "").split("\r\n")).toEqual([...printed, ...frame.lines]);
  return {
    printed: isStart ? printed : printed.slice(WELCOME_ROWS),
    live: frame.lines,
    cursor: frame.cursor ? `cursor ${frame.cursor.x},${frame.cursor.y}` : "no cursor",
  };
}

/** A state in all sizes: the rows that were printed, the live frame below them, and the looks that letters mean. */
async function readable(named: Named): Promise<string> {
  const frames = new ReadableFrames();
  const parts: string[] = [];
  for (const size of SIZES) {
    const dark = await drawn(named, size, "dark");
    const light = await drawn(named, size, "light");
    expect(light.cursor).toBe(dark.cursor);
    for (const line of [...dark.printed, ...dark.live])
      expect(textWidth(stripAnsi(line))).toBeLessThanOrEqual(size.columns);
    parts.push(
      `== ${size.columns}×${size.rows} ==`,
      ...frames.rows({ dark: dark.printed, light: light.printed }),
      `-- ${dark.cursor} --`,
      ...frames.rows({ dark: dark.live, light: light.live }),
      "",
    );
  }
  return [...parts, "== looks ==", ...frames.legend, ""].join("\n");
}

test.each(Object.entries(goldenStates))(
  "%s",
  async (name, state) => {
    const now = await readable({ name, state });
    if (isWriting) writeFileSync(fileOf(name), now);
    expect(now).toBe(readFileSync(fileOf(name), "utf8"));
  },
  LIMIT_MS,
);

test("every file of a golden frame belongs to a state", () => {
  const files = readdirSync(import.meta.dir).filter((file) => file.endsWith(".txt"));
  expect(files.sort()).toEqual(
    Object.keys(goldenStates)
      .map((name) => `${name.replaceAll(" ", "-")}.txt`)
      .sort(),
  );
});
