import { reply, text, toolUse } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { smallFile } from "./bench-place.ts";
import { type BenchPlace, type Measurement, median } from "./measurement.ts";
import { gapsOf } from "./print.ts";
import { runMeasured } from "./run-measured.ts";

const MODEL = "claude-sonnet-4-5";
const ROUNDS = 20;
/** A model needs about half a second for its first token; the twin answers at once. */
const FIRST_ANSWER_MS = 300;
/** A shorter time than any model's, in which the next command's sandbox is built. */
const LATER_ANSWER_MS = 50;
const ROUND_TARGET_MS = 6;
const FIRST_ROUND_TARGET_MS = 25;
const CONFINED_TARGET_MS = 22;
const COMMAND = "echo hello";
/** A command that only prints needs no sandbox; one that writes a file is confined. */
const WRITING = "echo hello >> said.txt";

export type Kind = {
  readonly name: string;
  /** The call of round `index`, counted from 0. */
  call(index: number): ReturnType<typeof toolUse>;
  readonly settings: object;
  /** Default: bypassPermissions, without a sandbox. */
  readonly mode?: string;
  /** True if the round runs a command, whose time without an agent is subtracted. */
  readonly isCommand?: true;
  /** Milliseconds before each answer but the first, in a row of its own that has the target; default: only at once. */
  readonly laterAnswerMs?: number;
  readonly target?: number;
  readonly firstTarget?: number;
};

/**
 * The gap between a model's answer and the next request, for rounds of one Bash or one Read call, minus the time of the command
 * when this runtime starts it, which is measured before each run.
 */
export async function benchRounds(place: BenchPlace, runs: number): Promise<readonly Measurement[]> {
  const bash = (index: number) => toolUse("Bash", { command: `${COMMAND} ${index}`, description: "Say hello" });
  const write = (index: number) => toolUse("Bash", { command: `${WRITING} ${index}`, description: "Write hello" });
  const kinds: readonly Kind[] = [
    {
      name: "Bash",
      call: bash,
      settings: { sandbox: { enabled: false } },
      isCommand: true,
      target: ROUND_TARGET_MS,
      firstTarget: FIRST_ROUND_TARGET_MS,
    },
    { name: "writing Bash", call: write, settings: { sandbox: { enabled: false } }, isCommand: true },
    {
      name: "confined, writing Bash",
      call: write,
      settings: { sandbox: { autoAllowBashIfSandboxed: true } },
      mode: "default",
      isCommand: true,
      laterAnswerMs: LATER_ANSWER_MS,
      target: CONFINED_TARGET_MS,
    },
    {
      name: "Read",
      call: (index) => toolUse("Read", { file_path: smallFile(index + 1) }),
      settings: {},
      target: ROUND_TARGET_MS,
    },
  ];
  const taken = kinds.map((): Taken => ({ first: [], firstAtOnce: [], later: [], laterAnswered: [] }));
  const bare: number[] = [];
  // The kinds take turns, so that a change of the machine's load meets all of them.
  for (let run = 0; run < runs; run += 1) {
    for (const [at, kind] of kinds.entries()) {
      const bareMs = kind.isCommand ? await bareBashMs(ROUNDS) : 0;
      if (kind.isCommand) bare.push(bareMs);
      await measure(place, kind, { bareMs, taken: taken[at] });
    }
  }
  return [
    { part: "rounds", name: "bash -c echo, spawned by this runtime", unit: "ms", values: bare },
    ...kinds.flatMap((kind, at) => rowsOf(kind, taken[at])),
  ];
}

/** Milliseconds of each run. */
type Taken = Readonly<Record<"first" | "firstAtOnce" | "later" | "laterAnswered", number[]>>;

type Run = { readonly bareMs: number; readonly taken: Taken | undefined };

async function measure(place: BenchPlace, kind: Kind, { bareMs, taken }: Run): Promise<void> {
  const waited = await gaps(place, kind, FIRST_ANSWER_MS);
  taken?.first.push((waited[0] ?? Number.NaN) - bareMs);
  taken?.later.push(median(waited.slice(1)) - bareMs);
  taken?.firstAtOnce.push(((await gaps(place, kind, 0))[0] ?? Number.NaN) - bareMs);
  if (kind.laterAnswerMs === undefined) return;
  const answered = await gaps(place, kind, FIRST_ANSWER_MS, kind.laterAnswerMs);
  taken?.laterAnswered.push(median(answered.slice(1)) - bareMs);
}

function rowsOf(kind: Kind, taken: Taken | undefined): readonly Measurement[] {
  const { name, target, firstTarget, laterAnswerMs } = kind;
  const row = { part: "rounds", unit: "ms" };
  const { first = [], firstAtOnce = [], later = [], laterAnswered = [] } = taken ?? {};
  const ofFirst = firstTarget === undefined ? {} : { target: firstTarget };
  const ofLater = target === undefined ? {} : { target };
  const overhead = `overhead of a ${name} round`;
  return [
    ...(laterAnswerMs === undefined
      ? [{ ...row, name: overhead, values: later, ...ofLater }]
      : [
          { ...row, name: `${overhead}, answered after ${laterAnswerMs} ms`, values: laterAnswered, ...ofLater },
          { ...row, name: `${overhead}, answered at once`, values: later },
        ]),
    { ...row, name: `first ${name} round, answered after ${FIRST_ANSWER_MS} ms`, values: first, ...ofFirst },
    { ...row, name: `first ${name} round, answered at once`, values: firstAtOnce },
  ];
}

/** Milliseconds from the end of each answer to the next request, in a session of `ROUNDS` rounds. */
export async function gaps(
  { quoll, project, environment }: Pick<BenchPlace, "quoll" | "project" | "environment">,
  kind: Pick<Kind, "call" | "settings" | "mode">,
  firstAnswerMs: number,
  laterAnswerMs = 0,
) {
  await using twin = await startTwin({
    keptBodies: 1,
    scenario: async (_, index) => {
      await Bun.sleep(index === 0 ? firstAnswerMs : laterAnswerMs);
      return index < ROUNDS ? reply([text("Next."), kind.call(index)]) : reply("Done.");
    },
  });
  const env = { ...environment(), IS_SANDBOX: "1", ANTHROPIC_BASE_URL: twin.url, ANTHROPIC_API_KEY: "bench" };
  const settings = JSON.stringify(kind.settings);
  const options = ["--model", MODEL, "--settings", settings, "--permission-mode", kind.mode ?? "bypassPermissions"];
  await runMeasured([quoll, "-p", "Work.", ...options], { cwd: project, env });
  const { requests } = twin;
  if (requests.length !== ROUNDS + 1) throw new Error(`The model was asked ${requests.length} times.`);
  return gapsOf(requests);
}

async function bareBashMs(times: number): Promise<number> {
  const values: number[] = [];
  for (let run = 0; run < times; run += 1) {
    const startedAt = performance.now();
    const child = Bun.spawn(["/bin/bash", "--noprofile", "--norc", "-c", COMMAND], { stdout: "pipe", stderr: "pipe" });
    await Promise.all([new Response(child.stdout).text(), child.exited]);
    values.push(performance.now() - startedAt);
  }
  return median(values);
}
