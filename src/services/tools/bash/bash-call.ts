import type { ShellParser, SimpleCommand } from "@quoll/bash-syntax/types";
import { ToolFailedError } from "../../../contracts/errors.ts";
import type {
  ArtifactStore,
  Clock,
  NamedPath,
  Sandbox,
  SessionTemporary,
  Workspace,
} from "../../../contracts/ports.ts";
import type { Grant, OpenedNetwork, Subject } from "../../../contracts/subject.ts";
import type { ToolContext } from "../../../contracts/tool.ts";
import type { Environment } from "../../../platform/env.ts";
import { entryExists } from "../../../platform/paths.ts";
import { childEnvironment } from "../../../platform/processes/child-environment.ts";
import { findBash } from "../../../platform/processes/find-program.ts";
import type { ReadTracker } from "../read-tracker.ts";
import type { BackgroundShells } from "./background-shells.ts";
import type { Credentials } from "./credentials.ts";
import type { BashLimits } from "./limits.ts";
import type { ServerPorts } from "./server-ports.ts";
import type { BashRequest } from "./start-bash.ts";

export type BashDeps = {
  readonly workspace: Workspace;
  readonly artifacts: ArtifactStore;
  readonly clock: Clock;
  /** Background tasks, and the ends of interrupted commands. */
  readonly shells: BackgroundShells;
  /** Opens ports on which confined tasks listen; undefined if nobody could use them. */
  readonly ports?: ServerPorts;
  /** Records the files that the model has seen. */
  tracker(): Promise<ReadTracker>;
  /** Loaded at the first call. */
  shellParser(): Promise<ShellParser>;
  /** The search path for commands. */
  userPath(): Promise<string>;
  /** True if a file's text may not be shown without asking: it contains secrets, or a rule restricts reading it. */
  isHidden(path: string): boolean;
  /** The environment that commands inherit, before withheld variables are removed. */
  readonly environment: Environment;
  /** The credentials in the environment that commands may get. */
  readonly credentials: Credentials;
  readonly sandbox: Sandbox;
  /** The session's folder for temporary files; undefined if commands see the machine's own. */
  readonly temporary?: (() => Promise<SessionTemporary | undefined>) | undefined;
  /** True if the person has trusted this folder. */
  readonly isTrusted: boolean;
  /** True if the session ends with its first complete answer. */
  readonly isOneTurn?: boolean | undefined;
  readonly limits?: Partial<BashLimits>;
};

export type BashInput = {
  command: string;
  description?: string | undefined;
  timeout?: number | undefined;
  run_in_background?: boolean | undefined;
  notify_on?: string | undefined;
  dangerouslyDisableSandbox?: boolean | undefined;
};

/** A command that permissions have been asked about. */
export type JudgedCommand = Pick<BashRequest, "command" | "cwd"> & {
  readonly path: string;
  readonly folderNote: string | undefined;
  readonly commands: readonly SimpleCommand[];
  readonly named: readonly NamedPath[];
  /** Files that a search would find and that may not be shown; masked in the sandbox. */
  readonly hidden: readonly string[];
  readonly temporary: SessionTemporary | undefined;
  /** The note about temporary files if the command runs outside the sandbox. */
  readonly outsideNote: string | undefined;
  /** True if the command changes nothing. */
  readonly onlyReads: boolean;
};

/** An approved command with its start conditions. */
export type ApprovedCommand = JudgedCommand &
  Omit<BashRequest, "bash" | "mayMove" | "endsInPipe"> & {
    /** The network opened for this command alone. */
    readonly opened?: OpenedNetwork | undefined;
    /** True if there is a sandbox, and the command runs outside it. */
    readonly isOutside: boolean;
  };

/**
 * The command's start conditions, after its approval. The environment is built this late because a person may be asked
 * about it.
 */
export async function approvedCommand(
  shell: JudgedCommand,
  { credentials, environment, sandbox }: BashDeps,
  grant: Grant,
  { toolUseId, signal }: ToolContext,
): Promise<ApprovedCommand> {
  const tag = crypto.randomUUID();
  const offered = await credentials.offer(shell.commands, toolUseId, signal);
  const env = childEnvironment(environment, { path: shell.path, tag, pass: [...credentials.passed, ...offered] });
  if (grant.confinement === "none")
    return {
      ...shell,
      tag,
      // A command that names the variable means the folder that was judged.
      env: shell.temporary && namesVariable(shell.command) ? { ...env, TMPDIR: shell.temporary.inside } : env,
      confine: undefined,
      isOutside: grant.isOutside === true,
      beginUnconfined: (abort) => sandbox.beginUnconfined({ makes: writtenBy(shell.named), mayMakeMore: true }, abort),
    };
  return {
    ...shell,
    tag,
    env,
    isOutside: false,
    opened: grant.opened,
    confine: (start, abort) =>
      sandbox.confine(
        {
          ...start,
          named: shell.named,
          hidden: shell.hidden,
          command: titleOf(shell.command),
          ...(grant.opened && { opened: grant.opened }),
        },
        abort,
      ),
  };
}

function namesVariable(command: string): boolean {
  return /TMPDIR/.test(command);
}

function writtenBy(named: readonly NamedPath[]): readonly string[] {
  return named.filter(({ action }) => action === "write").map(({ path }) => path);
}

export function bashFor({ path }: ApprovedCommand, workspace: Workspace): string {
  const bash = findBash(path, (file) => !workspace.contains(file));
  if (bash === undefined)
    throw new ToolFailedError(
      "There is no bash on this machine, in the system's folders or in PATH. Install it to run commands.",
    );
  return bash;
}

/** The note about the place of a command that does not run in the usual sandbox; empty for any other command. */
export function placeNote({ opened, isOutside, onlyReads, confine, outsideNote }: ApprovedCommand): readonly string[] {
  if (opened) return [`in the sandbox, with the network: ${hostsIn(opened)}`];
  if (!confine && outsideNote !== undefined) return [outsideNote];
  return isOutside && !onlyReads ? ["outside the sandbox"] : [];
}

function hostsIn({ hosts }: OpenedNetwork): string {
  return hosts.map(({ host, port }) => (port === undefined ? host : `${host}:${port}`)).join(", ");
}

/** The command itself, if the model gave no description. */
export function descriptionOf({ command, description = "" }: BashInput): string {
  return description.trim() === "" ? titleOf(command) : description;
}

const MAX_TITLE_CHARS = 200;

/** A command in one line, cut to a length that fits a list. */
export function titleOf(command: string): string {
  const line = command
    .trim()
    // A continued line counts as one line.
    .replace(/\s*\\\n\s*/g, " ")
    .replace(/\s*\n\s*/g, " ⏎ ")
    .replace(/\s+/g, " ");
  return line.length > MAX_TITLE_CHARS ? `${line.slice(0, MAX_TITLE_CHARS - 1)}…` : line;
}

const MAX_NAMED = 3;
/** A command that names a file for temporary use, or makes one. */
const NAMES_TEMPORARY = /(?:^|[\s"'=:(<>@])\/tmp(?:\/|["'\s;)]|$)|TMPDIR|\bmktemp\b/;

type Named = Extract<Subject, { action: "read" | "write" }>;

export function namesTemporary(command: string): boolean {
  return NAMES_TEMPORARY.test(command);
}

/** The files that a command names in the session's folder, and those in the machine's own; by their names. */
function split(subjects: readonly Subject[]): { readonly own: readonly Named[]; readonly foreign: readonly Named[] } {
  const named = subjects.flatMap((subject): Named[] =>
    subject.action === "read" || subject.action === "write" ? [subject] : [],
  );
  return {
    own: named.filter(({ inside, path }) => inside !== undefined && entryExists(path)),
    foreign: named.filter(({ isOfMachine }) => isOfMachine),
  };
}

/** Why a command can't see all of its files: one is only inside the sandbox, another only outside; undefined if it can. */
export function mixedFiles(subjects: readonly Subject[]): string | undefined {
  const { own, foreign } = split(subjects);
  const [mine] = own.filter(({ isFolderChange }) => isFolderChange !== true);
  const [theirs] = foreign;
  if (mine?.inside === undefined || theirs === undefined) return undefined;
  return `${mine.inside} is a file of this session and ${theirs.path} a file of the machine: the sandbox has a /tmp of its own, so no command sees both. First copy ${theirs.path} into the workspace, in a call of its own.`;
}

/**
 * The note about a command that ran outside the sandbox and names temporary files; undefined for any other command.
 * The session's files keep a name that works there.
 */
export function outsideNote(
  command: string,
  subjects: readonly Subject[],
  view: SessionTemporary | undefined,
): string | undefined {
  if (!view || view.inside === view.folder || !namesTemporary(command)) return undefined;
  const { own } = split(subjects);
  const files = [...new Set(own.map(({ inside, path }) => `${inside} of the session is ${path} there`))];
  const more = files.length > 0 ? `; ${files.slice(0, MAX_NAMED).join(", ")}` : "";
  return `this ran outside the sandbox, where ${view.inside} is the machine's own${more}`;
}
