import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { startTwin } from "@quoll/model-twin/server";
import type { BenchPlace, Measurement } from "./measurement.ts";
import { PROMPT_SIGN } from "./screen.ts";
import { TerminalRun } from "./terminal-run.ts";

const EXAMPLES = join(import.meta.dir, "../../docs/examples");
const NAMES = ["word-count", "branch-report", "protect-main", "bars-and-calls", "echo-model"];
const COUNTS = [0, 1, 5];
/** Part of the status line after settings, session and model are known. */
const WHOLE_FRAME_SIGN = "for keys";

/** The first paint and the first whole frame with extensions, each count in each round. */
export async function benchExtensions(place: BenchPlace, runs: number): Promise<readonly Measurement[]> {
  await using twin = await startTwin({ scenario: [] });
  const access = { ANTHROPIC_BASE_URL: twin.url, ANTHROPIC_API_KEY: "bench" };
  const results = COUNTS.flatMap((count) =>
    [PROMPT_SIGN, WHOLE_FRAME_SIGN].map((sign) => ({ count, sign, values: [] as number[] })),
  );
  for (let run = 0; run < runs; run += 1)
    for (const { count, sign, values } of results) {
      const env: Readonly<Record<string, string>> = { ...place.environment(), ...access };
      const folder = join(env["QUOLL_HOME"] ?? "", "config", "extensions");
      if (count > 0) mkdirSync(folder, { recursive: true });
      for (const name of NAMES.slice(0, count)) cpSync(join(EXAMPLES, `${name}.ts`), join(folder, `${name}.ts`));
      await using started = new TerminalRun([place.quoll, "--trust"], { cwd: place.project, env });
      values.push((await started.wrote(sign)) - started.spawnedAtMs);
    }
  return results.map(({ count, sign, values }) => ({
    part: "extensions",
    name: `${sign === PROMPT_SIGN ? "first paint" : "first frame with mode, model and branch"}, ${count} extensions`,
    unit: "ms",
    values,
  }));
}
