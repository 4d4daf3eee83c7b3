import { type LadderDelays, STOP_LADDER } from "../../../platform/processes/stop-ladder.ts";

/** What bounds a command. Each may be set by the user. */
export type BashLimits = {
  readonly defaultTimeoutMs: number;
  readonly maxTimeoutMs: number;
  /** Greatest length of the output that the model gets, notices of what was left out included. At least 1,000. */
  readonly maxResultChars: number;
  /** A command that has printed more is ended. */
  readonly maxOutputBytes: number;
  readonly ladder: LadderDelays;
};

export const BASH_LIMITS: BashLimits = {
  defaultTimeoutMs: 120_000,
  maxTimeoutMs: 600_000,
  maxResultChars: 30_000,
  maxOutputBytes: 1024 * 1024 * 1024,
  ladder: STOP_LADDER,
};
