/**
 * The subcommands and options of one program that a rule with a wildcard may cover: those that neither start a
 * program, nor point it at another server, nor change what it runs. Any other option causes a question.
 *
 * Options are words of one text: `-a` or `--all` alone; `-n=` with a value; `--color?` with a value only after `=`, or
 * attached; `--arg=2` with two; `-#` is a bare number; `--define:` with a value after the colon; `-o=>` names a file or
 * folder to write; `-p=~` names a path that controls the program; `--pre=!` and `--ext!` start a program or point
 * elsewhere, and are listed so that the question can say so. `--no-x` comes with `--x`.
 */
export type OptionTable = {
  readonly name: string;
  /** Options that are allowed with every subcommand, and before it. */
  readonly flags: string;
  /** The options of each subcommand. Subcommands with the same options share a key, separated by blanks. */
  readonly subs?: Readonly<Record<string, string>>;
  /**
   * The place where the words of another program begin: after the first operand (`first`), after the operand that
   * follows one of these subcommands (`run`), or right after the subcommand (`test:`).
   */
  readonly script?: "first" | readonly string[];
  /**
   * True if the program also reads options after the script's name, up to `--`. There, only options that start a
   * program cause a question.
   */
  readonly readsBehindScript?: true;
  /** True if any other subcommand is the name of a script. */
  readonly otherSubIsScript?: true;
  /** True if `--x` means the same as `-x`. */
  readonly singleDash?: true;
  /** The first word may be options without their dash: `tar czf x`. */
  readonly bundledFirst?: true;
  /** Values that make an option that starts a program harmless. */
  readonly plain?: readonly (readonly [option: RegExp, value: RegExp])[];
  /** Values that an ordinary option may not have. */
  readonly refused?: readonly (readonly [option: RegExp, value: RegExp])[];
  /** Options, as written, that start a program or take one from a file. */
  readonly refusedOption?: RegExp;
  /** Options that start the command in the following words, up to `;` or `+`. */
  readonly startsCommand?: RegExp;
  /** Operands that change which code the program runs. */
  readonly refusedOperand?: RegExp;
  /** Set if operands, and the values of `address`, are addresses whose last part names the written file. */
  readonly downloads?: {
    /** Applies only with one of these options. */
    readonly beside?: readonly string[];
    /** Does not apply with one of these options. */
    readonly unless?: readonly string[];
    readonly address?: readonly string[];
    /** Options that name the folder of the file. */
    readonly into: readonly string[];
  };
  /** Subcommands of two words that start a program or change what others run. */
  readonly refusedSubs?: readonly string[];
  /** The words allowed after `--`, which are passed to another program. */
  readonly behindDashes?: RegExp;
  /** The same for one subcommand. */
  readonly behindDashesOf?: Readonly<Record<string, RegExp>>;
  /** Set if the program reads commands from its input, by some of which it starts programs. */
  readonly readsCommands?: {
    /** With one of these options, or with this many operands, it does not. */
    readonly unless: readonly string[];
    readonly operands?: number;
    /** Matches text by which it starts a program. */
    readonly code: RegExp;
    /** Files whose commands a rule for the program covers; absent: none. */
    readonly plainFiles?: RegExp;
  };
  /** The program's services have more options than a table can hold, so only options marked in the table cause a question. */
  readonly isOpen?: true;
  /** Operands, as written, that have an unknown value and are not options. */
  readonly plainExpansion?: RegExp;
  /** An operand that may precede the subcommand: `cargo +nightly`. */
  readonly globalOperand?: RegExp;
};
