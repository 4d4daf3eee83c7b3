import { readFileSync } from "node:fs";

/**
 * The processor time of this thread from now on, in milliseconds. Other programs don't count, so a test can check
 * that the time does not explode. This is not a benchmark: its limits leave room for a machine that is many times
 * slower.
 */
export function cpuClock(): () => number {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  };
}

/**
 * User and system time of this process and of the children that it has waited for, in milliseconds. Linux counts the time of the
 * children in ticks of 10 ms; elsewhere they are left out.
 */
export function cpuMilliseconds(): number {
  const { user, system } = process.cpuUsage();
  return Math.round((user + system) / 1_000) + childrenMilliseconds();
}

function childrenMilliseconds(): number {
  if (process.platform !== "linux") return 0;
  const [, fields = ""] = readFileSync("/proc/self/stat", "utf8").split(") ");
  const [user, system] = fields.split(" ").slice(13, 15).map(Number);
  return 10 * ((user ?? 0) + (system ?? 0));
}
