/** One word of a command. */
export type ShellWord = {
  /** As written. */
  readonly source: string;
  /** After quote removal; undefined when it depends on an expansion that can't be known before it runs. */
  readonly value: string | undefined;
  /** True when unquoted `*`, `?` or `[` may make it several words (`value` is then the pattern). */
  readonly isGlob: boolean;
};

export type Assignment = { readonly name: string; readonly value: ShellWord; readonly source: string };

export type Redirect = {
  readonly source: string;
  /** `duplicate` is `2>&1` and the like: no file is named. Here-documents and here-strings are `inline`. */
  readonly direction: "read" | "write" | "duplicate" | "inline";
  readonly target: ShellWord;
  /** Of a here-document: what it holds; `text` is undefined where something in it is expanded. */
  readonly body?: { readonly text: string | undefined };
};

/**
 * How a command comes to run that the line does not name plainly. `elevated`: as another user. `remote` and `container`:
 * elsewhere, so that its operands are no files of this machine.
 */
export type Within = "substitution" | "function" | "script" | "arguments" | "elevated" | "remote" | "container";

/** One simple command, in the order in which the source names them. */
export type SimpleCommand = {
  /** The command as written, without its redirects and leading assignments. */
  readonly source: string;
  /** The command word and its arguments; empty for a bare assignment or a bare redirect. */
  readonly words: readonly ShellWord[];
  readonly assignments: readonly Assignment[];
  readonly redirects: readonly Redirect[];
  /** True when it may not run, or runs in a subshell, so that a `cd` in it says nothing sure about what follows. */
  readonly conditional: boolean;
  /** True in a loop: what stands behind it in the loop runs before it, too. */
  readonly repeats?: boolean;
  /**
   * True where a function of this name is defined before, in this very line. Should its definition not have come about (a
   * redirect around it failed, an error made bash leave out the rest of a line), a program of the name runs instead.
   */
  readonly callsFunction?: boolean;
  /** Outermost first; empty for a command that stands in the line itself. */
  readonly within: readonly Within[];
  /**
   * The pieces, as written, whose effect can't be known before it runs (a variable as the command word, code in an
   * arithmetic expression); empty when there are none. Such a command is never safe, and no rule can allow it.
   */
  readonly unknown: readonly string[];
};

export type ParsedShell =
  | { readonly understood: true; readonly commands: readonly SimpleCommand[] }
  | {
      readonly understood: false;
      /** One plain phrase: why. */
      readonly reason: string;
      /** The pieces that were not understood, as written; at least one. */
      readonly unclear: readonly string[];
    };

export interface ShellParser {
  parse(source: string): ParsedShell;
}

/**
 * What kind of harm, and so which way back there may be: `deletes`, `overwrites` and `ownership` concern files;
 * `discards` uncommitted work of a git work tree; `history` and `refs` a git repository's own data; `unforeseen` whatever files
 * there are, since which ones only the run tells; the others leave nothing on this machine that could be kept.
 */
export type HazardKind =
  | "deletes"
  | "overwrites"
  | "ownership"
  | "discards"
  | "history"
  | "refs"
  | "unforeseen"
  | "publishes"
  | "remote-history"
  | "database"
  | "device"
  | "processes";

export type Hazard = {
  readonly kind: HazardKind;
  /** In plain words, for people: "deletes files: dist/". */
  readonly text: string;
  /** Operands that it concerns, as static values relative to the command's folder; empty when they are not known. */
  readonly paths: readonly string[];
  /** Where it runs, relative to the command's folder, when that is another (`git -C x`); "unknown" when nobody can say. */
  readonly folder?: string;
  /** True when it follows the links that it finds below its paths. A path with a slash at its end is itself followed. */
  readonly followsLinks?: true;
  /** True when it is a danger only if one of its paths is there: `git checkout x` may as well name a branch. */
  readonly ifThere?: true;
  /** True when it does the same in git's submodules: `git reset --hard --recurse-submodules`. */
  readonly inSubmodules?: true;
};

/** The commands that a command starts out of its own words: `xargs rm`, `bash -c 'ls; pwd'`, `sudo make`. */
export type InnerCommands = {
  /** In source order, each complete (their own inner commands are found by asking again). */
  readonly commands: readonly SimpleCommand[];
  /** True when the outer command does nothing of its own: whoever allows the inner ones has allowed it. */
  readonly isTransparent: boolean;
  /** What it would run but nobody can know beforehand, as written; then it is never safe. */
  readonly unknown: readonly string[];
};

/** A word that a rule with a star doesn't cover. */
export type UncoveredWord = {
  /** The option without its value, the subcommand, or the operand, as a rule would name it. */
  readonly word: string;
  /** The program and its subcommand, which stand before the word in a rule that names it. */
  readonly scope: string;
  /** True when it starts a program, points elsewhere or changes what is run. */
  readonly isCode: boolean;
  /** The path that steers the program: the word counts only where that lies outside of the project. */
  readonly config?: string;
};

export type Classification = {
  /** True only when the tables know this command with exactly these flags and argument shapes as read-only. */
  readonly readOnly: boolean;
  /** Operands that name files or folders which the command reads, as static values (relative to its folder). */
  readonly reads: readonly string[];
  /** Operands that name files which it writes, where the tables know. */
  readonly writes: readonly string[];
  /** Those of `writes` that a flag of a reading command names (`git diff --output=x`): nobody who allows it means them. */
  readonly unexpectedWrites: readonly string[];
  /** True when it may write, read or run what its words don't name: a program or an archive says what (`sed 'w x'`, `tar xf a`). */
  readonly hasUnsaidEffects: boolean;
  /** What it destroys or publishes; independent of `readOnly`. */
  readonly hazards: readonly Hazard[];
  /** True when the tables know that it is of no use without a network (`curl`, `git push`, `npm install`). */
  readonly needsNetwork: boolean;
  /** Subcommands and options that its program's table doesn't know, or that start a program: no rule with a star covers them. */
  readonly uncovered: readonly UncoveredWord[];
};
