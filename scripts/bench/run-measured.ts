import { join } from "node:path";

export type MeasuredRun = {
  /** Milliseconds since the epoch, with fractions. */
  readonly spawnedAtMs: number;
  readonly exitCode: number;
  readonly wallMs: number;
  /** User and system time. */
  readonly cpuMs: number;
  readonly maxRssMb: number;
};

type RunOptions = { readonly cwd: string; readonly env: Readonly<Record<string, string>> };

/** Runs a command to its end. @throws {Error} the exit code is not 0. */
export async function runMeasured(command: readonly string[], { cwd, env }: RunOptions): Promise<MeasuredRun> {
  const script = join(import.meta.dir, "measured-child.ts");
  const child = Bun.spawn([process.execPath, script, ...command], { cwd, env, stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const run = out.startsWith("{") ? (JSON.parse(out) as MeasuredRun) : undefined;
  if (run?.exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${run?.exitCode ?? "nothing"}: ${err}`);
  return run;
}
