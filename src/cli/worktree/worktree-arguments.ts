import { Command } from "commander";
import { actions } from "../command-action.ts";
import type { Found } from "../invocation.ts";

/** `quoll worktree …`. */
export function worktreeCommand(found: Found): Command {
  const run = actions(found, () => import("./worktree-command.ts"));
  const list = new Command("list")
    .description("list the worktrees that Quoll made of this repository, with the work in them")
    .option("--json", "as JSON")
    .option("-C, --cwd <folder>", "the repository of this folder")
    .action(run((code) => code.listWorktrees));
  const remove = new Command("remove")
    .description("remove a worktree and its branch; refused if changes or commits would be lost")
    .argument("<name>")
    .option("--discard", "remove the worktree even if work in it is lost")
    .option("-C, --cwd <folder>", "the repository of this folder")
    .action(run((code) => code.removeWorktree));
  return new Command("worktree")
    .description("the worktrees in which sessions and agents work (quoll -w)")
    .helpCommand(false)
    .addCommand(list)
    .addCommand(remove);
}
