import { resolve } from "node:path";
import { openApp } from "../../app/open-app.ts";
import { openProjectEnvironment } from "../../app/session/project-environment.ts";
import { openWorktrees } from "../../app/worktree/open-worktrees.ts";
import { startHooks } from "../../app/worktree/start-hooks.ts";
import { type Directories, shortPath } from "../../platform/directories.ts";
import { host, printProblem } from "../../platform/host.ts";
import { printLine } from "../../platform/standard-output.ts";
import type { ListedWorktree } from "../../services/worktree/held-worktree.ts";
import { lossIn } from "../../services/worktree/io/work-left.ts";

type FolderOptions = { readonly cwd?: string };

/** `quoll worktree list`. */
export function listWorktrees({ json, cwd }: FolderOptions & { json?: boolean }, version: string): Promise<number> {
  return inRepository({ cwd, version }, async (worktrees, { home }) => {
    const listed = await worktrees.list(new AbortController().signal);
    if (json) printLine(JSON.stringify(listed.map(asJson), null, 2));
    else if (listed.length === 0) printLine("Quoll has made no worktree of this repository.");
    else for (const one of listed) printLine(lineOf(one, home));
    return 0;
  });
}

/** `quoll worktree remove`. @returns 1 if the worktree stays. */
export function removeWorktree(
  name: string,
  { discard = false, cwd }: FolderOptions & { discard?: boolean },
  version: string,
): Promise<number> {
  return inRepository({ cwd, version }, async (worktrees) => {
    const removal = await worktrees.remove(name, discard, new AbortController().signal);
    if (removal.isRemoved) return 0;
    printProblem(
      `The worktree ${name} stays: ${removal.why}. To lose that work: quoll worktree remove --discard ${name}`,
    );
    return 1;
  });
}

type Worktrees = ReturnType<typeof openWorktrees>["worktrees"];

async function inRepository(
  { cwd = ".", version }: { readonly cwd: string | undefined; readonly version: string },
  run: (worktrees: Worktrees, own: Directories) => Promise<number>,
): Promise<number> {
  await using app = openApp({ version });
  const environment = await openProjectEnvironment(app, { cwd: resolve(host().cwd, cwd) });
  const hooks = startHooks(app, environment, printProblem);
  try {
    return await run(openWorktrees(environment, hooks.fire).worktrees, app.own);
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
