import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reply, text, toolUse } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { SMALL_FILES, smallFile } from "./bench-place.ts";
import { benchListeners } from "./listeners.ts";
import { type BenchPlace, type Measurement, median } from "./measurement.ts";

const ROUNDS = 1_000;
/** Rounds between two memory measurements. */
const LOOK_EVERY = 10;
/** By then the window has been full once, and old results are removed again and again. */
const SETTLED_AFTER = 300;
/** The rounds at the end whose median is compared: a single measurement depends on when garbage was collected last. */
const LAST_ROUNDS = 200;
const LINE = "It was a dark night, and the wind rose.";
const LINES_A_ROUND = 500;
const STEP = 10;
const FILE = "long.txt";
/** A window of 200,000 tokens. */
const MODEL = "claude-sonnet-4-5";
const ROUND_TARGET_MS = 5;
const RSS_TARGET_MB = 300;
const GROWTH_TARGET = 1.1;
/** A window of a million tokens is full after this number of rounds. */
const WIDE_MODEL = "claude-sonnet-4-5[1m]";
const WIDE_WINDOW_TOKENS = 1_000_000;
const WIDE_ROUNDS = 180;
/** Number of largest requests, which represent a full window. */
const WIDE_LARGEST = 20;
const WIDE_TARGET_MS = 40;
/**
 * A turn of a thousand rounds, each with a result of 20 KB: measures the cost with a full window, and the growth of memory.
 * A hundred further rounds read five lines each and measure the loop itself.
 * Then a turn with a window of a million tokens, until the window is full.
 */
export async function benchSoak(place: BenchPlace): Promise<readonly Measurement[]> {
  const part = "soak";
  const { gaps, rss } = await talk(place, { rounds: ROUNDS, small: SMALL_FILES, model: MODEL });
  const settled = rss.slice(SETTLED_AFTER / LOOK_EVERY - 1);
  const last = median(settled.slice(-LAST_ROUNDS / LOOK_EVERY));
  const wide = await talk(place, { rounds: WIDE_ROUNDS, model: WIDE_MODEL, window: WIDE_WINDOW_TOKENS });
  const largest = [...wide.gaps].sort((a, b) => b.bytes - a.bytes).slice(0, WIDE_LARGEST);
  return [
    {
      part,
      name: "overhead of a round, 200 K window, full",
      unit: "ms",
      values: gaps.slice(SETTLED_AFTER, ROUNDS).map(({ ms }) => ms),
      target: ROUND_TARGET_MS,
    },
    {
      part,
      name: "the same, with results of five lines",
      unit: "ms",
      values: gaps.slice(ROUNDS + 1).map(({ ms }) => ms),
      target: ROUND_TARGET_MS,
    },
    {
      part,
      name: "the same, size of its request",
      unit: "MB",
      values: gaps.slice(ROUNDS + 1).map(({ bytes }) => bytes / 1e6),
    },
    {
      part,
      name: `RSS in the last ${LAST_ROUNDS} of ${ROUNDS} rounds`,
      unit: "MB",
      values: [last],
      target: RSS_TARGET_MB,
    },
    {
      part,
      name: `RSS in the last ${LAST_ROUNDS} of ${ROUNDS} rounds / median since round ${SETTLED_AFTER}`,
      unit: "×",
      values: [last / median(settled)],
      target: GROWTH_TARGET,
    },
    {
      part,
      name: "overhead of a round, 1 M window, full",
      unit: "ms",
      values: largest.map(({ ms }) => ms),
      target: WIDE_TARGET_MS,
    },
    {
      part,
      name: "the same, size of its request",
      unit: "MB",
      values: largest.map(({ bytes }) => bytes / 1e6),
    },
    ...(await benchListeners(place)),
  ];
}

type Talk = { readonly rounds: number; readonly small?: number; readonly model: string; readonly window?: number };
/** The time before a request, and the length of the request. */
type Gap = { readonly ms: number; readonly bytes: number };
type Talked = { readonly gaps: readonly Gap[]; readonly rss: readonly number[] };

async function talk(
  { quoll, project, environment }: BenchPlace,
  { rounds, small = 0, model, window }: Talk,
): Promise<Talked> {
  const lines = rounds * STEP + LINES_A_ROUND;
  writeFileSync(join(project, FILE), Array.from({ length: lines }, (_, at) => `${at} ${LINE}\n`).join(""));
  const rss: number[] = [];
  const sizes: number[] = [];
  let child: Bun.Subprocess | undefined;
  await using twin = await startTwin({
    keptBodies: 1,
    contextWindowTokens: window,
    scenario: ({ headers }, index) => {
      sizes.push(Number(headers["content-length"]));
      if (index > 0 && index % LOOK_EVERY === 0 && child) rss.push(rssOf(child.pid));
      if (index >= rounds + small) return reply("All of it is read.");
      if (index >= rounds) return reply([text("On."), toolUse("Read", { file_path: smallFile(index - rounds + 1) })]);
      const input = { file_path: FILE, offset: index * STEP + 1, limit: LINES_A_ROUND };
      return reply([text("On."), toolUse("Read", input)]);
    },
  });
  const env = { ...environment(), ANTHROPIC_BASE_URL: twin.url, ANTHROPIC_API_KEY: "bench" };
  child = Bun.spawn([quoll, "-p", "Read it all.", "--model", model], {
    cwd: project,
    env,
    stdout: "ignore",
    stderr: "pipe",
  });
  const [code, words] = await Promise.all([child.exited, new Response(child.stderr as ReadableStream).text()]);
  if (code !== 0) throw new Error(`The soak ended with ${code}: ${words.slice(-500)}`);
  const gaps = twin.requests.slice(1).map(({ receivedAtMs }, at) => ({
    ms: receivedAtMs - (twin.requests[at]?.endedAtMs ?? Number.NaN),
    bytes: sizes[at + 1] ?? Number.NaN,
  }));
  return { gaps, rss };
}

function rssOf(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
  return Number(kilobytes ?? Number.NaN) / 1024;
}
