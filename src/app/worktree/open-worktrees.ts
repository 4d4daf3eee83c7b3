import { join, relative } from "node:path";
import { UserFacingError } from "../../contracts/errors.ts";
import type { FireHook } from "../../contracts/hook.ts";
import { orUndefined } from "../../contracts/or-undefined.ts";
import { findGit } from "../../platform/git/find-git.ts";
import { findRepository, type Repository } from "../../platform/git/repository.ts";
import { isInside, realFolder, realPathOrSelf } from "../../platform/paths.ts";
import { childEnvironment } from "../../platform/processes/child-environment.ts";
import { type Captured, runCaptured } from "../../platform/processes/run-captured.ts";
import { findShell, shellProgram } from "../../platform/processes/shell-program.ts";
import { type WorktreePorts, Worktrees } from "../../services/worktree/worktrees.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import { worktreeFolders } from "./worktree-folders.ts";

const SETUP_MS = 600_000;
const MAX_SETUP_BYTES = 1024 * 1024;
const MAX_TOLD_CHARS = 300;

export type WorktreeEnvironment = Pick<ProjectEnvironment, "env" | "own" | "project" | "settings" | "isTrusted">;

/** The worktrees of the repository that a project belongs to, with the project's settings. */
export type OpenedWorktrees = {
  readonly repository: Repository;
  readonly worktrees: Worktrees;
  /** The folder in a worktree that stands for the project's working folder. */
  folderIn(path: string): string;
};

/**
 * @param fire Asks and notifies hooks about worktrees; if absent, no hook runs.
 * @throws {UserFacingError} the project is not in a repository, or git is missing.
 */
export function openWorktrees(environment: WorktreeEnvironment, fire?: FireHook): OpenedWorktrees {
  const { env, own, project, settings, isTrusted } = environment;
  const repository = findRepository(project.cwd);
  if (!repository || repository.isBare)
    throw new UserFacingError(
      `A worktree needs a git repository, and ${project.cwd} is not in one (git init creates one).`,
    );
  if (isInside(repository.top, realPathOrSelf(own.home)))
    throw new UserFacingError(`${project.cwd} is in the repository of a home folder: worktrees are for projects.`);
  const program = findGit(env, [repository.top]);
  if (program === undefined) throw new UserFacingError("git is not installed: worktrees need it.");
  const { base, sparse, setup } = settings.worktree ?? {};
  const worktrees = new Worktrees({
    repository,
    git: { program, environment: env, isTrusted },
    origin: project.root === repository.top ? project.trustRoot : repository.top,
    ...worktreeFolders(own, repository.commonFolder, settings.worktree),
    ...(base !== undefined && { base }),
    ...(sparse && { sparse }),
    ...(setup !== undefined && { setUp: (path, signal) => setUp(setup, { path, environment, repository }, signal) }),
    ...(fire && hookPorts(fire)),
  });
  const inside = relative(repository.top, project.cwd);
  return {
    repository,
    worktrees,
    folderIn: (path) => {
      const folder = join(path, inside);
      return isInside(path, realPathOrSelf(folder)) ? (orUndefined(() => realFolder(folder)) ?? path) : path;
    },
  };
}

/** Asks and notifies hooks about worktrees. */
function hookPorts(fire: FireHook): Pick<WorktreePorts, "created" | "removed"> {
  return {
    created: async (name, signal) => {
      const { block, worktreePath } = await fire({ event: "WorktreeCreate", name }, signal);
      if (block) throw new UserFacingError(`A hook refuses the worktree ${name}: ${block.reason}`);
      if (worktreePath === undefined) return {};
      if (!worktreePath.startsWith("/"))
        throw new UserFacingError(`A WorktreeCreate hook returned ${worktreePath}, which is not an absolute path.`);
      try {
        return { path: realFolder(worktreePath) };
      } catch (error) {
        throw new UserFacingError(`A WorktreeCreate hook returned ${worktreePath}, which is not a folder.`, 1, {
          cause: error,
        });
      }
    },
    removed: async (path, signal) => void (await fire({ event: "WorktreeRemove", path }, signal)),
  };
}

type SetUp = { readonly path: string; readonly environment: WorktreeEnvironment; readonly repository: Repository };

/** Runs the set-up command in a new worktree. Its output is not shown unless it fails. */
async function setUp(command: string, { path, environment, repository }: SetUp, signal: AbortSignal): Promise<void> {
  const { env, settings } = environment;
  const isTrusted = (file: string) => !isInside(repository.top, file) && !isInside(path, file);
  const given = { ...env, ...settings.env };
  const ended = await runCaptured(
    {
      ...shellProgram(findShell(given["PATH"] ?? "", isTrusted), command),
      cwd: path,
      env: {
        ...childEnvironment(given, {
          path: given["PATH"] ?? "",
          tag: crypto.randomUUID(),
          pass: settings.passedVariables,
        }),
        QUOLL_PROJECT_DIR: repository.top,
      },
      timeoutMs: SETUP_MS,
      maxBytes: MAX_SETUP_BYTES,
      dropsExcess: true,
    },
    signal,
  );
  if (ended.kind === "ended" && ended.exitCode === 0) return;
  const said = ended.kind === "ended" ? ended.stderr.trim() || ended.stdout.trim() : "";
  const why =
    ended.kind === "timeout"
      ? `it took longer than ${SETUP_MS / 60_000} minutes`
      : said.split("\n").at(-1)?.slice(0, MAX_TOLD_CHARS) || silentEnd(ended);
  throw new UserFacingError(
    `The setup of the worktree failed (worktree.setup: ${command}): ${why.replace(/\.$/, "")}.`,
  );
}

/** Why a set-up failed that printed nothing. */
function silentEnd(ended: Captured): string {
  if (ended.kind === "not-started") return `it could not be started (${ended.reason})`;
  if (ended.kind !== "ended") return "it printed too much";
  const end = ended.exitCode === undefined ? "was ended by a signal" : `ended with exit code ${ended.exitCode}`;
  return `it ${end} and printed nothing`;
}
