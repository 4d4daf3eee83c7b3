import { errorCode } from "../../contracts/errors.ts";
import { printProblem } from "../../platform/host.ts";
import { outputFailure, READER_GONE, writeOut } from "../../platform/standard-output.ts";
import { watchSignals } from "../signals.ts";

export type Output = {
  write(text: string): void;
  /**
   * The exit code of the received signal; 0 when the reader of stdout is gone, 1 when stdout cannot be written;
   * undefined otherwise.
   */
  readonly exitCode: number | undefined;
  /** True if nobody reads stdout any more, or it failed, which was reported. */
  readonly isLost: boolean;
  /** Removes the listeners. */
  close(): void;
};

/** stdout of a run without a person. `onEnd` is called when a signal asks the program to end, or stdout fails. */
export function openOutput(onEnd: () => void): Output {
  let lost: { readonly exitCode: number } | undefined;
  const signals = watchSignals(onEnd);
  const taken = (error?: Error) => {
    if (!error || lost) return;
    const isReaderGone = errorCode(error) === READER_GONE;
    lost = { exitCode: isReaderGone ? 0 : 1 };
    if (!isReaderGone) printProblem(outputFailure(error));
    onEnd();
  };
  return {
    write: (text) => {
      if (!lost) writeOut(text, taken);
    },
    get exitCode() {
      return lost?.exitCode ?? signals.exitCode;
    },
    get isLost() {
      return lost !== undefined;
    },
    close: () => signals.stop(),
  };
}
