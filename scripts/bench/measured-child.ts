/**
 * Runs a command and tells on stdout, as JSON, what it took. It is a process of its own because the system counts the
 * memory of a parent into the peak of its child: this one is smaller than anything that it measures.
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
