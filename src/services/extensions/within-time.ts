import { orAborted } from "@quoll/async/or-aborted";
import { afterSleep } from "../../contracts/after-sleep.ts";
import type { ExtensionCode } from "../../contracts/extension.ts";
import type { Clock } from "../../contracts/ports.ts";

/** Code of an extension, and the recorder for its faults. */
export type FaultyCode = {
  readonly clock: Clock;
  readonly code: ExtensionCode;
  /** Records a fault of the extension. */
  fault(line: string): void;
};

export type TimeLimit = Omit<FaultyCode, "fault"> & {
  readonly ms: number;
  /** Aborts when the person interrupts the work, or the session ends. */
  readonly signal?: AbortSignal;
};

/**
 * Waits for code of an extension, at most its time limit, even if the code ignores its signal.
 * @throws what the code throws, the abort reason, or an error that names the limit.
 */
export async function withinTime<Value>(
  run: (signal: AbortSignal) => Value | Promise<Value>,
  { clock, code, ms, signal }: TimeLimit,
): Promise<Value> {
  signal?.throwIfAborted();
  const limit = new AbortController();
  const over = new AbortController();
  const both = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal;
  afterSleep(clock.sleep(ms, over.signal), () => limit.abort(new Error(`it did not finish within ${ms / 1000} s`)));
  try {
    return await orAborted(
      Promise.resolve().then(() => code.call(() => run(both))),
      both,
    );
  } finally {
    over.abort(new Error("The extension is done."));
  }
}
