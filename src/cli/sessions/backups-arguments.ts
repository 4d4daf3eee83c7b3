import { Command } from "commander";
import type { Found } from "../invocation.ts";
import type { BackupsOptions, RestoreOptions } from "./backups-command.ts";

const BY = "its id, or the beginning of it";

/** `quoll backups …`. */
export function backupsCommand(found: Found): Command {
  const list = withFolderOptions(new Command("list"))
    .description("list the backups and checkpoints of this project, newest first")
    .action((options: BackupsOptions) =>
      found(async () => (await import("./backups-command.ts")).listBackups(options)),
    );
  const show = withFolderOptions(new Command("show"))
    .description("show what a backup holds, and the commands that restore it without Quoll")
    .argument("<id>", BY)
    .action((id: string, options: BackupsOptions) =>
      found(async () => (await import("./backups-command.ts")).showBackup(id, options)),
    );
  const restore = withFolderOptions(new Command("restore"))
    .description("bring back the files of a backup or checkpoint; files that changed since stay")
    .argument("<id>", BY)
    .option("--dry-run", "only say what would change")
    .option("--overwrite", "replace files that changed since, too")
    .action((id: string, options: RestoreOptions) =>
      found(async (version) => (await import("./backups-command.ts")).restoreBackup(id, options, version)),
    );
  const redo = withFolderOptions(new Command("redo"))
    .description("take the last restore of a backup back")
    .action((options: BackupsOptions) =>
      found(async () => (await import("./backups-command.ts")).redoRestore(options)),
    );
  const command = new Command("backups").description("backups before destructive commands, and checkpoints");
  command.helpCommand(false);
  for (const one of [list, show, restore, redo]) command.addCommand(one);
  return command;
}

function withFolderOptions(command: Command): Command {
  return command.option("--json", "as JSON").option("-C, --cwd <folder>", "the project of this folder");
}
