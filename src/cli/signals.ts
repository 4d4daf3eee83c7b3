/** Exit codes of the signals that ask a program to end. */
const ENDING_SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

export type SignalWatch = {
  /** The exit code of the signal that came, if one did. */
  readonly exitCode: number | undefined;
  stop(): void;
};

/**
 * Calls `onSignal` at the first signal that asks us to end; a second one ends the process at once.
 * Call `stop` when done: listeners keep nothing.
 */
export function watchSignals(onSignal: () => void): SignalWatch {
  let exitCode: number | undefined;
  const listeners = Object.entries(ENDING_SIGNALS).map(([signal, code]) => {
    const listener = () => {
      if (exitCode !== undefined) process.exit(code);
      exitCode = code;
      onSignal();
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
