import { Command } from "commander";

/** A `quoll worktree` command. */
export type WorktreeAction =
  | { readonly what: "list"; readonly json: boolean; readonly cwd?: string }
  | { readonly what: "remove"; readonly name: string; readonly discards: boolean; readonly cwd?: string };

export type WorktreeInvocation = { readonly kind: "worktree"; readonly action: WorktreeAction };

type PlaceOptions = { readonly cwd?: string };

/** `quoll worktree …`. */
export function worktreeCommand(found: (asked: WorktreeInvocation) => void): Command {
  const ask = (action: WorktreeAction) => found({ kind: "worktree", action });
  const list = new Command("list")
    .description("list the worktrees that Quoll made of this repository, with the work in them")
    .option("--json", "as JSON")
    .option("-C, --cwd <folder>", "the repository of this folder")
    .action(({ json = false, ...place }: PlaceOptions & { json?: boolean }) => ask({ what: "list", json, ...place }));
  const remove = new Command("remove")
    .description("remove a worktree and its branch; refused if changes or commits would be lost")
    .argument("<name>")
    .option("--discard", "remove the worktree even if work in it is lost")
    .option("-C, --cwd <folder>", "the repository of this folder")
    .action((name: string, { discard = false, ...place }: PlaceOptions & { discard?: boolean }) =>
      ask({ what: "remove", name, discards: discard, ...place }),
    );
  return new Command("worktree")
    .description("the worktrees in which sessions and agents work (quoll -w)")
    .helpCommand(false)
    .addCommand(list)
    .addCommand(remove);
}
