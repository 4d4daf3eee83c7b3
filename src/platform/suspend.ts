import { setTimeout as sleep } from "node:timers/promises";

/** A stop takes effect within this time, and no time passes while it lasts. */
const STOP_MS = 50;

/**
 * Stops this program and those of its job, as Ctrl+Z does. Resolves when the shell lets them go on; at once where there is no
 * shell that could (the system stops no job that nobody would wake).
 */
export async function suspendJob(): Promise<void> {
  process.kill(0, "SIGTSTP");
  await sleep(STOP_MS);
}
