/**
 * `problem`: a requirement of Quoll is missing. `warning`: Quoll works, but not as well as it should, or not as
 * configured. `unasked`: the check was not tried.
 */
export type CheckLevel = "ok" | "unasked" | "warning" | "problem";

/** The result of one check of `quoll doctor`. */
export type Check = {
  /** One or two words: `rg`, `settings`. */
  readonly name: string;
  readonly level: CheckLevel;
  readonly text: string;
  /** The remedy: one sentence, or a command. */
  readonly fix?: string;
};

export type CheckGroup = { readonly title: string; readonly checks: readonly Check[] };

/** The report, safe to attach to a bug report: credentials are hidden, and the home folder is shown as `~`. */
export type DoctorReport = {
  /** True if no check found a problem, so a session would work. */
  readonly isUsable: boolean;
  readonly groups: readonly CheckGroup[];
  /** Faults and failed requests of the newest debug logs, newest first. */
  readonly errors: readonly LoggedError[];
};

export type LoggedError = {
  /** ISO 8601. */
  readonly time: string;
  readonly sessionId: string;
  /** The error text, with its stack if there is one. */
  readonly text: string;
};
