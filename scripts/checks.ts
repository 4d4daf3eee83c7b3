import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");
const BIN = join(ROOT, "node_modules", ".bin");

/** Each command must exit with code 0. tests/house checks the floors. */
const CHECKS: readonly {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}[] = [
  // Several checkers each look at what they share. With one, and fewer collections of garbage, the processor works half as long.
  { name: "types", command: ["tsc", "--noEmit", "-p", ROOT, "--checkers", "1"], env: { GOGC: "400" } },
  { name: "lint", command: ["biome", "check", "--error-on-warnings", ROOT] },
  { name: "unused exports", command: ["knip-bun", "--no-progress", "--cache"] },
  { name: "docs", command: ["bun", "scripts/docs.ts", "--check"] },
];

/** Runs every check, after the tests where both want the processor. Prints one line for each, and the whole output of a failed check. */
export async function runChecks(): Promise<{ passed: number; failed: number }> {
  const results = await Promise.all(
    CHECKS.map(async ({ name, command: [program = "", ...args], env }) => {
      const startedAt = performance.now();
      const child = Bun.spawn(["nice", "-n", "10", join(BIN, program), ...args], {
        cwd: ROOT,
        env: { ...process.env, ...env },
        stdout: "pipe",
        stderr: "pipe",
      });
      const [out, err, code] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
        child.exited,
      ]);
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      console.log(`${code === 0 ? "✓" : "✗"} ${name} ${seconds} s`);
      if (code !== 0) console.log(`${out}${err}`.trimEnd());
      return code === 0;
    }),
  );
  const passed = results.filter(Boolean).length;
  return { passed, failed: results.length - passed };
}
