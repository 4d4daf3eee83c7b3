import type { DeclaredHook } from "./declared-hook.ts";

/** One run of a hook. */
export type ShownRun = {
  /** The time of the run, in milliseconds since the epoch. */
  readonly at: number;
  readonly durationMs: number;
  /** One phrase: `ok`, `blocked`, `failed`, `interrupted`. */
  readonly outcome: string;
};

/** A hook of a settings file in a list. */
export type ListedHook = {
  readonly declared: DeclaredHook;
  /** The file in short form with its line: `.quoll/settings.json:12`. */
  readonly place: string;
  /** The last runs in this session, newest first. */
  readonly runs: readonly ShownRun[];
};

/** The hooks of a session as a person sees them. */
export type HooksView = {
  /** The person's own settings file, in short form. */
  readonly settingsFile: string;
  /** True if only managed hooks may run: in safe mode, or by the managed settings. */
  readonly hasManagedOnly?: boolean;
  list(): readonly ListedHook[];
  /** One line for each effect of the project's hooks that do not run because the person has not approved them. */
  unapproved(): readonly string[];
  /** Runs one hook with a sample of its event. @returns lines that show the input and the answer. */
  test(hook: ListedHook, signal: AbortSignal): Promise<readonly string[]>;
};
