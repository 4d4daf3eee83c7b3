import type { BenchPlace, Measurement } from "./measurement.ts";
import { runMeasured } from "./run-measured.ts";

const TARGET_MS = 15;

/** `quoll --version`, from spawn to exit. */
export async function benchVersion(
  { quoll, project, environment }: BenchPlace,
  runs: number,
): Promise<readonly Measurement[]> {
  const env = environment();
  const measured = [];
  for (let run = 0; run < runs * 2; run += 1)
    measured.push(await runMeasured([quoll, "--version"], { cwd: project, env }));
  const part = "version";
  return [
    { part, name: "--version", unit: "ms", values: measured.map(({ wallMs }) => wallMs), target: TARGET_MS },
    { part, name: "--version, peak RSS", unit: "MB", values: measured.map(({ maxRssMb }) => maxRssMb) },
  ];
}
