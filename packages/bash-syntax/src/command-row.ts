/**
 * One command of which the tables say that it only reads.
 *
 * Flags: `-a` or `--all` alone; `-n=` or `--max=` with a value, attached or following; `--color?` with a value only after
 * `=`, or none; `-C?` with a value only attached, or none; `-f=<` is a value that names a file it reads; `-#` is a bare
 * number (`-5`). Short flags may be combined when all are listed. What is not listed is not read-only.
 */
export type ReadOnlyRow = {
  readonly name: string;
  /** Words after the name (and after global flags): `["stash", "list"]`. */
  readonly sub?: readonly string[];
  readonly flags: readonly string[];
  /**
   * What operands may stand there.
   * `paths`: files that are read. `pattern-paths`: the first is a pattern unless a flag gave one. `text`: anything static.
   * `revisions`: revisions or paths (git). `none`: none at all.
   */
  readonly operands: "paths" | "pattern-paths" | "text" | "revisions" | "none";
  /** Most operands that it may have. */
  readonly maxOperands?: number;
  readonly minOperands?: number;
  /** Every operand must match. */
  readonly operandShape?: RegExp;
  /** At least one of these flags must be there. */
  readonly needsFlag?: readonly string[];
  /** Operands are allowed only beside one of these flags. */
  readonly operandsNeedFlag?: readonly string[];
  /** Flags that give the pattern, so that every operand is a path. */
  readonly patternFlags?: readonly string[];
  /** No value of a flag may match. */
  readonly refusedValue?: RegExp;
  /** It looks at the folder where it runs when no operand names a path. */
  readonly readsFolder?: boolean;
  /** No flag of this program writes, runs or sends anything: a file name that looks like a flag does no harm. */
  readonly harmlessFlags?: boolean;
  /** Variables are harmless too: `echo $x`. */
  readonly anyWords?: boolean;
  /** A shape that flags alone can't say; see special-shapes.ts. */
  readonly shape?: "find" | "sed-print" | "awk-print" | "jq" | "test" | "command-v" | "printf" | "version";
  readonly matches: readonly string[];
  readonly misses: readonly string[];
};

/** One thing that destroys or publishes. */
export type HazardRow = {
  readonly name: string;
  readonly sub?: readonly string[];
  /** Each group must have one of its flags present; a flag `-f` also counts inside of `-rf`. */
  readonly flags?: readonly (readonly string[])[];
  /** Some operand must match. */
  readonly operand?: RegExp;
  /** In plain words. `{operands}` is replaced by what it names. */
  readonly hazard: string;
  /** No hazard when every operand lies inside of a folder for temporary files. */
  readonly exceptTemporary?: boolean;
  readonly matches: readonly string[];
  readonly misses: readonly string[];
};

/** One command that plainly writes the files that it names. */
export type WriteRow = {
  readonly name: string;
  readonly sub?: readonly string[];
  /** Flags with a value that follows and is no operand. */
  readonly valueFlags?: readonly string[];
  /** Flags whose value is a file or folder that is written. */
  readonly targetFlags?: readonly string[];
  /** It writes its operands only beside one of these flags (also attached or combined: `-i.bak`, `-ni`). */
  readonly needsFlag?: readonly string[];
  /** Which operands are written. `into`: the last, or files of the same name inside of it; `into-and-from`: the others too. */
  readonly operands: "all" | "last" | "all-but-first" | "into" | "into-and-from" | "none";
  /** Operands of the form `name=value` that name a target. */
  readonly keyed?: string;
  readonly matches: readonly (readonly [source: string, writes: readonly string[]])[];
};
