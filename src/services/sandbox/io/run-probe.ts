import { runCaptured } from "../../../platform/processes/run-captured.ts";

export type ProbeResult = {
  /** Undefined when the program could not be started or a signal ended it. */
  readonly exitCode: number | undefined;
  /** The trimmed stderr; the system's error code when the program could not be started. */
  readonly complaint: string;
};

const MAX_COMPLAINT_BYTES = 16 * 1024;

/** Runs a small program to its end, without stdin and with the given environment. Never throws. */
export async function runProbe(
  [file, ...args]: readonly [string, ...string[]],
  options: { readonly timeoutMs: number; readonly env?: Readonly<Record<string, string>> },
): Promise<ProbeResult> {
  const result = await runCaptured({
    file,
    args,
    cwd: "/",
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", ...options.env },
    timeoutMs: options.timeoutMs,
    maxBytes: MAX_COMPLAINT_BYTES,
    dropsExcess: true,
  });
  switch (result.kind) {
    case "ended":
      return { exitCode: result.exitCode, complaint: result.stderr.trim() };
    case "not-started":
      return { exitCode: undefined, complaint: result.reason };
    case "timeout":
    case "too-large":
      return { exitCode: undefined, complaint: `no answer within ${options.timeoutMs} ms` };
  }
}
