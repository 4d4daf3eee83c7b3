import { Command } from "commander";

type Shared = { readonly json: boolean; readonly cwd?: string };

/** A `quoll backups` command. A backup is given by its id or the beginning of it. */
export type BackupsAction = Shared &
  (
    | { readonly what: "list" }
    | { readonly what: "show"; readonly id: string }
    | { readonly what: "restore"; readonly id: string; readonly isDryRun: boolean; readonly overwrites: boolean }
    | { readonly what: "redo" }
  );

export type BackupsInvocation = { readonly kind: "backups"; readonly action: BackupsAction };

type Options = { readonly json?: true; readonly cwd?: string };
type RestoreOptions = Options & { readonly dryRun?: boolean; readonly overwrite?: boolean };

const BY = "its id, or the beginning of it";

/** `quoll backups …`. */
export function backupsCommand(found: (asked: BackupsInvocation) => void): Command {
  const ask = (action: BackupsAction) => found({ kind: "backups", action });
  const list = withPlace(new Command("list"))
    .description("list the backups and checkpoints of this project, newest first")
    .action((options: Options) => ask({ what: "list", ...sharedOf(options) }));
  const show = withPlace(new Command("show"))
    .description("show what a backup holds, and the commands that restore it without Quoll")
    .argument("<id>", BY)
    .action((id: string, options: Options) => ask({ what: "show", id, ...sharedOf(options) }));
  const restore = withPlace(new Command("restore"))
    .description("bring back the files of a backup or checkpoint; files that changed since stay")
    .argument("<id>", BY)
    .option("--dry-run", "only say what would change")
    .option("--overwrite", "replace files that changed since, too")
    .action((id: string, { dryRun = false, overwrite = false, ...options }: RestoreOptions) =>
      ask({ what: "restore", id, isDryRun: dryRun, overwrites: overwrite, ...sharedOf(options) }),
    );
  const redo = withPlace(new Command("redo"))
    .description("take the last restore of a backup back")
    .action((options: Options) => ask({ what: "redo", ...sharedOf(options) }));
  const command = new Command("backups").description("backups before destructive commands, and checkpoints");
  command.helpCommand(false);
  for (const one of [list, show, restore, redo]) command.addCommand(one);
  return command;
}

function withPlace(command: Command): Command {
  return command.option("--json", "as JSON").option("-C, --cwd <folder>", "the project of this folder");
}

function sharedOf({ json = false, cwd }: { readonly json?: boolean; readonly cwd?: string }): Shared {
  return { json, ...(cwd !== undefined && { cwd }) };
}
