import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ProgramStart } from "../../src/contracts/ports.ts";
import type { SandboxSettings } from "../../src/contracts/settings.ts";
import { SPAWN_TAG_VARIABLE } from "../../src/platform/processes/process-row.ts";
import { spawnToFile } from "../../src/platform/processes/spawn-to-file.ts";
import { createSandbox } from "../../src/services/sandbox/create-sandbox.ts";
import type { BenchPlace, Measurement } from "./measurement.ts";

const TARGET_MS = 20;
const TARGET_WITH_DOMAINS_MS = 70;
/** The first few fill caches: of the sandbox, and of the machine. */
const WARM_UP_RUNS = 3;

const MODES: readonly {
  readonly name: string;
  readonly settings: SandboxSettings;
  readonly systemPath?: string;
  readonly target?: number;
}[] = [
  { name: "network off", settings: {}, target: TARGET_MS },
  {
    name: "allowed domains",
    settings: { network: { allowedDomains: ["example.com"] } },
    target: TARGET_WITH_DOMAINS_MS,
  },
  // The weaker mode starts our own program once more; nothing is promised for it.
  { name: "Landlock", settings: {}, systemPath: "" },
];

/** What the sandbox adds to a command: `bash -c true` confined, from the request to the clean-up, less the same unconfined. */
export async function benchSandbox(
  { quoll, project, environment }: BenchPlace,
  runs: number,
): Promise<readonly Measurement[]> {
  const results: Measurement[] = [];
  for (const { name, settings, systemPath, target } of MODES) {
    const home = environment()["QUOLL_HOME"] ?? "";
    const own = ["config", "data", "state", "cache"].map((folder) => join(home, folder));
    const artifacts = join(home, "data", "artifacts");
    mkdirSync(artifacts, { recursive: true });
    const sandbox = createSandbox({
      roots: [project],
      projectRoot: project,
      home,
      ownFolders: own,
      stateFolder: own[2] ?? "",
      cacheFolder: join(own[3] ?? "", "packages", "bench"),
      artifacts,
      gitFolders: [],
      settings,
      environment: {},
      selfCommand: [quoll],
      ...(systemPath !== undefined && { systemPath }),
    });
    try {
      const values: number[] = [];
      for (let run = 0; run < runs * 2 + WARM_UP_RUNS; run += 1) {
        const plain = await timed(artifacts, project, (start) =>
          Promise.resolve({ ...start, dispose: async () => undefined }),
        );
        const confined = await timed(artifacts, project, (start) =>
          sandbox.confine(start, new AbortController().signal),
        );
        if (run >= WARM_UP_RUNS) values.push(confined - plain);
      }
      results.push({
        part: "sandbox",
        name: `overhead of a command, ${name}`,
        unit: "ms",
        values,
        ...(target !== undefined && { target }),
      });
    } finally {
      await sandbox.close();
    }
  }
  return results;
}

type Confine = (start: ProgramStart) => Promise<ProgramStart & { dispose(): Promise<void> }>;

/** @returns milliseconds. @throws {Error} the command failed. */
async function timed(folder: string, cwd: string, confine: Confine): Promise<number> {
  const tag = randomUUID();
  const env = { PATH: "/usr/bin:/bin", [SPAWN_TAG_VARIABLE]: tag };
  const startedAt = performance.now();
  const start = await confine({ file: "/bin/bash", args: ["--noprofile", "--norc", "-c", "true"], cwd, env });
  const { exitCode } = await spawnToFile({ ...start, tag, outputPath: join(folder, `${tag}.log`) }).exited;
  await start.dispose();
  const tookMs = performance.now() - startedAt;
  if (exitCode !== 0) throw new Error(`A command of the sandbox bench ended with ${exitCode}.`);
  return tookMs;
}
