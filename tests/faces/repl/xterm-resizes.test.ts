import { expect } from "bun:test";
import { builtDemo } from "../../support/built.ts";
import { deepTest } from "../../support/deep.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { terminalProcess } from "../../support/terminal-process.ts";

const DEMO = [await builtDemo()];
const LINES = 420;
/** VS Code's terminal collects output for some milliseconds. */
const LAG_MS = 10;
const STEPS = 40;

/** Drags the window while numbered lines stream. @returns the lines that are not there afterwards, and those that are there twice. */
async function dragged(form: "tens" | "long", stepMs: number, seed: number) {
  const { below } = seededRandom(seed);
  await using terminal = terminalProcess(DEMO, { lagMs: LAG_MS });
  await terminal.shows("? for keys");
  const pieces = (LINES * 35) / 30;
  terminal.type(`numbered ${form} ${Math.round((STEPS * stepMs + 1_000) / pieces)}\r`);
  await terminal.shows(() => terminal.all.includes("row40x"));
  const sizes = Array.from({ length: STEPS }, () => ({ columns: 40 + below(81), rows: 10 + below(31) }));
  await terminal.drag(sizes, stepMs);
  await terminal.shows("That is all.");
  await terminal.shows("? for keys");
  // The terminal may wrap a row in the middle of a number.
  const all = Array.from({ length: terminal.xterm.buffer.active.length }, (_, at) => {
    const line = terminal.xterm.buffer.active.getLine(at);
    return `${line?.isWrapped ? "" : "\n"}${line?.translateToString(true) ?? ""}`;
  }).join("");
  const counts = Array.from({ length: LINES }, (_, at) => all.split(`row${at}x`).length - 1);
  const those = (is: (count: number) => boolean) => counts.flatMap((count, at) => (is(count) ? [at] : []));
  return { form, seed, lost: those((count) => count === 0), doubled: those((count) => count > 1) };
}

deepTest("an answer is whole that streams while a window of xterm.js is dragged", async () => {
  const runs: Awaited<ReturnType<typeof dragged>>[] = [];
  for (const seed of [1, 2, 3, 4, 5, 6])
    for (const form of ["tens", "long"] as const) runs.push(await dragged(form, 60, seed));
  const [lost, doubled] = [runs.flatMap((run) => run.lost), runs.flatMap((run) => run.doubled)];
  expect({ lost, isRarelyDoubled: doubled.length <= 3, runs }).toEqual({ lost: [], isRarelyDoubled: true, runs });
});

deepTest("an answer is nearly whole that streams while a window of xterm.js is resized again and again", async () => {
  const runs: Awaited<ReturnType<typeof dragged>>[] = [];
  for (const seed of [1, 2, 3]) runs.push(await dragged("long", 500, seed));
  const [lost, doubled] = [runs.flatMap((run) => run.lost), runs.flatMap((run) => run.doubled)];
  expect({ isRarelyLost: lost.length <= 1, isRarelyDoubled: doubled.length <= 4, runs }).toEqual({
    isRarelyLost: true,
    isRarelyDoubled: true,
    runs,
  });
});
