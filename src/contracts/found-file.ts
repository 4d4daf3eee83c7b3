/** A file or folder for the list of mentions. */
export type FoundFile = {
  /** As a prompt writes it after `@`: relative to the working folder, absolute, or with `~/`. A folder ends with `/`. */
  readonly path: string;
  /** The indices of the typed letters in the path. */
  readonly marks: readonly number[];
};

/**
 * Finds files for the text typed after `@`, the best match first. Calls `told` whenever the results improve, until
 * `signal` aborts; never throws. `note`: one line about files that the list leaves out.
 */
export type FindFiles = (
  typed: string,
  told: (found: readonly FoundFile[], note?: string) => void,
  signal: AbortSignal,
) => void;
