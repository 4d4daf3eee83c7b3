/** The cost of a command hook beyond the shell that runs it, in pairs: `sh -c true` alone, then as a hook. */
import { spawn } from "node:child_process";
import type { DeclaredHook } from "../../src/contracts/declared-hook.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { runCommandHook } from "../../src/services/hooks/command-hook.ts";
import { registeredHook } from "../../src/services/hooks/registered-hook.ts";
import { HookRunner } from "../../src/services/hooks/run-hooks.ts";
import type { BenchPlace, Measurement } from "./measurement.ts";

const MOST_MS_BEYOND = 5;
/** A run is short, so each counted run is the mean of several. */
const REPEATS = 20;
const HOOK: DeclaredHook = {
  event: "PreToolUse",
  file: "settings.json",
  layer: "user",
  hook: { type: "command", command: "true" },
};

/** The part `hooks` of the bench. */
export async function benchHooks({ project }: BenchPlace, runs: number): Promise<readonly Measurement[]> {
  const env = { PATH: process.env["PATH"] ?? "" };
  const ports = { projectRoot: project, environment: async () => env, shell: () => "/bin/sh" };
  const runner = new HookRunner(systemClock);
  runner.register([registeredHook(HOOK, (declared, input, signal) => runCommandHook(declared, input, ports, signal))]);
  const about = { event: "PreToolUse", toolName: "Bash", toolUseId: "t", toolInput: { command: "echo one" } } as const;
  const common = { sessionId: "s", transcriptPath: "", cwd: project, mode: "default" } as const;
  const { signal } = new AbortController();
  const asHook = () => runner.run({ ...about, ...common }, signal);
  const alone = () =>
    new Promise<void>((resolve, reject) => {
      const child = spawn("/bin/sh", ["-c", "true"], { cwd: project, env, stdio: ["pipe", "pipe", "pipe"] });
      child.once("error", reject).once("close", () => resolve());
      // The shell may end before it has read its input.
      child.stdin.on("error", () => undefined).end("{}\n");
    });
  await Promise.all([alone(), asHook()]);
  const pairs: { readonly alone: number; readonly hook: number }[] = [];
  for (let run = 0; run < runs; run += 1) pairs.push({ alone: await meanMs(alone), hook: await meanMs(asHook) });
  const part = "hooks";
  return [
    { part, name: "sh -c true", unit: "ms", values: pairs.map((pair) => pair.alone) },
    { part, name: "command hook", unit: "ms", values: pairs.map((pair) => pair.hook) },
    {
      ...{ part, name: "command hook beyond sh -c true", unit: "ms", target: MOST_MS_BEYOND },
      values: pairs.map((pair) => pair.hook - pair.alone),
    },
  ];
}

async function meanMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  for (let time = 0; time < REPEATS; time += 1) await work();
  return (performance.now() - startedAt) / REPEATS;
}
