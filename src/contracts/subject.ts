/**
 * The kind of harm, which decides what can be backed up. `deletes`, `overwrites` and `ownership` concern files. `discards`
 * concerns uncommitted work of a git work tree; `history` and `refs` concern a git repository's own data. `unforeseen`
 * concerns files that are known only when the command runs: Quoll backs up as many as it can and names those it could not. The
 * other kinds leave nothing on this machine to back up. The shell tables use the same kinds.
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

/** One thing that a command would destroy or publish. */
export type Hazard = {
  readonly kind: HazardKind;
  /** In plain words, for people. */
  readonly text: string;
  /** The affected path: absolute, symlinks resolved (a deleted link itself); empty if unknown. */
  readonly paths: readonly string[];
  /** Where the command runs: absolute; undefined when not known. */
  readonly folder: string | undefined;
  /** True when it follows the links that it finds below its paths. */
  readonly followsLinks?: boolean;
  /** True when it does the same in git's submodules; then `paths` say in which. */
  readonly inSubmodules?: boolean;
  /** True where uncommitted work means what git ignores, too (`git stash --all`). */
  readonly withIgnored?: boolean;
};

/** A word of a command that an allow rule with a star covers only where it is named. (The same as the shell tables have.) */
export type UncoveredWord = {
  /** The option without its value, the subcommand, or the operand, as a rule would name it: `--foo`. */
  readonly word: string;
  /** The text before it in a rule that names it: `git push`. */
  readonly scope: string;
  /** True when it starts a program, points elsewhere or changes what is run. */
  readonly isCode: boolean;
};

/**
 * One thing that a call would touch. The strictest verdict among a call's subjects decides.
 *
 * Paths are absolute with symlinks resolved; `given` is the absolute path before links were followed, when it differs
 * (a rule that denies either denies the call).
 */
export type Subject =
  | {
      readonly action: "read" | "write";
      readonly path: string;
      readonly given?: string;
      /** True for an operand of a shell command (`rm x`): the command is judged too. Never set for a redirect. */
      readonly byCommand?: boolean;
      /** True where only names, sizes and the like of it are told (`ls -l x`), never its text. */
      readonly isNameOnly?: boolean;
      /** True for a file that a search finds below a folder, and no word names: in the sandbox it can be masked for the run. */
      readonly isFound?: boolean;
      /** True for the folder that a `cd` goes to: rules such as `Cd(//srv/**)` concern it. */
      readonly isFolderChange?: boolean;
    }
  | {
      readonly action: "execute";
      /** One simple command as written, redirects and assignments left out; the whole source when not understood. */
      readonly command: string;
      /** Other spellings that rules may name: the command without the wrappers around it (`timeout 5 ls` is also `ls`). */
      readonly alternatives?: readonly string[];
      /**
       * The command after the shell has removed quotes, with and without flags before the program's subcommand. Deny rules
       * match these texts; allow rules never do. Absent where they equal the written command.
       */
      readonly resolved?: readonly string[];
      /** Leading assignments (`A=1`), as written. */
      readonly assignments: readonly string[];
      /** False when the shell source could not be understood fully: no allow rule covers it. */
      readonly understood: boolean;
      /** True when the tables say that this very command, with these flags, only reads. */
      readonly readOnly: boolean;
      /** The data that it would destroy; empty if nothing is known. */
      readonly hazards: readonly Hazard[];
      /** Set where nobody can read what it runs: what that may do. It counts where such a command runs without a question. */
      readonly unread?: Hazard;
      /**
       * True when what it writes, reads or runs stands in a program or an archive that it is given (`sed 'w x'`, `tar xf a`): only
       * a rule that names this very command covers it.
       */
      readonly unsaid?: boolean;
      /** Words that no rule with a star covers unless a rule names them; absent when there are none. */
      readonly uncovered?: readonly UncoveredWord[];
      /** True when it is of no use without a network. */
      readonly needsNetwork?: boolean;
      /** True when that network is this machine's loopback: the sandbox's own holds the servers of other commands. */
      readonly onlyLoopback?: boolean;
      /** True when it writes settings of a git repository: the sandbox does not let it. */
      readonly changesGitConfig?: boolean;
      /** Protected paths that git would check out: the sandbox would move them aside. Absent when there are none. */
      readonly brings?: readonly string[];
    }
  | { readonly action: "network"; readonly host: string }
  /** Something with a name of its own that the tool puts to work: an agent (`Explore`), a skill (`deploy`). */
  | {
      readonly action: "use";
      readonly name: string /** The arguments; absent if there are none. */;
      readonly args?: string;
    };

declare const granted: unique symbol;

/** Proof that a call was judged. Only a permission engine makes one; `run` can't start without it. */
export type Grant = {
  readonly [granted]: true;
  readonly toolUseId: string;
  readonly confinement: "sandbox" | "none";
  /** The reason for the permission, for people: a rule with its file and line, a mode, an answer. */
  readonly by: string;
  /** The safety measures before the run (a backup and its place): one line each, included in the result. */
  readonly notes: readonly string[];
};

/** Makes the proof. Called by permission engines alone. */
export function makeGrant(fields: Omit<Grant, typeof granted>): Grant {
  return fields as Grant;
}
