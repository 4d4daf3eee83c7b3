/**
 * The kind of harm, which decides what can be backed up. `deletes`, `overwrites` and `ownership` concern files.
 * `discards` concerns uncommitted work of a git work tree; `history` and `refs` concern a git repository's own data.
 * `unforeseen` concerns files that are known only when the command runs: Quoll backs up as many as it can and names
 * those it could not. The other kinds leave nothing on this machine that could be backed up. The shell tables use the
 * same kinds.
 */
import type { DecidedBy } from "./decided-by.ts";

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

/** The words of a git command that name revisions and files. (The shell tables use the same type.) */
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

/** One thing that a command would destroy or publish. */
export type Hazard = {
  readonly kind: HazardKind;
  readonly target?: HazardTarget;
  /** The danger in plain words, for people. */
  readonly text: string;
  /** The affected path: absolute, symlinks resolved (a deleted link itself); empty if unknown. */
  readonly paths: readonly string[];
  /** The absolute folder in which the command runs; undefined if unknown. */
  readonly folder: string | undefined;
  /** True if the command follows the links below its paths. */
  readonly followsLinks?: boolean;
  /** True if the command does the same in git's submodules; `paths` then name the submodules. */
  readonly inSubmodules?: boolean;
  /** True if the command also affects files that git ignores (`git stash --all`, `git clean -x`). */
  readonly withIgnored?: boolean;
  /** True if an earlier part of the line adds or stashes untracked files, so that the command affects them too. */
  readonly withUntracked?: boolean;
  /**
   * True if an earlier part of the line takes files out of git's index that HEAD does not hold, so that `git clean`
   * deletes them too.
   */
  readonly withUnstaged?: boolean;
  /** Those paths whose tracked files an earlier part of the line makes untracked, so that `git clean` deletes them too. */
  readonly withTracked?: readonly string[];
  /** True if the command deletes only files that git ignores (`git clean -X`). */
  readonly ignoredOnly?: boolean;
  /** Patterns of files that the command leaves alone (`git clean --exclude`), as git reads them. */
  readonly excludes?: readonly string[];
  /** The paths that a pattern of the command matches below one of `paths`; a restore names only these. */
  readonly matches?: readonly { readonly path: string; readonly files: readonly string[] }[];
  /** The revisions and paths that a git command names, relative to `folder`; absent if unknown. */
  readonly git?: GitNames;
};

/**
 * A word of a command that an allow rule with a wildcard covers only if the rule names the word. (The shell tables
 * use the same type.)
 */
export type UncoveredWord = {
  /** The option without its value, the subcommand, or the operand, as a rule would name it: `--foo`. */
  readonly word: string;
  /** The text before the word in a rule that names it: `git push`. */
  readonly scope: string;
  /** True if the word starts a program, points elsewhere or changes which program runs. */
  readonly isCode: boolean;
};

/** A host that a confined command may reach. */
export type ReachedHost = {
  /** In lower case. */
  readonly host: string;
  /** Only this port; every port if absent. */
  readonly port?: number;
  /** True if the person named exactly this host, which may then be on a private network. */
  readonly isOwn?: boolean;
};

/** The hosts that a command needs, as far as its words tell. */
export type NetworkReach = {
  /**
   * The hosts that an allow rule for the command opens: registries of its package manager, or the hosts that the words
   * of a program that only fetches name.
   */
  readonly hosts: readonly ReachedHost[];
  /** True if the command needs each of the hosts. A package manager needs only some of them. */
  readonly needsAll?: boolean;
  /** Hosts that the words of an install name in addition: an allow rule opens them only if it contains them. */
  readonly named: readonly string[];
  /** The settings files of its package managers: absolute paths in the home folder, and names in the workspace. */
  readonly settings: readonly string[];
  /** Its package managers, as the tables name them. */
  readonly managers?: readonly string[];
};

/** The network that one command gets in the sandbox, besides the hosts of the person's own settings. */
export type OpenedNetwork = {
  readonly hosts: readonly ReachedHost[];
  /** Settings files that the command may read, as in `NetworkReach`. Other secrets of the workspace are hidden. */
  readonly settings: readonly string[];
  /** The package managers that need writable caches. */
  readonly managers?: readonly string[];
};

/**
 * One thing that a call would touch: a path, a command, a host. The strictest verdict among a call's subjects decides.
 *
 * Paths are absolute with symlinks resolved; `given` is the absolute path before links were followed, when it differs
 * (a rule that denies either denies the call).
 */
export type Subject =
  | {
      readonly action: "read" | "write";
      readonly path: string;
      readonly given?: string;
      /**
       * True for an operand of a shell command (`rm x`): the command itself is also checked. Never set for a redirect.
       */
      readonly byCommand?: boolean;
      /** True if the call shows only metadata of the file, such as its name and size (`ls -l x`), never its text. */
      readonly isNameOnly?: boolean;
      /**
       * True for a file that only a search below a folder finds and no word names: the sandbox can hide it during the
       * run.
       */
      readonly isFound?: boolean;
      /**
       * The file's name in the sandbox, for a file in the session's folder for temporary files (`/tmp/x`): rules apply
       * to this name.
       */
      readonly inside?: string;
      /** True for a file of the machine's own /tmp, which confined commands don't see. */
      readonly isOfMachine?: boolean;
      /** True for the target folder of a `cd`: rules such as `Cd(//srv/**)` apply to it. */
      readonly isFolderChange?: boolean;
    }
  | {
      readonly action: "execute";
      /** One simple command as written, redirects and assignments left out; the whole source when not understood. */
      readonly command: string;
      /** Other spellings that rules may name: the command without the wrappers around it (`timeout 5 ls` is also `ls`). */
      readonly alternatives?: readonly string[];
      /**
       * The command after the shell has removed quotes, with and without flags before the program's subcommand. Deny
       * rules match these texts; allow rules never do. Absent if the texts equal the written command.
       */
      readonly resolved?: readonly string[];
      /** Leading assignments (`A=1`), as written. */
      readonly assignments: readonly string[];
      /** False when the shell source could not be understood fully: no allow rule covers it. */
      readonly understood: boolean;
      /** True if the tables say that exactly this command, with these flags, only reads. */
      readonly readOnly: boolean;
      /** True if `readOnly` is false only because the folder is not trusted: its files decide what the program starts. */
      readonly awaitsTrust?: boolean;
      /** The data that the command would destroy, as far as the tables know. */
      readonly hazards: readonly Hazard[];
      /**
       * Set if the command runs code that can't be analysed: the possible damage. The hazard counts if the command runs
       * without a question.
       */
      readonly unread?: Hazard;
      /**
       * True if a program or an archive in the command's arguments decides what it writes, reads or runs (`sed
       * 'w x'`, `tar xf a`): only a rule that names exactly this command covers it.
       */
      readonly unsaid?: boolean;
      /** Words that a rule with a wildcard covers only if it names them; absent if there are none. */
      readonly uncovered?: readonly UncoveredWord[];
      /** True if the command is useless without a network. */
      readonly needsNetwork?: boolean;
      /** True if what it needs is a container engine on this machine (docker), which has a socket. */
      readonly needsEngine?: boolean;
      /** The hosts that the command needs; absent if its words don't tell. */
      readonly reaches?: NetworkReach;
      /** True if the command needs only loopback: the sandbox's own loopback reaches the servers of other commands. */
      readonly onlyLoopback?: boolean;
      /** True if the command writes settings of a git repository, which the sandbox forbids. */
      readonly changesGitConfig?: boolean;
      /**
       * Protected paths that git would check out: the sandbox would move them aside. Absent if there are no such paths.
       */
      readonly brings?: readonly string[];
    }
  | {
      readonly action: "network";
      readonly host: string;
      /** True for a host on the list of documentation: the rule `WebFetch(documentation)` covers it. */
      readonly isDocumentation?: boolean;
    }
  /** A named agent (`Explore`) or skill (`deploy`) that the tool starts, or the tool of an extension. */
  | {
      readonly action: "use";
      readonly name: string /** The arguments; absent if there are none. */;
      readonly args?: string;
      /** Another name of the tool for rules: `mcp__shop__ReadMcpResource`, which rules for the server `shop` cover. */
      readonly tool?: string;
      /** The extension to which the used tool belongs, in printable form. */
      readonly extension?: string;
    };

declare const granted: unique symbol;

/** Proof that a call was judged. Only a permission engine creates a grant; `run` can't start without one. */
export type Grant = {
  readonly [granted]: true;
  readonly toolUseId: string;
  readonly confinement: "sandbox" | "none";
  /** The network opened for this call alone; absent if none is. */
  readonly opened?: OpenedNetwork;
  /** True if there is a sandbox, and the call runs outside it. */
  readonly isOutside?: boolean;
  readonly decidedBy: DecidedBy;
  /** The safety measures taken before the run (a backup and its place): one line each, included in the result. */
  readonly notes: readonly string[];
};

/** Makes a grant. Only permission engines may call this function. */
export function makeGrant(fields: Omit<Grant, typeof granted>): Grant {
  return fields as Grant;
}
