/** `problem`: something that Quoll cannot do without. `warning`: Quoll works, but less well, or not as it was meant to. */
export type CheckLevel = "ok" | "warning" | "problem";

/** One thing that `quoll doctor` looked at. */
export type Check = {
  /** One or two words: `rg`, `settings`. */
  readonly name: string;
  readonly level: CheckLevel;
  readonly text: string;
  /** The remedy: one sentence, or a command. */
  readonly fix?: string;
};

export type CheckGroup = { readonly title: string; readonly checks: readonly Check[] };

/** Fit for a bug report: credentials are hidden, and the home folder is `~`. */
export type DoctorReport = {
  /** True if a session would work: there is no problem. */
  readonly isUsable: boolean;
  readonly groups: readonly CheckGroup[];
  /** Faults and failed requests of the newest debug logs, newest first. */
  readonly errors: readonly LoggedError[];
};

export type LoggedError = {
  /** ISO 8601. */
  readonly time: string;
  readonly sessionId: string;
  /** With its stack where there is one. */
  readonly text: string;
};
