import { readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { sha256 } from "../../../platform/digest.ts";
import type { Environment } from "../../../platform/env.ts";
import { findRepository, isTop, type Repository } from "../../../platform/git/repository.ts";
import { ignoresCase, isInside } from "../../../platform/paths.ts";
import { makePrivateFolder, replaceUnflushed } from "../../../platform/private-file.ts";
import { escaped, ignoreLines } from "./ignore-lines.ts";
import { type RootLimits, RootTree } from "./root-tree.ts";
import type { ShadowGit } from "./shadow-git.ts";
import type { Trees } from "./trees.ts";

export type RootDeps = {
  /** The folder of the project's checkpoints: absolute. */
  readonly folder: string;
  readonly sessionId: string;
  /** The person's home folder: absolute, without links. */
  readonly home: string;
  readonly environment: Environment;
  /** Absolute path of git. */
  readonly git: string;
  readonly shadow: ShadowGit;
  readonly trees: Trees;
  readonly limits: RootLimits;
  /** Folders that are never stored: Quoll's own. Absolute. */
  readonly leftOut: readonly string[];
};

/** Where a root is: its work tree, its path in it, and the repository that the person has there. */
type Located = {
  readonly top: string;
  readonly prefix: string;
  readonly repository: Repository | undefined;
};

/** True for a folder that is too wide to be kept as a whole: home, `/` and what lies between them. */
export function isTooWide(root: string, home: string): boolean {
  return isInside(root, home);
}

/** The same for every spelling of a root. */
export function locate(root: string, home: string): Located {
  const repository = findRepository(root);
  // Ignore rules of a repository around the whole home folder are about other things.
  const isOwn = repository && !repository.isBare && !isTooWide(repository.top, home);
  const top = isOwn ? repository.top : root;
  return { top, prefix: relative(top, root), repository: isOwn ? repository : undefined };
}

export function keyOf({ top, prefix }: Pick<Located, "top" | "prefix">): string {
  return `${top}\0${prefix}`;
}

/** Opens a root: writes its ignore rules and finds the newest index of an earlier session. @throws {Error} a system error. */
export async function openRoot(located: Located, deps: RootDeps, signal: AbortSignal): Promise<RootTree> {
  const { folder, sessionId, git, environment, shadow, trees, limits, leftOut } = deps;
  const { top, prefix, repository } = located;
  const name = sha256(keyOf(located)).slice(0, 16);
  const indexes = join(folder, "index");
  const own = join(indexes, sessionId);
  makePrivateFolder(own);
  const excludes = join(own, `${name}.ignore`);
  const rules = await ignoreLines({ git, environment, repository }, signal);
  const ours = leftOut
    .filter((one) => one !== top && isInside(top, one))
    .map((one) => `/${escaped(relative(top, one))}`);
  replaceUnflushed(excludes, `${[...rules, ...ours].join("\n")}\n`);
  const earlierIndex = newest(indexes, name);
  const index = join(own, name);
  // Otherwise a file under a new letter case would count as another file, and a rewind would delete it.
  const folding: ShadowGit = (run) => shadow({ ...run, args: ["-c", "core.ignoreCase=true", ...run.args] });
  const rest = { trees, index, earlierIndex, excludes, limits };
  return new RootTree({ top, prefix, git: ignoresCase(top) ? folding : shadow, ...rest });
}

/** The newest index of a root, of any session. */
function newest(indexes: string, name: string): string | undefined {
  const found = readdirSync(indexes).flatMap((session) => {
    const path = join(indexes, session, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isFile() ? [{ path, modifiedMs: stats.mtimeMs }] : [];
  });
  return found.sort((a, b) => b.modifiedMs - a.modifiedMs)[0]?.path;
}

/** A repository inside a root, as a root of its own; undefined if it is none any more. */
export function locateNested(path: string): Located | undefined {
  if (!isTop(path)) return undefined;
  const repository = findRepository(path);
  return { top: path, prefix: "", repository: repository?.top === path ? repository : undefined };
}
