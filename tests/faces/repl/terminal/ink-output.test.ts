import { expect, test } from "bun:test";
import { FrameWriter } from "../../../../src/faces/repl/terminal/frame-writer.ts";
import { frameOf, type InkOutput, outputOf } from "../../../../src/faces/repl/terminal/ink-output.ts";
import { InkStdout } from "../../../../src/faces/repl/terminal/ink-stdout.ts";
import { LivePlaces } from "../../../../src/faces/repl/terminal/live-places.ts";
import { placeOf } from "../../../../src/faces/repl/terminal/row-places.ts";

const HIDE = "\u001b[?25l";
const SHOW = "\u001b[?25h";
const PLACE = placeOf({ key: 7 });

/** Chunks as Ink 8 writes them between its marks. */
test.each([
  ["a first frame", [HIDE, `one\ntwo\n\u001b[1A\u001b[3G${SHOW}`], [], ["one", "two", ""], { x: 2, y: 1 }],
  [
    "a later one",
    [`${HIDE}\u001b[1B\u001b[1G\u001b[2K\u001b[1A\u001b[2K\u001b[G\u001b[1mone\u001b[22m\n`],
    [],
    ["\u001b[1mone\u001b[22m", ""],
    undefined,
  ],
  [
    "a printed row",
    [`${HIDE}\u001b[1A\u001b[1G\u001b[J`, `${PLACE}\n`, `\nthree\n`],
    [PLACE],
    ["", "three", ""],
    undefined,
  ],
  [
    "a printed row of a frame that filled the window",
    [`\u001b[1;1H\u001b[J${PLACE}\nthree\n`],
    [PLACE],
    ["three", ""],
    undefined,
  ],
  ["a movement of the cursor", [`${HIDE}\u001b[2B\u001b[1G\u001b[2A\u001b[5G${SHOW}`], [], undefined, { x: 4, y: 2 }],
])("%s is read from what Ink writes", (_, chunks, above, rows, cursor) => {
  expect(frameOf(chunks)).toEqual({ kind: "frame", above, rows, cursor });
});

test.each([
  [HIDE, "hide"],
  [SHOW, "show"],
  ["\u001b[2B\u001b[1G", "leave"],
  [`${HIDE}\u001b[3A\u001b[1G\u001b[J`, "erase"],
  ["\u001b[2K\u001b[1A\u001b[2K\u001b[G", "erase"],
  ["text", "other"],
  ["", "other"],
])("%j outside of a frame is: %s", (text, kind) => {
  expect(outputOf(text).kind).toBe(kind as InkOutput["kind"]);
});

test("a frame is one write, after what erases the frame before Ink; rows stand in their places", () => {
  const written: string[] = [];
  const terminal = { columns: 80, rows: 24, write: (text: string) => written.push(text) > 0 };
  const stdout = new InkStdout(
    terminal as unknown as NodeJS.WriteStream,
    { columns: 80, rows: 24 },
    "erase",
    () => "a\nb",
  );
  const live = new LivePlaces();
  const [line = ""] = live.of(["frame"]);
  stdout.writeWith({ writer: new FrameWriter(), frameOf, outputOf, live });
  for (const chunk of [
    "\u001b[?2026h",
    HIDE,
    `${PLACE}\n`,
    `${line}\n\u001b[1A\u001b[1G${SHOW}`,
    "\u001b[?2026l",
    "outside",
  ])
    stdout.stream.write(chunk);
  expect(written).toEqual(["erasea\nb\nframe\n\u001b[1A\r", "outside"]);
});
