import { Command, Option } from "commander";
import { actions } from "../command-action.ts";
import type { Found } from "../invocation.ts";

const SESSION = "<session>";
const BY = "the session's id or name, or the beginning of either";

/** `quoll sessions …`. */
export function sessionsCommand(found: Found): Command {
  const command = new Command("sessions").description("saved sessions").helpCommand(false);
  const run = actions(found, () => import("./sessions-command.ts"));
  const all = [...readingCommands(run), ...changingCommands(run), ...deletingCommands(run), rewindCommand(run)];
  for (const one of [...all, searchCommand(found), exportCommand(found)]) command.addCommand(one);
  return command;
}

type Run = ReturnType<typeof actions<typeof import("./sessions-command.ts")>>;

function readingCommands(run: Run): readonly Command[] {
  const list = withFolderOptions(new Command("list"))
    .description("list the sessions of this project, newest first")
    .option("--all-projects", "list the sessions of all projects")
    .option("--archived", "list archived sessions too")
    .action(run((code) => code.list));
  const show = withFolderOptions(new Command("show"))
    .description("show what is known of a session, and what it takes on the disk")
    .argument(SESSION, BY)
    .action(run((code) => code.show));
  return [list, show];
}

function changingCommands(run: Run): readonly Command[] {
  const rename = withFolderOptions(new Command("rename"))
    .description("name a session; an empty name removes the name")
    .argument(SESSION, BY)
    .argument("<name...>", "the name")
    .action(run((code) => code.rename));
  const marks = (["pin", "archive"] as const).map((what) =>
    withFolderOptions(new Command(what))
      .description(
        what === "pin"
          ? "list a session first, and never delete it on its own"
          : "put a session aside: lists show it last or not at all, and it is never deleted on its own",
      )
      .argument(SESSION, BY)
      .option("--undo", "take it back")
      .action(run((code) => code[what])),
  );
  return [rename, ...marks];
}

function deletingCommands(run: Run): readonly Command[] {
  const rm = withFolderOptions(new Command("rm"))
    .description("delete sessions with their output; refused if a session is open, pinned or archived")
    .argument("<sessions...>", BY)
    .option("--dry-run", "only say what would be deleted")
    .action(run((code) => code.remove));
  const prune = withFolderOptions(new Command("prune"))
    .description("delete sessions of all projects that the settings sessions.keepDays and sessions.maxDiskMb give up")
    .option("--dry-run", "only say what would be deleted")
    .action(run((code) => code.prune));
  return [rm, prune];
}

function rewindCommand(run: Run): Command {
  return withFolderOptions(new Command("rewind"))
    .description("list the prompts of a session, or go back to the moment before one")
    .argument(SESSION, BY)
    .option("--to <n>", "go back to before this prompt: its number (1 is the newest) or its id")
    .addOption(new Option("--files", "go back in the files only").conflicts("conversation"))
    .option("--conversation", "go back in the conversation only")
    .option("--dry-run", "only say what would change")
    .action(run((code) => code.rewind));
}

function searchCommand(found: Found): Command {
  return new Command("search")
    .description("search everything that was said and done, in all sessions of all projects")
    .argument("<words...>", "words, names, numbers or ids")
    .option("--json", "as JSON")
    .option("--all", "list every match, not only the best 20")
    .action(actions(found, () => import("../inspect/search-sessions.ts"))((code) => code.searchSessions));
}

function exportCommand(found: Found): Command {
  return new Command("export")
    .description("write a session to one file")
    .argument(SESSION, BY)
    .option("--replayable", "include everything that `quoll replay` needs; credentials are removed")
    .option("--output <file>", "the file to write, or - for stdout (default: named after the session, here)")
    .action(actions(found, () => import("../replay/export-session.ts"))((code) => code.exportSession));
}

/** `quoll backups …`. */
export function backupsCommand(found: Found): Command {
  const run = actions(found, () => import("./backups-command.ts"));
  const list = withFolderOptions(new Command("list"))
    .description("list the backups and checkpoints of this project, newest first")
    .action(run((code) => code.listBackups));
  const show = withFolderOptions(new Command("show"))
    .description("show what a backup holds, and the commands that restore it without Quoll")
    .argument("<id>", "its id, or the beginning of it")
    .action(run((code) => code.showBackup));
  const restore = withFolderOptions(new Command("restore"))
    .description("bring back the files of a backup or checkpoint; files that changed since stay")
    .argument("<id>", "its id, or the beginning of it")
    .option("--dry-run", "only say what would change")
    .option("--overwrite", "replace files that changed since, too")
    .action(run((code) => code.restoreBackup));
  const redo = withFolderOptions(new Command("redo"))
    .description("take the last restore of a backup back")
    .action(run((code) => code.redoRestore));
  const command = new Command("backups").description("backups before destructive commands, and checkpoints");
  command.helpCommand(false);
  for (const one of [list, show, restore, redo]) command.addCommand(one);
  return command;
}

function withFolderOptions(command: Command): Command {
  return command.option("--json", "as JSON").option("-C, --cwd <folder>", "the project of this folder");
}
