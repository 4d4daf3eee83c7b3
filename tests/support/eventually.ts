import { readFileSync } from "node:fs";

/** True if a process runs: a zombie doesn't. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/**
 * The limit of a wait for something that may never come: a busy machine with slow forks is many times slower than an idle one. It
 * is no promise of the product, and shorter than the time limit of a test.
 */
export const WAIT_MS = 25_000;
const LOOK_MS = 5;

/** Waits until `check` holds. @throws {Error} it didn't in time. */
export async function eventually(
  what: string,
  check: () => boolean | Promise<boolean>,
  limitMs = WAIT_MS,
): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await check())) {
    if (performance.now() > end) throw new Error(`Never came true: ${what}`);
    await Bun.sleep(LOOK_MS);
  }
}

/** The same, where the condition tells by itself what it is. */
export const until = (condition: () => boolean | Promise<boolean>): Promise<void> =>
  eventually(String(condition), condition);
