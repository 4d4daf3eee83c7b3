import { setTimeout as sleep } from "node:timers/promises";

/** A stop signal takes effect within this time; timers don't advance while stopped. */
const STOP_MS = 50;

/**
 * Stops this program and its job, like Ctrl+Z. Resolves when the shell resumes them; at once when no shell could (the
 * system does not stop an orphaned job).
 */
export async function suspendJob(): Promise<void> {
  process.kill(0, "SIGTSTP");
  await sleep(STOP_MS);
}
