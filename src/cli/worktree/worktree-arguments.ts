import { Command } from "commander";
import type { Found } from "../invocation.ts";

type FolderOptions = { readonly cwd?: string };

/** `quoll worktree …`. */
export function worktreeCommand(found: Found): Command {
  const list = new Command("list")
    .description("list the worktrees that Quoll made of this repository, with the work in them")
    .option("--json", "as JSON")
    .option("-C, --cwd <folder>", "the repository of this folder")
    .action(({ json = false, cwd }: FolderOptions & { json?: boolean }) =>
      found(async (version) => (await import("./worktree-command.ts")).listWorktrees(json, { cwd, version })),
    );
  const remove = new Command("remove")
    .description("remove a worktree and its branch; refused if changes or commits would be lost")
    .argument("<name>")
    .option("--discard", "remove the worktree even if work in it is lost")
    .option("-C, --cwd <folder>", "the repository of this folder")
    .action((name: string, { discard = false, cwd }: FolderOptions & { discard?: boolean }) =>
      found(async (version) => (await import("./worktree-command.ts")).removeWorktree(name, discard, { cwd, version })),
    );
  return new Command("worktree")
    .description("the worktrees in which sessions and agents work (quoll -w)")
    .helpCommand(false)
    .addCommand(list)
    .addCommand(remove);
}
