import { Command, Option } from "commander";
import type { RewindScope } from "../../contracts/checkpoint.ts";
import type { ReplayInvocation } from "../replay/replay-arguments.ts";

type Place = { readonly cwd?: string };
type Output = { readonly json: boolean };
type Trial = { readonly isDryRun: boolean };

/** `to`: the number of a prompt (1 is the newest) or its id; without it, the prompts are listed. */
export type RewindAction = Output &
  Trial & {
    readonly what: "rewind";
    readonly session: string;
    readonly to?: string;
    readonly scope: RewindScope;
  };

/** A `quoll sessions` command. A session is given by its id or name, or the beginning of either. */
export type SessionsAction = Place &
  (
    | (Output & { readonly what: "list"; readonly isOfAll: boolean; readonly hasArchived: boolean })
    | (Output & { readonly what: "show"; readonly session: string })
    | (Output & { readonly what: "rename"; readonly session: string; readonly name: string })
    | (Output & { readonly what: "pin" | "archive"; readonly session: string; readonly isUndone: boolean })
    | (Output & Trial & { readonly what: "rm"; readonly sessions: readonly string[] })
    | (Output & Trial & { readonly what: "prune" })
    | RewindAction
  );

export type SessionsInvocation = { readonly kind: "saved"; readonly action: SessionsAction };

type Found = (asked: ReplayInvocation | SessionsInvocation) => void;
type Options = Place & {
  readonly json?: boolean;
  readonly undo?: boolean;
  readonly dryRun?: boolean;
  readonly allProjects?: boolean;
  readonly archived?: boolean;
};

type RewindOptions = Options & { readonly to?: string; readonly files?: true; readonly conversation?: true };

const SESSION = "<session>";
const BY = "the session's id or name, or the beginning of either";

/** `quoll sessions …`. */
export function sessionsCommand(found: Found): Command {
  const command = new Command("sessions").description("saved sessions").helpCommand(false);
  const all = [...readingCommands(found), ...changingCommands(found), ...deletingCommands(found), rewindCommand(found)];
  for (const one of [...all, searchCommand(found), exportCommand(found)]) command.addCommand(one);
  return command;
}

function readingCommands(found: Found): readonly Command[] {
  const list = withPlace(new Command("list"))
    .description("list the sessions of this project, newest first")
    .option("--all-projects", "list the sessions of all projects")
    .option("--archived", "list archived sessions too")
    .action(({ allProjects: isOfAll = false, archived: hasArchived = false, ...options }: Options) =>
      ask(found, { what: "list", isOfAll, hasArchived, ...placeOf(options) }),
    );
  const show = withPlace(new Command("show"))
    .description("show what is known of a session, and what it takes on the disk")
    .argument(SESSION, BY)
    .action((session: string, options: Options) => ask(found, { what: "show", session, ...placeOf(options) }));
  return [list, show];
}

function changingCommands(found: Found): readonly Command[] {
  const rename = withPlace(new Command("rename"))
    .description("name a session; an empty name removes the name")
    .argument(SESSION, BY)
    .argument("<name...>", "the name")
    .action((session: string, words: readonly string[], options: Options) =>
      ask(found, { what: "rename", session, name: words.join(" "), ...placeOf(options) }),
    );
  const marks = (["pin", "archive"] as const).map((what) =>
    withPlace(new Command(what))
      .description(
        what === "pin"
          ? "list a session first, and never delete it on its own"
          : "put a session aside: lists show it last or not at all, and it is never deleted on its own",
      )
      .argument(SESSION, BY)
      .option("--undo", "take it back")
      .action((session: string, { undo: isUndone = false, ...options }: Options) =>
        ask(found, { what, session, isUndone, ...placeOf(options) }),
      ),
  );
  return [rename, ...marks];
}

function deletingCommands(found: Found): readonly Command[] {
  const rm = withPlace(new Command("rm"))
    .description("delete sessions with their output; refused if a session is open, pinned or archived")
    .argument("<sessions...>", BY)
    .option("--dry-run", "only say what would be deleted")
    .action((sessions: readonly string[], { dryRun: isDryRun = false, ...options }: Options) =>
      ask(found, { what: "rm", sessions, isDryRun, ...placeOf(options) }),
    );
  const prune = withPlace(new Command("prune"))
    .description("delete sessions of all projects that the settings sessions.keepDays and sessions.maxDiskMb give up")
    .option("--dry-run", "only say what would be deleted")
    .action(({ dryRun: isDryRun = false, ...options }: Options) =>
      ask(found, { what: "prune", isDryRun, ...placeOf(options) }),
    );
  return [rm, prune];
}

function rewindCommand(found: Found): Command {
  return withPlace(new Command("rewind"))
    .description("list the prompts of a session, or go back to the moment before one")
    .argument(SESSION, BY)
    .option("--to <n>", "go back to before this prompt: its number (1 is the newest) or its id")
    .addOption(new Option("--files", "go back in the files only").conflicts("conversation"))
    .option("--conversation", "go back in the conversation only")
    .option("--dry-run", "only say what would change")
    .action((session: string, { to, files, conversation, dryRun: isDryRun = false, ...options }: RewindOptions) => {
      const scope = files ? "files" : conversation ? "conversation" : "both";
      ask(found, { what: "rewind", session, scope, isDryRun, ...(to !== undefined && { to }), ...placeOf(options) });
    });
}

function searchCommand(found: Found): Command {
  return new Command("search")
    .description("search everything that was said and done, in all sessions of all projects")
    .argument("<words...>", "words, names, numbers or ids")
    .option("--json", "as JSON")
    .option("--all", "list every match, not only the best 20")
    .action((words: readonly string[], options: { json?: true; all?: true }) =>
      found({ kind: "search", words, options }),
    );
}

function exportCommand(found: Found): Command {
  return new Command("export")
    .description("write a session to one file")
    .argument(SESSION, BY)
    .option("--replayable", "include everything that `quoll replay` needs; credentials are removed")
    .option("--output <file>", "the file to write, or - for stdout (default: named after the session, here)")
    .action((session: string, options: { replayable?: true; output?: string }) =>
      found({ kind: "sessions", session, options }),
    );
}

function ask(found: Found, action: SessionsAction): void {
  found({ kind: "saved", action });
}

function withPlace(command: Command): Command {
  return command.option("--json", "as JSON").option("-C, --cwd <folder>", "the project of this folder");
}

function placeOf({ json = false, cwd }: { readonly json?: boolean; readonly cwd?: string }): Output & Place {
  return { json, ...(cwd !== undefined && { cwd }) };
}
