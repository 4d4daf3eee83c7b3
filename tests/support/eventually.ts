import { readFileSync } from "node:fs";

/** True if a process runs: a zombie doesn't. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** Waits until `check` holds. @throws {Error} it didn't in time. */
export async function eventually(
  what: string,
  check: () => boolean | Promise<boolean>,
  limitMs = 10_000,
): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await check())) {
    if (performance.now() > end) throw new Error(`Never came true: ${what}`);
    await Bun.sleep(10);
  }
}
