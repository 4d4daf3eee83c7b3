import type { HazardKind } from "./types.ts";

/**
 * One command of which the tables say that it only reads.
 *
 * Flags: `-a` or `--all` alone; `-n=` or `--max=` with a value, attached or following; `--color?` with a value only after
 * `=`, or none; `-C?` with a value only attached, or none; `-f=<` is a value that names a file it reads; `--arg=2` takes the
 * two words that follow; `-#` is a bare number (`-5`). Short flags may be combined when all are listed. What is not listed is
 * not read-only.
 */
export type ReadOnlyRow = {
  readonly name: string;
  /** Words after the name (and after global flags): `["stash", "list"]`. */
  readonly sub?: readonly string[];
  readonly flags: readonly string[];
  /**
   * The kind of operands. `paths`: files that are read. `pattern-paths`: the first is a pattern unless a flag gave one.
   * `text`: anything static. `revisions`: revisions or paths (git). `none`: none at all.
   */
  readonly operands: "paths" | "pattern-paths" | "text" | "revisions" | "none";
  /** Most operands that it may have. */
  readonly maxOperands?: number;
  readonly minOperands?: number;
  /** Every operand must match. */
  readonly operandShape?: RegExp;
  /** At least one of these flags must be there. */
  readonly needsFlag?: readonly string[];
  /** Flags that may not all stand there together: recursion that follows links leaves the folder. */
  readonly notTogether?: readonly (readonly string[])[];
  /** Operands are allowed only beside one of these flags. */
  readonly operandsNeedFlag?: readonly string[];
  /** Flags that give the pattern, so that every operand is a path. */
  readonly patternFlags?: readonly string[];
  /** No value of a flag may match. */
  readonly refusedValue?: RegExp;
  /** The command reads its working folder when no operand names a path. */
  readonly readsFolder?: boolean;
  /** No flag of this program writes, runs or sends anything: a file name that looks like a flag does no harm. */
  readonly harmlessFlags?: boolean;
  /** Variables are harmless too: `echo $x`. */
  readonly anyWords?: boolean;
  /** The first word may be flags without their dash: `tar tzf x`. */
  readonly bundledFirst?: boolean;
  /** A shape that flags alone can't say; see special-shapes.ts. */
  readonly shape?: Shape;
  readonly matches: readonly string[];
  readonly misses: readonly string[];
};

export type Program = "sed" | "awk" | "jq" | "yq";
export type Shape = Program | "find" | "test" | "command-v" | "printf" | "set" | "export" | "read";

/** A command that destroys or publishes data. */
export type HazardRow = {
  readonly name: string;
  readonly sub?: readonly string[];
  readonly kind: HazardKind;
  /** Each group must have one of its flags present; a flag `-f` also counts inside of `-rf`. */
  readonly flags?: readonly (readonly string[])[];
  /** With one of these flags it does no such harm: `--dry-run`. */
  readonly notFlags?: readonly string[];
  /** Flags with a value that follows and is no operand. */
  readonly valueFlags?: readonly string[];
  /** Some word after the name, or a here-string, must match. */
  readonly operand?: RegExp;
  /** No operand may match. */
  readonly notOperand?: RegExp;
  readonly minOperands?: number;
  /** In plain words. `{operands}` is replaced by what it names. */
  readonly hazard: string;
  /**
   * Which files it concerns. `operands`: all; `but-first`: all but the first; `after-dashes`: what follows `--`, else the operands that
   * look like paths; `writes`: what the table of writes says; `starts`: what stands before the first flag (find); `last`: the last
   * operand; `but-last`: the others; `folder`: the operands, else the folder itself; `targets`: what flags name
   * as targets in the table of writes, and no hazard without one, unless it is unforeseen anyway; `downloads`: what the last
   * parts of its addresses name. Left out: none that are known.
   */
  readonly paths?:
    | "operands"
    | "but-first"
    | "but-last"
    | "last"
    | "after-dashes"
    | "writes"
    | "targets"
    | "downloads"
    | "starts"
    | "folder";
  /** The first word may be flags without their dash: `tar xzf a`. */
  readonly bundledFirst?: true;
  /** Its paths are followed where they are links. */
  readonly through?: true;
  /** Flags that make it follow the links below its paths, too. */
  readonly linkFlags?: readonly string[];
  /** Dangerous only if one of its paths exists. */
  readonly ifThere?: true;
  /** The command acts in git's submodules. */
  readonly inSubmodules?: true;
  /** No hazard when every operand lies inside of a folder for temporary files. */
  readonly exceptTemporary?: boolean;
  readonly matches: readonly string[];
  readonly misses: readonly string[];
};

/** A command that writes the files that it names. */
export type WriteRow = {
  readonly name: string;
  readonly sub?: readonly string[];
  /** Flags with a value that follows and is no operand. */
  readonly valueFlags?: readonly string[];
  /** Flags whose value is a file or folder that is written. */
  readonly targetFlags?: readonly string[];
  /** The command writes its operands only with one of these flags (also attached or combined: `-i.bak`, `-ni`). */
  readonly needsFlag?: readonly string[];
  /** At least one of these flags must be given too. */
  readonly needsAlso?: readonly string[];
  /**
   * Which operands are written. `into`: the last, or files of the same name inside of it; `into-and-from`: the others too.
   * `after-dashes`: what follows `--`, else all but the first, or the only one. `starts`: what stands before the first flag (find).
   */
  readonly operands:
    | "all"
    | "first"
    | "last"
    | "all-but-first"
    | "into"
    | "into-and-from"
    | "after-dashes"
    | "starts"
    | "none";
  /** Operands of the form `name=value` that name a target. */
  readonly keyed?: string;
  /** A target flag is the ordinary way to say where: who allows the command means it (`tar xf a -C b`). */
  readonly isMeant?: boolean;
  /** Files of its own that it writes whatever its operands are; `~/x` is in the home folder. */
  readonly fixed?: readonly string[];
  /** With one of these flags the row doesn't hold. */
  readonly notFlags?: readonly string[];
  /** The command writes only with at least this many operands. */
  readonly minOperands?: number;
  readonly maxOperands?: number;
  /** The first word may be flags without their dash: `tar czf x`. */
  readonly bundledFirst?: boolean;
  /** Operands like `host:file` are no files of this machine. */
  readonly remoteOperands?: boolean;
  readonly matches: readonly (readonly [source: string, writes: readonly string[]])[];
};

/** A command that is useless without a network. */
export type NetworkRow = {
  readonly name: string;
  readonly sub?: readonly string[];
  /** Some word must match. */
  readonly operand?: RegExp;
  /** With one of these flags it needs none: `--offline`. */
  readonly notFlags?: readonly string[];
  readonly matches: readonly string[];
  readonly misses: readonly string[];
};
