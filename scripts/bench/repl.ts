import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reply } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { MAIN_AGENT } from "../../src/contracts/agent.ts";
import { NO_USAGE } from "../../src/contracts/message.ts";
import { type EntryBody, makeEntry } from "../../src/contracts/session.ts";
import { formatEntry } from "../../src/services/session/session-file.ts";
import { writeLargeSession } from "./large-session.ts";
import type { BenchPlace, Measurement } from "./measurement.ts";
import { PROMPT_SIGN } from "./screen.ts";
import { LAST_WORDS, markdownAnswer } from "./stream.ts";
import { TerminalRun } from "./terminal-run.ts";

const part = "repl";
const IDLE_SIGN = "for keys";
const MESSAGES = 5_000;
const KEY_EVERY_MS = 40;
/** Letters that stand nowhere else on the screen. */
const KEYS = "αβγδεζηθικλμνξοπρστυφχψω";
const DELTA_CHARS = 6;
const QUIET_MS = 300;
const IDLE_S = 10;
/** Its clock is measured from its second second to its eighth. */
const COMMAND = "!sleep 10";
const CLOCK_S = 6;
const LARGE_BYTES = 500_000;
const LARGE_SESSION_BYTES = 123_000_000;

type Row = Omit<Measurement, "part" | "values">;
type Values = ReadonlyMap<string, { readonly row: Row; readonly values: number[] }>;

/** Measures the terminal interface as a person feels it: the first frame, echo, bytes, idle work and memory. */
export async function benchRepl(place: BenchPlace, runs: number): Promise<readonly Measurement[]> {
  const results = new Map<string, { row: Row; values: number[] }>();
  const add = (name: string, unit: string, value: number, target?: number) => {
    const known = results.get(name) ?? { row: { name, unit, ...(target !== undefined && { target }) }, values: [] };
    known.values.push(value);
    results.set(name, known);
  };
  const times = Math.min(runs, 3);
  for (let run = 0; run < runs; run += 1) await measureStart(place, add);
  for (let run = 0; run < times; run += 1) {
    await measureResumed(place, add);
    await measureCompacted(place, add);
    await measureStreams(place, add);
    await measureClock(place, add);
    await measureLarge(place, add);
  }
  await measureIdle(place, add);
  return [...(results as Values).values()].map(({ row, values }) => ({ part, ...row, values }));
}

type Add = (name: string, unit: string, value: number, target?: number) => void;

const access = (url: string) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "bench" });

async function measureStart(place: BenchPlace, add: Add): Promise<void> {
  add("first frame of an Ink hello", "ms", await helloMs(place));
  await using twin = await startTwin({ scenario: [] });
  await using run = started(place, access(twin.url));
  add("first frame with mode, model and branch", "ms", (await run.wrote(IDLE_SIGN)) - run.spawnedAtMs, 50);
  await run.quiet(QUIET_MS);
  add("RSS at the start", "MB", run.rssMb(), 75);
  add("key to echo when idle, p95", "ms", p95(await echoes(run)), 16);
}

/** The smallest Ink program tells how fast the machine is at the moment. */
async function helloMs(place: BenchPlace): Promise<number> {
  await using run = new TerminalRun([place.inkHello], { cwd: place.project, env: place.environment() });
  return (await run.wrote("hello")) - run.spawnedAtMs;
}

/** A conversation that was resumed. */
async function measureResumed(place: BenchPlace, add: Add): Promise<void> {
  await using resumable = await resumablePlace(place);
  writeConversation(resumable.file, place.project);
  await using run = resumable.resume();
  await run.wrote(`answer ${MESSAGES / 2 - 1}`);
  add(`resume of ${MESSAGES} messages: until the last is shown`, "ms", performance.now() - run.spawnedAtMs);
  await run.quiet(2 * QUIET_MS);
  add(`key to echo after ${MESSAGES} messages, p95`, "ms", p95(await echoes(run)), 16);
  add(`RSS after ${MESSAGES} messages`, "MB", run.rssMb(), 200);
}

/** A session that was compacted several times. */
async function measureCompacted(place: BenchPlace, add: Add): Promise<void> {
  await using resumable = await resumablePlace(place);
  const [cwd, bytes] = [place.project, LARGE_SESSION_BYTES];
  writeLargeSession({ file: resumable.file, sessionId: SESSION, cwd, bytes });
  await using run = resumable.resume();
  const drawnAtMs = await run.wrote(PROMPT_SIGN);
  run.type(KEYS.charAt(0));
  add(
    "resume of 123 MB: from the prompt to the echo of a key",
    "ms",
    (await run.wrote(KEYS.charAt(0))) - drawnAtMs,
    100,
  );
  add("resume of 123 MB: until mode, model and branch are shown", "ms", (await run.shows(IDLE_SIGN)) - run.spawnedAtMs);
  await run.quiet(2 * QUIET_MS);
  add("RSS after the resume of 123 MB", "MB", run.rssMb());
}

/** A place with a saved session, whose file may be replaced. */
async function resumablePlace(place: BenchPlace) {
  const twin = await startTwin({ scenario: [reply("Saved.")] });
  const env: Readonly<Record<string, string>> = { ...place.environment(), ...access(twin.url) };
  const [quoll, cwd] = [[place.quoll, "--trust"], place.project];
  await Bun.spawn([...quoll, "-p", "Begin."], { cwd, env, stdout: "ignore" }).exited;
  const sessions = join(env["QUOLL_HOME"] ?? "", "data", "sessions");
  const [project = ""] = readdirSync(sessions);
  return {
    file: join(sessions, project, `${SESSION}.jsonl`),
    resume: () => new TerminalRun([...quoll, "--resume", SESSION], { cwd, env }),
    [Symbol.asyncDispose]: () => twin[Symbol.asyncDispose](),
  };
}

const SESSION = "5000feed-0000-4000-8000-000000000000";

function writeConversation(file: string, cwd: string): void {
  let parentId: string | null = null;
  const lines: string[] = [];
  const add = (body: EntryBody) => {
    const entry = makeEntry(body, { parentId, agent: MAIN_AGENT }, { id: `e${lines.length}`, now: Date.now() });
    parentId = entry.id;
    lines.push(formatEntry(entry));
  };
  add({ kind: "session", sessionId: SESSION, cwd, version: "0.1.0" });
  for (let turn = 0; turn < MESSAGES / 2; turn += 1) {
    const asked = { type: "text", text: `question ${turn}` } as const;
    const said = { type: "text", text: `${markdownAnswer(400)}\n\nanswer ${turn}` } as const;
    const usage = { ...NO_USAGE, inputTokens: 10, outputTokens: 10 };
    const message = { role: "assistant", id: `a${turn}`, content: [said], model: "m", stopReason: "end_turn" } as const;
    add({ kind: "user", prompt: asked.text, message: { role: "user", id: `u${turn}`, content: [asked] } });
    add({ kind: "assistant", message: { ...message, usage } });
    add({ kind: "turn_finished", reason: "completed", costUsd: 0 });
  }
  writeFileSync(file, lines.join(""));
}

async function measureStreams(place: BenchPlace, add: Add): Promise<void> {
  const fast = await streamed(place, { chars: 12_000, deltaChars: DELTA_CHARS, paceMs: 0 });
  add("bytes per byte of text at full speed", "B/B", fast.ratio, 1.5);
  const slow = await streamed(place, { chars: 1_500, deltaChars: 5, paceMs: 100 });
  add("bytes per byte of text at 50 characters a second", "B/B", slow.ratio, 4);
  const paced = await streamed(place, { chars: 1_000 * DELTA_CHARS, deltaChars: DELTA_CHARS, paceMs: 5 });
  add("1,000 deltas, one each 5 ms: CPU", "ms", paced.cpuMs, 500);
  const long = await streamed(place, { chars: 3_000 * DELTA_CHARS, deltaChars: DELTA_CHARS, paceMs: 5 });
  add("each 1,000 further deltas: CPU", "ms", (long.cpuMs - paced.cpuMs) / 2, 500);
  const typed = await streamed(place, { chars: 1_000 * DELTA_CHARS, deltaChars: DELTA_CHARS, paceMs: 5 }, true);
  add("key to echo while 200 deltas a second stream, p95", "ms", p95(typed.echoes), 16);
}

type Stream = { readonly chars: number; readonly deltaChars: number; readonly paceMs: number };

async function streamed(place: BenchPlace, { chars, ...pace }: Stream, isTyping = false) {
  const answer = markdownAnswer(chars);
  await using twin = await startTwin({ scenario: [reply(answer, pace)] });
  await using run = started(place, access(twin.url));
  await begun(run);
  const before = { cpuMs: run.cpuMs(), bytes: run.bytes };
  run.type("\r");
  await twin.request(0);
  const times = isTyping ? await echoes(run) : [];
  await run.shows(LAST_WORDS);
  await run.quiet(QUIET_MS);
  return {
    ratio: (run.bytes - before.bytes) / Buffer.byteLength(answer),
    cpuMs: run.cpuMs() - before.cpuMs,
    echoes: times,
  };
}

/** Only the clock of a running command moves. */
async function measureClock(place: BenchPlace, add: Add): Promise<void> {
  await using twin = await startTwin({ scenario: [] });
  await using run = started(place, access(twin.url));
  await begun(run, COMMAND);
  run.type("\r");
  await Bun.sleep(2_000);
  const before = run.bytes;
  await Bun.sleep(CLOCK_S * 1_000);
  add("bytes a second while only the clock moves", "B", (run.bytes - before) / CLOCK_S, 2_000);
}

/** An answer of 500 KB in one second. */
async function measureLarge(place: BenchPlace, add: Add): Promise<void> {
  const answer = markdownAnswer(LARGE_BYTES);
  await using twin = await startTwin({ scenario: [reply(answer, { deltaChars: 2_000, paceMs: 4 })] });
  await using run = started(place, access(twin.url));
  await begun(run);
  run.type("\r");
  await run.shows(LAST_WORDS);
  await run.quiet(QUIET_MS);
  add("PSS after an answer of 500 KB in a second", "MB", run.pssMb(), 150);
}

async function measureIdle(place: BenchPlace, add: Add): Promise<void> {
  await using twin = await startTwin({ scenario: [] });
  const wakeUps = async (run: TerminalRun) => {
    await Bun.sleep(3_000);
    const before = run.wakeUps();
    await Bun.sleep(IDLE_S * 1_000);
    return (run.wakeUps() - before) / IDLE_S;
  };
  await using hello = new TerminalRun([place.inkHello], { cwd: place.project, env: place.environment() });
  await hello.wrote("hello");
  const ofHello = await wakeUps(hello);
  await using run = started(place, access(twin.url));
  await run.wrote(IDLE_SIGN);
  const ours = await wakeUps(run);
  add("wake-ups a second when idle, of an Ink hello", "1/s", ofHello);
  add("wake-ups a second when idle, beyond an Ink hello", "1/s", Math.max(0, ours - ofHello), 0);
}

function started(place: BenchPlace, env: Readonly<Record<string, string>>): TerminalRun {
  return new TerminalRun([place.quoll, "--trust"], { cwd: place.project, env: { ...place.environment(), ...env } });
}

/** Waits for the prompt and types an input. */
async function begun(run: TerminalRun, input = "Tell me all."): Promise<void> {
  await run.wrote(PROMPT_SIGN);
  await run.wrote(IDLE_SIGN);
  await run.quiet(QUIET_MS);
  run.forget();
  run.type(input);
  await run.wrote(input.slice(-4));
  // In this pause the code of a first turn is loaded, as while a person types.
  await run.quiet(2 * QUIET_MS);
  run.forget();
}

/** Milliseconds from each key to the first output that holds it. */
async function echoes(run: TerminalRun): Promise<readonly number[]> {
  const times: number[] = [];
  for (const key of KEYS) {
    run.forget();
    const typedAtMs = performance.now();
    run.type(key);
    times.push((await run.wrote(key)) - typedAtMs);
    await Bun.sleep(KEY_EVERY_MS);
  }
  return times;
}

function p95(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN;
}
