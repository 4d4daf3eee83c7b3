import type { HazardKind, HazardTarget, RegistryKind } from "./types.ts";

/**
 * One command that only reads.
 *
 * Flags: `-a` or `--all` alone; `-n=` or `--max=` with a value, attached or following; `--color?` with a value only
 * after `=`, or none; `-C?` with a value only attached, or none; `-f=<` takes a value that names a file to read;
 * `--arg=2` takes the two words that follow; `--paging=never` is that text alone; `-#` is a bare number (`-5`). Short flags may be combined if all are
 * listed. A command with any other flag is not read-only.
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
  /** The maximum number of operands. */
  readonly maxOperands?: number;
  readonly minOperands?: number;
  /** Every operand must match. */
  readonly operandShape?: RegExp;
  /** At least one of these flags is required. */
  readonly needsFlag?: readonly string[];
  /** Flags that may not all be given together: recursion that follows links leaves the folder. */
  readonly notTogether?: readonly (readonly string[])[];
  /** Operands are allowed only beside one of these flags. */
  readonly operandsNeedFlag?: readonly string[];
  /** Flags that give the pattern, so that every operand is a path. */
  readonly patternFlags?: readonly string[];
  /** No value of a flag may match. */
  readonly refusedValue?: RegExp;
  /** Values of a flag that become part of a host or an address must match. */
  readonly valueShapes?: readonly (readonly [flag: string, shape: RegExp])[];
  /** True if the command reads its working folder when no operand names a path. */
  readonly readsFolder?: boolean;
  /** No flag of this program writes, runs or sends anything: a file name that looks like a flag does no harm. */
  readonly harmlessFlags?: boolean;
  /** Variables are harmless too: `echo $x`. */
  readonly anyWords?: boolean;
  /** The first word may be flags without their dash: `tar tzf x`. */
  readonly bundledFirst?: boolean;
  /** A shape that flags alone can't describe; see special-shapes.ts. */
  readonly shape?: Shape;
};

export type Program = "sed" | "awk" | "jq" | "yq";
export type Shape = Program | "curl" | "find" | "test" | "command-v" | "printf" | "set" | "export" | "read";

/** A command that destroys or publishes data. */
export type HazardRow = {
  readonly name: string;
  readonly sub?: readonly string[];
  readonly kind: HazardKind;
  readonly target?: HazardTarget;
  /** Each group must have one of its flags present; a flag `-f` also counts inside `-rf`. */
  readonly flags?: readonly (readonly string[])[];
  /** With one of these flags the command does no such harm: `--dry-run`. */
  readonly notFlags?: readonly string[];
  /** Flags with a value that follows and is not an operand. */
  readonly valueFlags?: readonly string[];
  /** At least one word after the name, or a here-string, must match. */
  readonly operand?: RegExp;
  /** No operand may match. */
  readonly notOperand?: RegExp;
  readonly minOperands?: number;
  /** A plain description; `{operands}` is replaced with the named operands. */
  readonly hazard: string;
  /**
   * The affected files. `operands`: all; `but-first`: all but the first; `after-dashes`: the words after `--`,
   * otherwise the operands that look like paths; `writes`: the files in the table of writes; `starts`: the words
   * before the first flag (find); `last`: the last operand; `but-last`: all but the last; `folder`: the operands,
   * else the folder itself; `targets`: the targets that flags name according to the table of writes, without which
   * there is no hazard unless its effect is unforeseen; `downloads`: the files named by the last parts of its
   * addresses. Absent: no known files.
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
  /** True if the command follows its paths if they are links. */
  readonly through?: true;
  /** Flags that make the command also follow the links below its paths. */
  readonly linkFlags?: readonly string[];
  /** True if the command is dangerous only if one of its paths exists. */
  readonly ifThere?: true;
  /** True if the command acts in git's submodules. */
  readonly inSubmodules?: true;
  /** True if there is no hazard when every operand is inside a folder for temporary files. */
  readonly exceptTemporary?: boolean;
};

/** A command that writes the files in its words. */
export type WriteRow = {
  readonly name: string;
  readonly sub?: readonly string[];
  /** Flags with a value that follows and is not an operand. */
  readonly valueFlags?: readonly string[];
  /** Flags whose value is a file or folder to write. */
  readonly targetFlags?: readonly string[];
  /** The command writes its operands only with one of these flags (also attached or combined: `-i.bak`, `-ni`). */
  readonly needsFlag?: readonly string[];
  /** At least one of these flags is also required. */
  readonly needsAlso?: readonly string[];
  /**
   * The written operands. `into`: the last operand, or files of the same name inside it; `into-and-from`: the
   * other operands too. `after-dashes`: the words after `--`, otherwise all operands but the first, or the only
   * one. `starts`: the words before the first flag (find).
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
  /**
   * True if a target flag is the ordinary way to name the target, so that a rule for the command covers it (`tar
   * xf a -C b`).
   */
  readonly isMeant?: boolean;
  /** Files that the command always writes, for any operands; `~/x` is in the home folder. */
  readonly fixed?: readonly string[];
  /** With one of these flags the row does not apply. */
  readonly notFlags?: readonly string[];
  /** The command writes only if it has at least this many operands. */
  readonly minOperands?: number;
  readonly maxOperands?: number;
  /** The first word may be flags without their dash: `tar czf x`. */
  readonly bundledFirst?: boolean;
  /** True if operands such as `host:file` are not files of this machine. */
  readonly remoteOperands?: boolean;
};

/** A command that is useless without a network. */
export type NetworkRow = {
  readonly name: string;
  /** Set if the command only fetches packages: from these registries. */
  readonly registry?: RegistryKind;
  /** True if the command connects to the hosts that its words name, and needs no other host. */
  readonly reachesNamedHosts?: boolean;
  /** True if the command is a client of a container engine on this machine. */
  readonly isEngine?: boolean;
  readonly sub?: readonly string[];
  /** At least one word must match. */
  readonly operand?: RegExp;
  /** True if the row is for the program without a subcommand. */
  readonly isBare?: boolean;
  /** With one of these flags the command needs no network: `--offline`. */
  readonly notFlags?: readonly string[];
};
