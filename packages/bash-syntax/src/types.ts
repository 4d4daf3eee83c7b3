/** One word of a command. */
export type ShellWord = {
  /** As written. */
  readonly source: string;
  /** The value after quote removal; undefined when it depends on an expansion that is unknown before the run. */
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
  /** The content of a here-document; `text` is undefined if part of it is expanded. */
  readonly body?: { readonly text: string | undefined };
};

/**
 * How an inner command runs. `elevated`: as another user. `remote` and `container`: on another system, so its operands
 * are not files of this machine.
 */
export type Within = "substitution" | "function" | "script" | "arguments" | "elevated" | "remote" | "container";

/** One simple command. */
export type SimpleCommand = {
  /** The command as written, without its redirects and leading assignments. */
  readonly source: string;
  /** The command word and its arguments; empty for a bare assignment or a bare redirect. */
  readonly words: readonly ShellWord[];
  readonly assignments: readonly Assignment[];
  readonly redirects: readonly Redirect[];
  /**
   * True when the command may not run, or runs in a subshell, so that a `cd` in it does not certainly affect later
   * commands.
   */
  readonly conditional: boolean;
  /** True in a loop, where later commands of the loop also run before it. */
  readonly repeats?: boolean;
  /** True if it gets another command's output, or the input of the commands around it, as its input. */
  readonly isPiped?: boolean;
  /**
   * True if the same line defines a function of this name before. If the definition fails (a redirect around it
   * failed, or after an error bash skipped the rest of a line), a program of this name runs instead.
   */
  readonly callsFunction?: boolean;
  /** Outermost first; empty for a command in the line itself. */
  readonly within: readonly Within[];
  /**
   * The pieces, as written, whose effect is unknown before the run (a variable as the command word, code in an
   * arithmetic expression); empty when there are none. A command with unknown pieces is never safe, and no rule
   * can allow it.
   */
  readonly unknown: readonly string[];
};

export type ParsedShell =
  | { readonly understood: true; readonly commands: readonly SimpleCommand[] }
  | {
      readonly understood: false;
      /** The reason, as one plain phrase. */
      readonly reason: string;
      /** The pieces that could not be parsed, as written; at least one. */
      readonly unclear: readonly string[];
    };

export interface ShellParser {
  parse(source: string): ParsedShell;
}

/**
 * The kind of harm, which decides what can be backed up. `deletes`, `overwrites` and `ownership` concern files. `discards`
 * concerns uncommitted work of a git work tree; `history` and `refs` concern a git repository's own data. `unforeseen` concerns
 * files that are known only when the command runs. The other kinds leave nothing on this machine to back up.
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

/** The words of a git command that name revisions and files. Patterns of the shell have git's prefix for the same meaning. */
export type GitNames = {
  /** `checkout`, `stash drop`. */
  readonly sub: string;
  readonly revisions: readonly string[];
  readonly pathspecs: readonly string[];
  /** Words that name either a revision or a file. */
  readonly either: readonly string[];
};

/** Names what a command destroys beside named files and the work tree around it. */
export type HazardTarget = "user" | "other-work-tree" | "untracked";

export type Hazard = {
  readonly kind: HazardKind;
  readonly target?: HazardTarget;
  /** In plain words, for people: "deletes files: dist/". */
  readonly text: string;
  /** The affected operands, as static values relative to the command's folder; empty when unknown. */
  readonly paths: readonly string[];
  /**
   * The folder in which it runs, relative to the command's folder, when it differs (`git -C x`); "unknown" when it
   * can't be determined.
   */
  readonly folder?: string;
  /** True when it follows links below its paths. A path with a trailing slash is itself followed. */
  readonly followsLinks?: true;
  /** True when it is a hazard only if one of its paths exists: `git checkout x` may also name a branch. */
  readonly ifThere?: true;
  /** True when it also affects git's submodules: `git reset --hard --recurse-submodules`. */
  readonly inSubmodules?: true;
  /** True when no path is a pattern: `*` and `[` stand for themselves. */
  readonly isLiteral?: true;
  /** The patterns among the words, with the path that stands for each: relative to the command's folder. */
  readonly patterns?: readonly { readonly path: string; readonly pattern: string }[];
  /** The words after `find` if the last is `-delete`, which deletes only what passes the tests before it. */
  readonly found?: readonly string[];
  /** The patterns of `git clean --exclude`: their files are not deleted. */
  readonly excludes?: readonly string[];
  /** True when `git clean` deletes only files that git ignores. */
  readonly ignoredOnly?: true;
  /** True when `git clean` also deletes files that git ignores. */
  readonly withIgnored?: true;
  /** The revisions and paths that a git command names; absent when a word is unknown. */
  readonly git?: GitNames;
};

/** The package managers with registries of their own. */
export type RegistryKind =
  | "npm"
  | "pnpm"
  | "yarn"
  | "bun"
  | "deno"
  | "pypi"
  | "conda"
  | "cargo"
  | "go"
  | "gem"
  | "composer"
  | "hex"
  | "nuget"
  | "cocoapods"
  | "pub"
  | "terraform";

/** The registries and hosts that a command connects to. */
export type Reach = {
  /** The package managers whose registries it fetches from. */
  readonly registries: readonly RegistryKind[];
  /** The hosts that its words name, in lower case. */
  readonly named: readonly string[];
};

/** The commands that a command starts from its own arguments: `xargs rm`, `bash -c 'ls; pwd'`, `sudo make`. */
export type InnerCommands = {
  /** In source order, each complete; call again for their own inner commands. */
  readonly commands: readonly SimpleCommand[];
  /** True when the outer command has no effect of its own, so that allowing the inner ones allows it. */
  readonly isTransparent: boolean;
  /** The parts, as written, that would run something unknown; such a command is never safe. */
  readonly unknown: readonly string[];
};

/** A word that a rule with a star does not match. */
export type UncoveredWord = {
  /** The option without its value, the subcommand, or the operand, as a rule would name it. */
  readonly word: string;
  /** The program and subcommand that precede the word in a rule that names it. */
  readonly scope: string;
  /** True when the word starts a program, redirects to another place or changes the executed code. */
  readonly isCode: boolean;
  /** The path that controls the program: the word counts only when this path is outside the project. */
  readonly config?: string;
};

export type Classification = {
  /** True only when the tables know this command with exactly these flags and argument shapes as read-only. */
  readonly readOnly: boolean;
  /** Operands that name files or folders to read, as static values relative to the command's folder. */
  readonly reads: readonly string[];
  /** Operands that name files to write, as far as the tables know. */
  readonly writes: readonly string[];
  /**
   * The `writes` named by a flag of a read-only command (`git diff --output=x`), which a rule for the command does not
   * cover.
   */
  readonly unexpectedWrites: readonly string[];
  /**
   * True when it may write, read or run things that its words don't name, because a script or archive decides (`sed 'w
   * x'`, `tar xf a`).
   */
  readonly hasUnsaidEffects: boolean;
  /** The hazards of the command; independent of `readOnly`. */
  readonly hazards: readonly Hazard[];
  /** True when the tables know that it needs a network (`curl`, `git push`, `npm install`). */
  readonly needsNetwork: boolean;
  /** True when a container engine on this machine is all that it needs of the network. */
  readonly needsEngine: boolean;
  /** The registries and hosts that the command connects to; undefined if the tables don't know, or if it needs no network. */
  readonly reaches: Reach | undefined;
  /**
   * Subcommands and options that are unknown to the program's table, or that start a program: a rule with a star does
   * not match them.
   */
  readonly uncovered: readonly UncoveredWord[];
};
