import { errorCode } from "../contracts/errors.ts";
import { complain } from "../platform/host.ts";
import { watchSignals } from "./signals.ts";

export type Output = {
  write(text: string): void;
  /** Of the signal that came, or 0 when nobody reads us any more; undefined while all is well. */
  readonly exitCode: number | undefined;
  /** Gives listeners back. */
  close(): void;
};

/** stdout of a run without a person. `onEnd` is called when a signal asks us to end, or whoever reads us has gone. */
export function openOutput(onEnd: () => void): Output {
  let isGone = false;
  const signals = watchSignals(onEnd);
  const onError = (error: Error) => {
    if (errorCode(error) !== "EPIPE") complain(`quoll: stdout: ${error.message}`);
    if (isGone) return;
    isGone = true;
    onEnd();
  };
  process.stdout.on("error", onError);
  return {
    write: (text) => {
      if (!isGone) process.stdout.write(text);
    },
    get exitCode() {
      return isGone ? 0 : signals.exitCode;
    },
    close() {
      signals.stop();
      process.stdout.off("error", onError);
    },
  };
}
