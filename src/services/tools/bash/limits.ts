import { type LadderDelays, STOP_LADDER } from "../../../platform/processes/stop-ladder.ts";

/** Limits of a command, which the user may change. */
export type BashLimits = {
  readonly defaultTimeoutMs: number;
  readonly maxTimeoutMs: number;
  /** Maximum length of the output for the model, notices included. At least 1,000. */
  readonly maxResultChars: number;
  /** A command that prints more is killed. */
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
