import { resolve } from "node:path";
import { openApp } from "../../app/open-app.ts";
import { openProjectEnvironment } from "../../app/session/project-environment.ts";
import { openWorktrees } from "../../app/worktree/open-worktrees.ts";
import { startHooks } from "../../app/worktree/start-hooks.ts";
import { shortPath } from "../../platform/directories.ts";
import { host, printError } from "../../platform/host.ts";
import { printLine } from "../../platform/standard-output.ts";
import type { ListedWorktree } from "../../services/worktree/held-worktree.ts";
import { lossIn } from "../../services/worktree/io/work-left.ts";
import type { WorktreeAction } from "./worktree-arguments.ts";

/** `quoll worktree list` and `remove`. @returns the exit code: 1 if a worktree stays. */
export async function runWorktreeCommand(action: WorktreeAction, version: string): Promise<number> {
  await using app = openApp({ version });
  const cwd = resolve(host().cwd, action.cwd ?? ".");
  const place = await openProjectEnvironment(app, { cwd }, { startupWarning: () => undefined });
  const hooks = startHooks(app, place, (line) => printError(`quoll: ${line}`));
  const { signal } = new AbortController();
  try {
    const { worktrees } = openWorktrees(place, hooks.fire);
    if (action.what === "remove") {
      const removal = await worktrees.remove(action.name, action.discards, signal);
      if (removal.isRemoved) return 0;
      printError(
        `quoll: The worktree ${action.name} stays: ${removal.why}. To lose that work: quoll worktree remove --discard ${action.name}`,
      );
      return 1;
    }
    const listed = await worktrees.list(signal);
    if (action.json) printLine(JSON.stringify(listed.map(asJson), null, 2));
    else if (listed.length === 0) printLine("Quoll has made no worktree of this repository.");
    else for (const one of listed) printLine(lineOf(one, app.own.home));
    return 0;
  } finally {
    await hooks.close();
  }
}

function lineOf({ record, left, isInUse }: ListedWorktree, home: string): string {
  const { name, path, branch } = record;
  const state = [...(isInUse ? ["in use"] : []), lossIn(left) ?? "nothing to lose"].join(", ");
  return `${name}  ${shortPath(path, home)}${branch === undefined ? "" : `  ${branch}`}  (${state})`;
}

function asJson({ record, left, isInUse }: ListedWorktree) {
  const { name, path, branch, base, createdAt } = record;
  const { files, commits, unknown } = left;
  return { name, path, branch, base, createdAt, isInUse, files, commits, unknown };
}
