import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { BenchPlace, Measurement } from "./measurement.ts";
import { type MeasuredRun, runMeasured } from "./run-measured.ts";

const FILE_BYTES = 1024 ** 3;
const MOST_RSS_MB = 150;
const LINE = "2026-01-01T10:00:00 INFO request handled path=/api/items status=200 duration=12ms\n";
const CHUNK = LINE.repeat(200_000);
const SEARCHES = { "every line matches": "status=200", "no line matches": "status=500" };

/** Grep for lines in a folder with a file of 1 GiB, as one call from the command line: peak memory of Quoll or its rg. */
export async function benchGrep({ quoll, project, environment }: BenchPlace): Promise<readonly Measurement[]> {
  const folder = join(project, "..", "large");
  mkdirSync(folder);
  try {
    for (let size = 0; size < FILE_BYTES; size += CHUNK.length) appendFileSync(join(folder, "large.log"), CHUNK);
    const rows: Measurement[] = [];
    for (const [name, pattern] of Object.entries(SEARCHES)) {
      const input = JSON.stringify({ pattern, output_mode: "content" });
      const measured: MeasuredRun[] = [];
      for (let run = 0; run < 3; run += 1)
        measured.push(
          await runMeasured([quoll, "exec", "Grep", "--input", input], { cwd: folder, env: environment() }),
        );
      const values = (of: (one: MeasuredRun) => number) => measured.map(of);
      rows.push(
        { part: "grep", name: `1 GiB, ${name}`, unit: "ms", values: values(({ wallMs }) => wallMs) },
        { part: "grep", name: "peak RSS", unit: "MB", values: values(({ maxRssMb }) => maxRssMb), target: MOST_RSS_MB },
      );
    }
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
