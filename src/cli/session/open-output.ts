import { errorCode } from "../../contracts/errors.ts";
import { printError } from "../../platform/host.ts";
import { outputFailure, READER_GONE, writeOut } from "../../platform/standard-output.ts";
import { watchSignals } from "../signals.ts";

export type Output = {
  write(text: string): void;
  /** Of the signal that came; 0 when nobody reads us any more, 1 when stdout can't be written; undefined while all is well. */
  readonly exitCode: number | undefined;
  /** Gives listeners back. */
  close(): void;
};

/** stdout of a run without a person. `onEnd` is called when a signal asks us to end, or stdout takes no more. */
export function openOutput(onEnd: () => void): Output {
  let lost: { readonly exitCode: number } | undefined;
  const signals = watchSignals(onEnd);
  const taken = (error?: Error) => {
    if (!error || lost) return;
    const isReaderGone = errorCode(error) === READER_GONE;
    lost = { exitCode: isReaderGone ? 0 : 1 };
    if (!isReaderGone) printError(`quoll: ${outputFailure(error)}`);
    onEnd();
  };
  return {
    write: (text) => {
      if (!lost) writeOut(text, taken);
    },
    get exitCode() {
      return lost?.exitCode ?? signals.exitCode;
    },
    close: () => signals.stop(),
  };
}
