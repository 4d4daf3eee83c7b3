import { expect, setDefaultTimeout } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { builtDemo } from "../../support/built.ts";
import { deepTest, eachOrDeep } from "../../support/deep.ts";
import { tempProject } from "../../support/temp-project.ts";
import { tmuxProcess } from "../../support/tmux-process.ts";

setDefaultTimeout(180_000);

const DEMO = [await builtDemo()];
const IDLE = "? for keys";
const ASKED = "Change this file?";
const ENDED = "● You said";
const ALL_LINES = 20_000;

type Terminal = Awaited<ReturnType<typeof tmuxProcess>>;
type Size = readonly [columns: number, rows: number];

const count = (text: string, part: string) => text.split(part).length - 1;

/** Waits until nothing changes any more, on the screen and above. */
async function rests(terminal: Terminal): Promise<void> {
  for (let before: string | undefined; ; ) {
    const all = await terminal.all();
    if (all === before) return;
    before = all;
    // Longer than a window must rest before a frame is drawn for it.
    await Bun.sleep(700);
  }
}

/** The rows between a prompt and the answer, or the end of everything. */
function rowsBehind(all: string, prompt: string, end: string | undefined): number {
  const lines = all.split("\n");
  const from = lines.findIndex((line) => line.startsWith(prompt));
  const to = end === undefined ? lines.length : lines.findIndex((line, at) => at > from && line.startsWith(end));
  if (from < 0 || to < 0) throw new Error(`No ${prompt} with ${end} behind it:\n${all}`);
  return to - from - 1;
}

/** What a program that writes a text once and then nothing has of it above the screen after the same resizes. */
async function leftOfControl(text: string, [[columns, rows] = [80, 24], ...sizes]: readonly Size[]): Promise<number> {
  await using project = await tempProject({});
  await writeFile(project.path("text"), `${text}\n`);
  const program = ["sh", "-c", "cat text; exec sleep 1000"];
  await using terminal = await tmuxProcess(program, { columns, rows, cwd: project.dir });
  await terminal.shows("waiting for your answer");
  for (const [wide, high] of sizes) await terminal.resize(wide, high);
  await rests(terminal);
  const screen = (await terminal.screen()).split("\n").length;
  return Math.max(0, rowsBehind(await terminal.all(), "› hunks", undefined) - screen);
}

eachOrDeep(
  "a question leaves no more above than a text that nobody draws again: %j",
  0,
  [
    [
      [
        [120, 40],
        [120, 10],
        [120, 40],
      ],
      "quick",
    ],
    [
      [
        [120, 40],
        [30, 10],
        [80, 24],
      ],
      "quick",
    ],
    [
      [
        [80, 24],
        [60, 24],
      ],
      "quick",
    ],
    [
      [
        [80, 24],
        [120, 24],
      ],
      "quick",
    ],
    [
      [
        [120, 40],
        [120, 24],
        [120, 40],
      ],
      "slow",
    ],
    [
      [
        [80, 24],
        [80, 15],
        [80, 24],
        [120, 24],
      ],
      "slow",
    ],
    [
      [
        [120, 40],
        [30, 10],
        [50, 12],
        [120, 40],
      ],
      "slow",
    ],
  ] satisfies readonly [readonly Size[], string][],
  async (sizes: readonly Size[], pace: string) => {
    const [[columns, rows] = [80, 24], ...later] = sizes;
    await using terminal = await tmuxProcess(DEMO, { columns, rows });
    await terminal.shows(IDLE);
    await terminal.type("fix it\r");
    await terminal.shows("1 file +1 −1");
    await terminal.type("hunks\r");
    await terminal.shows(ASKED);
    await rests(terminal);
    const before = await terminal.all();
    for (const [wide, high] of later) {
      await terminal.resize(wide, high);
      if (pace === "slow") await rests(terminal);
    }
    await rests(terminal);
    await terminal.pressUntil("Escape", IDLE);
    await rests(terminal);
    const all = await terminal.all();
    for (const once of ["› fix it", "● The test now waits", "› hunks"])
      expect([once, count(all, once)]).toEqual([once, 1]);
    // On a fast machine the window rests at 30×10, and the frame of that size takes rows that would come back: see ADR 0013.
    const taken = sizes.some(([, high]) => high === 10) && sizes.at(-1)?.[1] === 24 ? 6 : 0;
    // A blank row stands above the answer in any case.
    expect(rowsBehind(all, "› hunks", ENDED) - 1).toBeLessThanOrEqual((await leftOfControl(before, sizes)) + taken);
  },
);

/** Clears of the whole screen or of the history, in what was written. */
const clearsIn = (output: string) => count(output, "\u001b[2J") + count(output, "\u001b[3J") + count(output, "\u001bc");

deepTest(
  "10,000 lines in windows that change are each there once, in their order, with nothing between them",
  async () => {
    await using project = await tempProject({});
    await using terminal = await tmuxProcess(DEMO, { columns: 80, rows: 24, historyLines: ALL_LINES });
    await terminal.recordTo(project.path("output"));
    await terminal.shows(IDLE);
    await terminal.type("lines\r");
    for (const [part, columns, rows] of [
      [1, 80, 15],
      [2, 80, 40],
      [3, 80, 24],
      [5, 120, 24],
    ] as const) {
      await terminal.shows(new RegExp(`line ${part}\\d{3} of it`), 40_000);
      await terminal.resize(columns, rows);
    }
    await terminal.shows("line 9999 of it", 60_000);
    await rests(terminal);
    const all = await terminal.all();
    const lines = all.split("\n");
    const first = lines.findIndex((line) => line.endsWith("line 0 of it"));
    const answer = lines.slice(first, lines.findIndex((line) => line.endsWith("line 9999 of it")) + 1);
    const wrong = answer.filter((line, at) => !line.endsWith(`line ${at} of it`));
    expect({ wrong: wrong.slice(0, 5), count: answer.length }).toEqual({ wrong: [], count: 10_000 });
    expect(count(all, "esc to interrupt")).toBe(0);
    expect(clearsIn(await readFile(project.path("output"), "utf8"))).toBe(0);
  },
);

deepTest("50 questions in windows that change leave each prompt and answer once, and no box", async () => {
  await using project = await tempProject({});
  await using terminal = await tmuxProcess(DEMO, { columns: 80, rows: 24, historyLines: ALL_LINES });
  await terminal.recordTo(project.path("output"));
  await terminal.shows(IDLE);
  // Every fifth question is open while the window gets higher, and as high as before again.
  for (let asked = 0; asked < 50; asked += 1) {
    await terminal.type("hunks\r");
    await terminal.shows(ASKED);
    if (asked % 5 === 0) await terminal.resize(80, asked % 2 === 0 ? 40 : 24);
    await terminal.pressUntil("Escape", new RegExp(`${ENDED}[\\s\\S]*\\? for keys`));
  }
  await rests(terminal);
  const all = await terminal.all();
  expect({ prompts: count(all, "› hunks"), answers: count(all, ENDED) }).toEqual({ prompts: 50, answers: 50 });
  expect({ frames: count(all, "waiting for your answer"), boxes: count(all, "╰") }).toEqual({ frames: 0, boxes: 0 });
  expect(clearsIn(await readFile(project.path("output"), "utf8"))).toBe(0);
});

const DRAGS = {
  wider: Array.from({ length: 20 }, (_, step) => ({ columns: 101 + step, rows: 24 })),
  lower: Array.from({ length: 12 }, (_, step) => ({ columns: 100, rows: 23 - step })),
};

for (const [direction, sizes] of Object.entries(DRAGS))
  deepTest(`an answer that streams while the window is dragged ${direction} is whole, each line once`, async () => {
    await using terminal = await tmuxProcess(DEMO, { columns: 100, rows: 24 });
    await terminal.shows(IDLE);
    await terminal.type("code it\r");
    await terminal.shows(/value\d+ = /);
    await terminal.drag(sizes);
    await terminal.shows("That is all.");
    await rests(terminal);
    const numbers = Array.from((await terminal.all()).matchAll(/value(\d+) = /g), ([, number]) => Number(number));
    expect(numbers).toEqual(Array.from({ length: 60 }, (_, at) => at));
  });
