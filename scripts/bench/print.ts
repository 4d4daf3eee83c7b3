import type { RecordedRequest } from "@quoll/model-twin/recorder";
import { reply, text, toolUse } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { SMALL_FILES, smallFile } from "./bench-place.ts";
import { type BenchPlace, type Measurement, median } from "./measurement.ts";
import { type MeasuredRun, runMeasured } from "./run-measured.ts";

const FIRST_REQUEST_TARGET_MS = 60;
const ROUND_TARGET_MS = 5;
const ROUNDS = [0, 1, 20, SMALL_FILES] as const;
/** Number of final gaps of the longest run that are averaged. */
const NEIGHBOURS = 10;
/** Streams a call like a model: a few characters at a time. */
const STREAMED = { deltaChars: 2, paceMs: 8 } as const;
const MODEL = "claude-sonnet-4-5";

type PrintRun = MeasuredRun & {
  /** From the spawn until the server receives the first byte of the first request. */
  readonly firstRequestMs: number;
  /** Per round: from the last byte of a response to the first byte of the next request. */
  readonly gapsMs: readonly number[];
};

/** `quoll -p` with a model that requests one Read of a small file per round, and then answers. */
export async function benchPrint(place: BenchPlace, runs: number): Promise<readonly Measurement[]> {
  const results: Measurement[] = [];
  const part = "print";
  for (const rounds of ROUNDS) {
    const measured: PrintRun[] = [];
    for (let run = 0; run < runs; run += 1) measured.push(await printOnce(place, rounds));
    const of = (pick: (run: PrintRun) => number) => measured.map(pick);
    const name = `-p, ${rounds} rounds`;
    if (rounds === 0) {
      const target = FIRST_REQUEST_TARGET_MS;
      results.push({
        part,
        name: "start to first request",
        unit: "ms",
        values: of((run) => run.firstRequestMs),
        target,
      });
    }
    results.push(
      { part, name, unit: "ms", values: of((run) => run.wallMs) },
      { part, name: `${name}, CPU`, unit: "ms", values: of((run) => run.cpuMs) },
      { part, name: `${name}, peak RSS`, unit: "MB", values: of((run) => run.maxRssMb) },
    );
    if (rounds !== SMALL_FILES) continue;
    const overhead = { part, unit: "ms", target: ROUND_TARGET_MS };
    results.push(
      { ...overhead, name: "overhead of round 1", values: of((run) => run.gapsMs[0] ?? Number.NaN) },
      {
        ...overhead,
        name: "overhead of rounds 2 to 11",
        values: of((run) => median(run.gapsMs.slice(1, 1 + NEIGHBOURS))),
      },
      {
        ...overhead,
        name: `overhead of rounds ${SMALL_FILES - NEIGHBOURS + 1} to ${SMALL_FILES}`,
        values: of((run) => median(run.gapsMs.slice(-NEIGHBOURS))),
      },
    );
  }
  const streamed: PrintRun[] = [];
  for (let run = 0; run < runs; run += 1) streamed.push(await printOnce(place, 1, STREAMED));
  results.push({
    part,
    name: "overhead of round 1, its call streamed for 0.1 s",
    unit: "ms",
    values: streamed.map((run) => run.gapsMs[0] ?? Number.NaN),
    target: ROUND_TARGET_MS,
  });
  return results;
}

async function printOnce(
  { quoll, project, environment }: BenchPlace,
  rounds: number,
  pace: Partial<typeof STREAMED> = {},
): Promise<PrintRun> {
  await using twin = await startTwin({
    keptBodies: 1,
    scenario: (_, index) =>
      index < rounds
        ? reply([text("I look."), toolUse("Read", { file_path: smallFile(index + 1) })], pace)
        : reply("All of it is read."),
  });
  const env = { ...environment(), ANTHROPIC_BASE_URL: twin.url, ANTHROPIC_API_KEY: "bench" };
  const run = await runMeasured([quoll, "-p", "Read the notes.", "--model", MODEL], { cwd: project, env });
  const { requests } = twin;
  if (requests.length !== rounds + 1)
    throw new Error(`The model was asked ${requests.length} times, not ${rounds + 1}.`);
  return { ...run, firstRequestMs: sinceEpoch(requests[0]) - run.spawnedAtMs, gapsMs: gapsOf(requests) };
}

function sinceEpoch(request: RecordedRequest | undefined): number {
  return performance.timeOrigin + (request?.receivedAtMs ?? Number.NaN);
}

/** A gap includes the Read of a small file, which takes a fraction of a millisecond. */
export function gapsOf(requests: readonly RecordedRequest[]): readonly number[] {
  return requests.slice(1).map(({ receivedAtMs }, at) => receivedAtMs - (requests[at]?.endedAtMs ?? Number.NaN));
}
