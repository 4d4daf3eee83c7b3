/**
 * The subcommands and options of one program that a rule with a star may cover: those that neither start a program, nor point it at
 * another server, nor change what it runs. What is not listed is asked for.
 *
 * Options are words of one text: `-a` or `--all` alone; `-n=` with a value; `--color?` with a value only after `=`, or attached; `--arg=2`
 * with two; `-#` is a bare number; `--define:` with a value behind the colon; `-o=>` names a file or folder that is written; `-p=~` one that steers the program;
 * `--pre=!` and `--ext!` start a program or point elsewhere, and are listed so that the question can say so. `--no-x` comes with `--x`.
 */
export type OptionTable = {
  readonly name: string;
  /** Options beside every subcommand, and before it. */
  readonly flags: string;
  /** The options of each subcommand. Subcommands with the same options share a key, separated by blanks. */
  readonly subs?: Readonly<Record<string, string>>;
  /**
   * Where the words begin that belong to another program: after the first operand (`first`), after the operand that follows one of
   * these subcommands (`run`), or right after the subcommand (`test:`).
   */
  readonly script?: "first" | readonly string[];
  /** The program reads options after the script's name too, up to `--`. There, only options that start a program cause a question. */
  readonly readsBehindScript?: true;
  /** Any other subcommand is the name of a script. */
  readonly otherSubIsScript?: true;
  /** `--x` is the same as `-x`. */
  readonly singleDash?: true;
  /** The first word may be options without their dash: `tar czf x`. */
  readonly bundledFirst?: true;
  /** Values with which an option that starts a program is an ordinary one. */
  readonly plain?: readonly (readonly [option: RegExp, value: RegExp])[];
  /** Values that an ordinary option may not have. */
  readonly refused?: readonly (readonly [option: RegExp, value: RegExp])[];
  /** Options that start the command in the words up to `;` or `+`. */
  readonly startsCommand?: RegExp;
  /** Operands that change what it runs. */
  readonly refusedOperand?: RegExp;
  /** Operands, and the values of `address`, are addresses whose last part names the file that is written. */
  readonly downloads?: {
    /** Only beside one of these options. */
    readonly beside?: readonly string[];
    /** Not beside these. */
    readonly unless?: readonly string[];
    readonly address?: readonly string[];
    /** Options that name the folder of the file. */
    readonly into: readonly string[];
  };
  /** Subcommands of two words that start a program or change what others run. */
  readonly refusedSubs?: readonly string[];
  /** The words allowed after `--`, which are passed to another program. */
  readonly behindDashes?: RegExp;
  /** The program's services have more options than a table can hold, so only options marked in the table cause a question. */
  readonly isOpen?: true;
  /** Operands, as written, whose value isn't known and that are no options. */
  readonly plainExpansion?: RegExp;
  /** An operand that may stand before the subcommand: `cargo +nightly`. */
  readonly globalOperand?: RegExp;
};
