import { type Reply, reply, toolUse } from "@quoll/model-twin/scenario";
import { startTwin, type TwinOptions } from "@quoll/model-twin/server";
import { type BenchPlace, type Measurement, median } from "./measurement.ts";
import { runMeasured } from "./run-measured.ts";

const DELTA_CHARS = 10;
const MANY = 200_000;
const FEW = 2_000;
const CPU_TARGET_MS = 1_000;
const RATIO_TARGET = 1.3;
/** The long runs take a second each; the cost of 2,000 deltas is small compared with the run, and needs more runs. */
const MOST_LONG_RUNS = 5;
const SHORT_RUNS_TIMES = 3;
/** Large enough for such a call. */
const WINDOW_TOKENS = 5_000_000;
const PART = "deltas";

type WireCase = {
  readonly name: string;
  readonly model: string;
  readonly twin?: Omit<TwinOptions, "scenario">;
  environment(url: string): Readonly<Record<string, string>>;
  settings(url: string): object;
};

/** Gemini sends calls whole, so it has no pieces. */
const WIRES: readonly WireCase[] = [
  {
    name: "Anthropic",
    model: "claude-sonnet-4-5",
    environment: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "bench" }),
    settings: () => ({}),
  },
  {
    name: "OpenAI Responses",
    model: "openai/gpt-5",
    environment: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "bench" }),
    settings: () => ({}),
  },
  {
    name: "OpenAI Chat",
    model: "openai/gpt-5",
    twin: { openai: { chat: { reasoningField: "none", returnedReasoning: "refused" } } },
    environment: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "bench" }),
    settings: () => ({ providers: { openai: { api: "chat" } } }),
  },
  {
    name: "compatible",
    model: "house/model-1",
    twin: { openai: { requireKey: false, refuseUnknownFields: false } },
    environment: () => ({}),
    settings: (url) => ({ providers: { house: { type: "openai-compatible", baseUrl: `${url}/v1` } } }),
  },
];

/**
 * A Write of 2 MB whose input arrives in pieces of 10 bytes: the CPU of the whole run, and the cost of a piece among 200,000
 * relative to a piece among 2,000. For the latter, the same run with its input in one piece is subtracted.
 */
export async function benchDeltas(place: BenchPlace, runs: number): Promise<readonly Measurement[]> {
  const results: Measurement[] = [];
  for (const wire of WIRES) {
    const cpu = async (pieces: number, deltaChars: number) => {
      const values: number[] = [];
      const count = pieces === FEW ? runs * SHORT_RUNS_TIMES : Math.min(runs, MOST_LONG_RUNS);
      for (let run = 0; run < count; run += 1) values.push(await runOnce(place, wire, pieces, deltaChars));
      return values;
    };
    const many = await cpu(MANY, DELTA_CHARS);
    const few = await cpu(FEW, DELTA_CHARS);
    const whole = { many: median(await cpu(MANY, MANY * DELTA_CHARS)), few: median(await cpu(FEW, FEW * DELTA_CHARS)) };
    const perFew = (median(few) - whole.few) / FEW;
    const name = `a call of 2 MB in ${MANY / 1_000},000 deltas, ${wire.name}`;
    results.push(
      { part: PART, name: `${name}, CPU of the run`, unit: "ms", values: many, target: CPU_TARGET_MS },
      {
        part: PART,
        name: `${name}: a delta, against one of ${FEW}`,
        unit: "×",
        values: many.map((value) => (value - whole.many) / MANY / perFew),
        target: RATIO_TARGET,
      },
    );
  }
  return results;
}

/** @returns CPU time in ms. */
async function runOnce(place: BenchPlace, wire: WireCase, pieces: number, deltaChars: number): Promise<number> {
  const content = "0123456789".repeat(pieces);
  const call: Reply = reply([toolUse("Write", { file_path: "long.txt", content })], { deltaChars });
  await using twin = await startTwin({
    ...wire.twin,
    keptBodies: 1,
    contextWindowTokens: WINDOW_TOKENS,
    scenario: (_, index) => (index === 0 ? call : reply("Written.")),
  });
  const env = { ...place.environment(), ...wire.environment(twin.url) };
  const window = { contextWindow: WINDOW_TOKENS };
  const model = wire.model.replace(/^.*\//, "");
  const values = { models: { [model]: window }, ...wire.settings(twin.url) };
  const settings = ["--settings", JSON.stringify(values), "--permission-mode", "acceptEdits"];
  const command = [place.quoll, "-p", "Write it.", "--model", wire.model, ...settings];
  const { cpuMs } = await runMeasured(command, { cwd: place.project, env });
  if (twin.requests.length !== 2) throw new Error(`${wire.name}: ${twin.requests.length} requests instead of 2.`);
  return cpuMs;
}
