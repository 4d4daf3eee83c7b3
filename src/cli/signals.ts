import { exitProcess } from "../platform/own-process.ts";

/** Exit codes for the signals that ask a program to end. */
const ENDING_SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** The exit code after Ctrl+C. */
export const INTERRUPTED = ENDING_SIGNALS.SIGINT;

export type SignalWatch = {
  /** The exit code of the received signal, if any. */
  readonly exitCode: number | undefined;
  stop(): void;
};

/**
 * Calls `onSignal` at the first signal that asks the program to end; a second signal ends the process at once. If it
 * returns true, the program continues, and the signal does not count. `stop` removes the listeners.
 */
export function watchSignals(onSignal: () => unknown): SignalWatch {
  let exitCode: number | undefined;
  const listeners = Object.entries(ENDING_SIGNALS).map(([signal, code]) => {
    const listener = () => {
      if (exitCode !== undefined) exitProcess(code);
      exitCode = code;
      if (onSignal() === true) exitCode = undefined;
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  return {
    get exitCode() {
      return exitCode;
    },
    stop() {
      for (const { signal, listener } of listeners) process.off(signal, listener);
    },
  };
}

/** An `AbortSignal` that aborts at the first signal that asks the program to end; disposing removes the listeners. */
export function abortAtSignal(
  reason?: Error,
): Omit<SignalWatch, "stop"> & Disposable & { readonly signal: AbortSignal } {
  const abort = new AbortController();
  const watch = watchSignals(() => abort.abort(reason));
  return {
    signal: abort.signal,
    get exitCode() {
      return watch.exitCode;
    },
    [Symbol.dispose]: () => watch.stop(),
  };
}
