import { setTimeout as sleep } from "node:timers/promises";

const { exit } = process;

/** A stop signal takes effect within this time; timers don't advance while stopped. */
const STOP_MS = 50;

/**
 * Ends the process, even while `process.exit` is withheld from extensions. Without a code, `process.exitCode` applies.
 */
export function exitProcess(code?: number): never {
  // Node takes a code that is given as undefined for success.
  return code === undefined ? exit.call(process) : exit.call(process, code);
}

/**
 * Stops this program and its job, like Ctrl+Z. Resolves when the shell resumes them; at once when no shell could (the
 * system does not stop an orphaned job).
 */
export async function suspendJob(): Promise<void> {
  process.kill(0, "SIGTSTP");
  await sleep(STOP_MS);
}

/**
 * Collects garbage now, which stops other work for 50 to 80 ms after an answer of 500 KB. A collection beside other work leaves up to
 * 90 MB more. Node collects only by itself.
 */
export function freeMemory(): void {
  const runtime: { readonly gc?: (waits: boolean) => void } | undefined = Reflect.get(globalThis, "Bun");
  runtime?.gc?.(true);
}
