import { startTwin } from "@quoll/model-twin/server";
import { type BenchPlace, type Measurement, median } from "./measurement.ts";
import { TerminalRun } from "./terminal-run.ts";

const FIRST_PAINT_TARGET_MS = 120;
const HELLO_RATIO_TARGET = 1.5;
const IDLE_RSS_TARGET_MB = 120;
/** Rounds to 0.0. */
const IDLE_CPU_TARGET_PERCENT = 0.05;
const SETTLE_MS = 2_000;
const IDLE_MS = 5_000;
/** Until then the runtime collects what the start left, in an Ink hello too. */
const COLLECTED_MS = 40_000;
const LONG_IDLE_MS = 20_000;
/** The character before the prompt: when it is written, the prompt accepts keys. */
export const PROMPT_SIGN = "›";
/** Part of the status line after settings, session and model are known. */
const WHOLE_FRAME_SIGN = "for keys";

/** The first paint compared with the smallest Ink program, then some idle seconds. */
export async function benchScreen(place: BenchPlace, runs: number): Promise<readonly Measurement[]> {
  await using twin = await startTwin({ scenario: [] });
  const access = { ANTHROPIC_BASE_URL: twin.url, ANTHROPIC_API_KEY: "bench" };
  const hello: number[] = [];
  const paint: number[] = [];
  const whole: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    hello.push(await firstPaint([place.inkHello], "hello", place, {}));
    paint.push(await firstPaint([place.quoll, "--trust"], PROMPT_SIGN, place, access));
    whole.push(await firstPaint([place.quoll, "--trust"], WHOLE_FRAME_SIGN, place, access));
  }
  const [idle, idleHello] = await Promise.all([
    whileIdle([place.quoll, "--trust"], PROMPT_SIGN, place, access),
    whileIdle([place.inkHello], "hello", place, {}),
  ]);
  const part = "screen";
  return [
    { part, name: "first paint", unit: "ms", values: paint, target: FIRST_PAINT_TARGET_MS },
    { part, name: "first frame with mode, model and branch", unit: "ms", values: whole, target: FIRST_PAINT_TARGET_MS },
    { part, name: "first paint of an Ink hello", unit: "ms", values: hello },
    {
      part,
      name: "first paint / Ink hello",
      unit: "×",
      values: [median(paint) / median(hello)],
      target: HELLO_RATIO_TARGET,
    },
    {
      part,
      name: `CPU in ${IDLE_MS / 1_000} idle seconds`,
      unit: "%",
      values: [idle.cpuPercent],
      target: IDLE_CPU_TARGET_PERCENT,
    },
    { part, name: `CPU in ${IDLE_MS / 1_000} idle seconds of an Ink hello`, unit: "%", values: [idleHello.cpuPercent] },
    { part, name: "CPU when long idle", unit: "%", values: [idle.longCpuPercent], target: IDLE_CPU_TARGET_PERCENT },
    { part, name: "CPU when long idle, of an Ink hello", unit: "%", values: [idleHello.longCpuPercent] },
    { part, name: "RSS when idle, of an Ink hello", unit: "MB", values: [idleHello.rssMb] },
    { part, name: "RSS when idle", unit: "MB", values: [idle.rssMb], target: IDLE_RSS_TARGET_MB },
  ];
}

type Access = Readonly<Record<string, string>>;

async function firstPaint(
  command: readonly string[],
  sign: string,
  place: BenchPlace,
  access: Access,
): Promise<number> {
  await using run = new TerminalRun(command, { cwd: place.project, env: { ...place.environment(), ...access } });
  return (await run.wrote(sign)) - run.spawnedAtMs;
}

type Idle = { readonly cpuPercent: number; readonly longCpuPercent: number; readonly rssMb: number };

async function whileIdle(command: readonly string[], sign: string, place: BenchPlace, access: Access): Promise<Idle> {
  await using run = new TerminalRun(command, { cwd: place.project, env: { ...place.environment(), ...access } });
  await run.wrote(sign);
  await Bun.sleep(SETTLE_MS);
  const cpuPercent = await cpuOver(run, IDLE_MS);
  const rssMb = run.rssMb();
  await Bun.sleep(COLLECTED_MS - SETTLE_MS - IDLE_MS);
  return { cpuPercent, longCpuPercent: await cpuOver(run, LONG_IDLE_MS), rssMb };
}

/** The share of one processor that the threads took which live until the end. */
async function cpuOver(run: TerminalRun, ms: number): Promise<number> {
  const before = run.threadTimes();
  await Bun.sleep(ms);
  const took = [...run.threadTimes()].map(([id, time]) => time - (before.get(id) ?? 0));
  return (took.reduce((sum, time) => sum + time, 0) / 1e6 / ms) * 100;
}
