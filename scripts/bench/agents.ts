import { join } from "node:path";
import type { AgentRequest } from "./agents-child.ts";
import { type BenchPlace, type Measurement, median } from "./measurement.ts";
import { runMeasured } from "./run-measured.ts";
import { PROMPT_SIGN } from "./screen.ts";
import { TerminalRun } from "./terminal-run.ts";

const MODEL = "claude-sonnet-4-5";
const START_TARGET_MS = 15;
const STARTED = 10;
const AGENTS = 100;
const ROUNDS = 20;
/** The mean time of a model's answer, far below a real model's. */
const ANSWER_MS = 1_000;
/** A model needs about half a second for its first token; the twin answers at once. */
const FIRST_ANSWER_MS = 300;
const RSS_TARGET_MB = 500;
const ROUND_TARGET_MS = 10;
const ECHO_TARGET_MS = 30;
const KEY_EVERY_MS = 100;
const ECHO_SHARE = 0.95;
/** Letters that stand nowhere else on the screen. */
const KEYS = "αβγδεζηθικλμνξοπρστυφχψω";
const CLEAR_PROMPT = "\x15";

/** The start of agents one after the other; then a hundred at once in a terminal, while keys are typed. */
export async function benchAgents(place: BenchPlace, runs: number): Promise<readonly Measurement[]> {
  const first: number[] = [];
  const later: number[] = [];
  const added: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const starts = await startsOf(place);
    first.push(starts[0] ?? Number.NaN);
    later.push(median(starts.slice(1)));
    added.push((starts[0] ?? Number.NaN) - (await firstRead(place)));
  }
  const row = { part: "agents" };
  const result: Measurement[] = [
    { ...row, name: "start of the first agent", unit: "ms", values: first },
    { ...row, name: "the same, beyond a first Read", unit: "ms", values: added, target: START_TARGET_MS },
    { ...row, name: "start of a later agent", unit: "ms", values: later, target: START_TARGET_MS },
  ];
  const crowds: Crowd[] = [];
  for (let run = 0; run < Math.min(runs, 3); run += 1) crowds.push(await crowdOnce(place));
  const of = (pick: (crowd: Crowd) => number) => crowds.map(pick);
  const name = `${AGENTS} agents, ${ROUNDS} rounds each`;
  return [
    ...result,
    { ...row, name: `${name}: RSS`, unit: "MB", values: of((one) => one.rssMb), target: RSS_TARGET_MB },
    {
      ...row,
      name: `${name}: CPU of a round`,
      unit: "ms",
      values: of((one) => one.roundCpuMs),
      target: ROUND_TARGET_MS,
    },
    {
      ...row,
      name: `${name}: overhead of a round`,
      unit: "ms",
      values: of((one) => one.gapMs),
      target: ROUND_TARGET_MS,
    },
    { ...row, name: `${name}: key to echo, p95`, unit: "ms", values: of((one) => one.echoMs), target: ECHO_TARGET_MS },
    { ...row, name: `${name}: key to echo, median`, unit: "ms", values: of((one) => one.medianEchoMs) },
    { ...row, name: `${name}: all of it`, unit: "ms", values: of((one) => one.wallMs) },
  ];
}

/** From the end of the answer that calls an agent to the first request of the agent. */
async function startsOf({ quoll, project, environment }: BenchPlace): Promise<readonly number[]> {
  await using model = await startModel([STARTED, 1, 0, 1, FIRST_ANSWER_MS]);
  const env = { ...environment(), ...access(model.url) };
  await runMeasured([quoll, "-p", "Read it all.", "--model", MODEL], { cwd: project, env });
  const requests = await model.requests();
  return Array.from({ length: STARTED }, (_, at) => {
    const started = requests.find(({ agent }) => agent === at + 1);
    const called = requests.find(({ agent, round }) => agent === 0 && round === at);
    return (started?.receivedAtMs ?? Number.NaN) - (called?.endedAtMs ?? Number.NaN);
  });
}

/** From the end of a first answer that calls Read to the next request: the time of any round, without an agent. */
async function firstRead({ quoll, project, environment }: BenchPlace): Promise<number> {
  await using model = await startModel([0, 0, 0, 1, FIRST_ANSWER_MS]);
  const env = { ...environment(), ...access(model.url) };
  await runMeasured([quoll, "-p", "Read it all.", "--model", MODEL], { cwd: project, env });
  const [called, next] = await model.requests();
  return (next?.receivedAtMs ?? Number.NaN) - (called?.endedAtMs ?? Number.NaN);
}

type Crowd = {
  readonly rssMb: number;
  readonly roundCpuMs: number;
  readonly gapMs: number;
  readonly echoMs: number;
  readonly medianEchoMs: number;
  readonly wallMs: number;
};

async function crowdOnce({ quoll, project, environment }: BenchPlace): Promise<Crowd> {
  await using model = await startModel([AGENTS, ROUNDS, ANSWER_MS, AGENTS, FIRST_ANSWER_MS]);
  const env = { ...environment(), ...access(model.url) };
  const settings = JSON.stringify({ agents: { maxRunning: AGENTS } });
  await using run = new TerminalRun([quoll, "--trust", "--model", MODEL, "--settings", settings], {
    cwd: project,
    env,
  });
  await run.wrote(PROMPT_SIGN);
  run.type("Read it all.");
  await run.wrote("all.");
  const cpuMs = run.cpuMs();
  const startedAtMs = performance.now();
  run.type("\r");
  await run.shows("All parts are read.");
  const { echoes, rssMb } = await typeUntil(model.over, run);
  const wallMs = performance.now() - startedAtMs;
  const roundCpuMs = (run.cpuMs() - cpuMs) / (AGENTS * ROUNDS);
  const requests = await model.requests();
  const asked = requests.filter(({ agent }) => agent > 0);
  if (asked.length !== AGENTS * ROUNDS) throw new Error(`The agents asked the model ${asked.length} times.`);
  const sorted = [...echoes].sort((a, b) => a - b);
  return {
    rssMb,
    roundCpuMs,
    gapMs: median(gapsOf(asked)),
    echoMs: sorted[Math.floor(sorted.length * ECHO_SHARE)] ?? Number.NaN,
    medianEchoMs: median(sorted),
    wallMs,
  };
}

/** Types a key at a time until `over`. @returns the milliseconds until each was shown, and the peak of the memory. */
async function typeUntil(over: Promise<void>, run: TerminalRun): Promise<{ echoes: number[]; rssMb: number }> {
  const echoes: number[] = [];
  let rssMb = 0;
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  for (let at = 0; !isOver; at = (at + 1) % KEYS.length) {
    if (at === 0) run.type(CLEAR_PROMPT);
    await Bun.sleep(KEY_EVERY_MS);
    run.forget();
    const typedAtMs = performance.now();
    run.type(KEYS[at] ?? "");
    echoes.push((await run.wrote(KEYS[at] ?? "")) - typedAtMs);
    rssMb = Math.max(rssMb, run.rssMb());
  }
  return { echoes, rssMb };
}

/** From the end of an agent's answer to its next request. */
function gapsOf(requests: readonly AgentRequest[]): readonly number[] {
  const ended = new Map(requests.map(({ agent, round, endedAtMs }) => [`${agent} ${round}`, endedAtMs]));
  return requests
    .filter(({ round }) => round > 0)
    .map(({ agent, round, receivedAtMs }) => receivedAtMs - (ended.get(`${agent} ${round - 1}`) ?? Number.NaN));
}

function access(url: string): Readonly<Record<string, string>> {
  return { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "bench" };
}

/** Starts `agents-child.ts` with its arguments. */
async function startModel(args: readonly number[]) {
  const script = join(import.meta.dir, "agents-child.ts");
  const child = Bun.spawn([process.execPath, script, ...args.map(String)], { stdin: "pipe", stdout: "pipe" });
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(lineSplitter()).getReader();
  const next = async () => JSON.parse((await lines.read()).value ?? "null");
  const { url }: { url: string } = await next();
  const over = next().then(() => undefined);
  return {
    url,
    /** Resolves after the last answer of the last agent. */
    over,
    /** Ends the model. */
    async requests(): Promise<readonly AgentRequest[]> {
      child.stdin.end();
      await over;
      return await next();
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
    },
  };
}

function lineSplitter(): TransformStream<string, string> {
  let rest = "";
  return new TransformStream({
    transform(chunk, controller) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) controller.enqueue(line);
    },
  });
}
