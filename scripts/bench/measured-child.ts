/**
 * Runs a command and prints its time and memory as JSON. A separate process, because the system includes the
 * memory of a parent in its child's peak: this process is smaller than all measured programs.
 */
const [program = "", ...args] = process.argv.slice(2);
const spawnedAtMs = performance.timeOrigin + performance.now();
const child = Bun.spawn([program, ...args], { stdin: "ignore", stdout: "ignore", stderr: "inherit" });
const exitCode = await child.exited;
const exitedAtMs = performance.timeOrigin + performance.now();
const usage = child.resourceUsage();
console.log(
  JSON.stringify({
    spawnedAtMs,
    exitCode,
    wallMs: exitedAtMs - spawnedAtMs,
    cpuMs: Number(usage?.cpuTime.total ?? 0) / 1_000,
    maxRssMb: (usage?.maxRSS ?? 0) / 1024 / 1024,
  }),
);
