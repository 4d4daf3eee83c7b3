import { join } from "node:path";
import { findGit } from "../../../src/platform/git/find-git.ts";
import { findRepository } from "../../../src/platform/git/repository.ts";
import { type WorktreePorts, Worktrees } from "../../../src/services/worktree/worktrees.ts";
import { makeRepository, WITHOUT_UPKEEP } from "../../support/git-repository.ts";
import { tempProject } from "../../support/temp-project.ts";

const IDENTITY = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b.c",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b.c",
};

export const never = new AbortController().signal;

/** A repository with one commit, and the worktrees that Quoll makes of it. */
export async function worktreePlace(files: Readonly<Record<string, string>> = { "a.txt": "A\n" }) {
  const project = await tempProject(files);
  const home = await tempProject();
  const environment = { PATH: process.env["PATH"] ?? "", HOME: home.dir };
  const git = (cwd: string, ...args: readonly string[]) => {
    const ended = Bun.spawnSync(["git", ...WITHOUT_UPKEEP, ...args], { cwd, env: { ...environment, ...IDENTITY } });
    if (ended.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${ended.stderr}`);
    return ended.stdout.toString().trim();
  };
  makeRepository(project.dir);
  git(project.dir, "add", "-A");
  git(project.dir, "commit", "-q", "-m", "one");
  const worktrees = (
    more: WorktreePorts & { readonly sparse?: readonly string[]; readonly isTrusted?: boolean } = {},
  ) => {
    const repository = findRepository(project.dir);
    const program = findGit(environment, [project.dir]);
    if (!repository || program === undefined) throw new Error("There is no repository.");
    const { isTrusted = true, ...ports } = more;
    return new Worktrees({
      ...{ repository, git: { program, environment, isTrusted } },
      ...{ origin: project.dir, records: join(home.dir, "records"), folder: join(home.dir, "trees") },
      ...ports,
    });
  };
  return {
    project,
    home,
    git,
    environment,
    worktrees,
    path: (name: string) => join(home.dir, "trees", name),
    branches: () => git(project.dir, "branch", "--format=%(refname:short)").split("\n"),
    [Symbol.asyncDispose]: async () => {
      await project[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}
