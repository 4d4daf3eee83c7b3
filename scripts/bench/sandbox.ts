import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PathRule } from "../../src/contracts/permission.ts";
import type { ProgramStart } from "../../src/contracts/ports.ts";
import type { SandboxSettings } from "../../src/contracts/settings.ts";
import { SPAWN_TAG_VARIABLE } from "../../src/platform/processes/process-row.ts";
import { spawnToFile } from "../../src/platform/processes/spawn-to-file.ts";
import { compileRules } from "../../src/services/permission/rules/compile-rules.ts";
import { pathRulesOf } from "../../src/services/permission/rules/path-rules.ts";
import { CommandSandbox } from "../../src/services/sandbox/command-sandbox.ts";
import type { BenchPlace, Measurement } from "./measurement.ts";

const TARGET_MS = 20;
const TARGET_WITH_DOMAINS_MS = 70;
/** The first runs fill caches, of the sandbox and of the machine. */
const WARM_UP_RUNS = 3;

const MODES: readonly {
  readonly name: string;
  readonly settings: SandboxSettings;
  readonly systemPath?: string;
  readonly target?: number;
  /** Runs in a separate project, with this many path rules and this many matching files. */
  readonly rules?: { readonly count: number; readonly matches: number };
}[] = [
  { name: "network off", settings: {}, target: TARGET_MS },
  {
    name: "allowed domains",
    settings: { network: { allowedDomains: ["example.com"] } },
    target: TARGET_WITH_DOMAINS_MS,
  },
  { name: "20 rules about paths, 200 matches", settings: {}, rules: { count: 20, matches: 200 } },
  // The weaker mode starts our own program again; it has no target.
  { name: "Landlock", settings: {}, systemPath: "" },
];

/** The overhead of the sandbox: `bash -c true` confined, from the request to the clean-up, minus the same command unconfined. */
export async function benchSandbox(
  { quoll, project, environment }: BenchPlace,
  runs: number,
): Promise<readonly Measurement[]> {
  const results: Measurement[] = [];
  for (const { name, settings, systemPath, target, rules } of MODES) {
    const root = rules ? ruledProject(join(project, "..", "ruled"), rules.matches) : project;
    const paths = rules ? ruledPaths(root, rules.count) : [];
    const home = environment()["QUOLL_HOME"] ?? "";
    const own = ["config", "data", "state", "cache"].map((folder) => join(home, folder));
    const artifacts = join(home, "data", "artifacts");
    mkdirSync(artifacts, { recursive: true });
    const sandbox = new CommandSandbox(() => ({
      roots: [root],
      projectRoot: root,
      home,
      ownFolders: own,
      stateFolder: own[2] ?? "",
      cacheFolder: join(own[3] ?? "", "packages", "bench"),
      artifacts,
      gitFolders: [],
      settings,
      environment: {},
      selfCommand: [quoll],
      rules: () => paths,
      ...(systemPath !== undefined && { systemPath }),
    }));
    try {
      const values: number[] = [];
      for (let run = 0; run < runs * 2 + WARM_UP_RUNS; run += 1) {
        const plain = await timed(artifacts, root, (start) =>
          Promise.resolve({ ...start, dispose: async () => undefined }),
        );
        const confined = await timed(artifacts, root, (start) => sandbox.confine(start, new AbortController().signal));
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

const PER_FOLDER = 20;

/** A project with this many files that the rules match, and twice as many others. */
function ruledProject(root: string, matches: number): string {
  for (let at = 0; at < matches; at += 1) {
    const folder = join(root, `part${Math.floor(at / PER_FOLDER)}`);
    mkdirSync(folder, { recursive: true });
    for (const end of [at % 2 === 0 ? "pem" : "gen.ts", "ts", "md"])
      writeFileSync(join(folder, `file${at}.${end}`), "x");
  }
  return root;
}

/** Half of the rules restrict reading, half writing; two of them match files. */
function ruledPaths(root: string, count: number): readonly PathRule[] {
  const own = ["Read(**/*.pem)", "Edit(**/*.gen.ts)"];
  const more = Array.from({ length: count - own.length }, (_, at) =>
    at % 2 === 0 ? `Read(**/secret${at}/**)` : `Edit(*.lock${at})`,
  );
  const sources = [...own, ...more].map(
    (rule) => ({ rule, decision: "deny", file: "bench", layer: "user", base: root }) as const,
  );
  const { rules } = compileRules(sources, { roots: [root], home: root, realPath: (path) => path });
  return pathRulesOf(rules, [root]);
}

type Confine = (start: ProgramStart) => Promise<ProgramStart & { dispose(): Promise<unknown> }>;

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
