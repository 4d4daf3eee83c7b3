import { join } from "node:path";
import { kindAt } from "../../platform/files/kind-at.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import { watchLink } from "../../platform/sandbox/link-watch.ts";
import { listFolderSync } from "../../platform/sandbox/list-folder-sync.ts";
import type { MountPoint } from "../../platform/sandbox/mount-points.ts";
import type { Exists, GitFolder } from "./git-folder.ts";
import { namedInSettings } from "./git-settings.ts";

const MAX_MODULE_DEPTH = 4;
/** In this many submodules or worktrees of one repository git can work; those of one with more can only be looked at. */
const MAX_OPEN = 8;

export type GitPlaces = {
  /** To stay as they are; links followed. */
  readonly kept: readonly string[];
  /** Folders of which nothing is of use. */
  readonly idle: readonly string[];
  /** Data of submodules, in a folder that is kept: it may change as the repository's own may. */
  readonly open: readonly string[];
  /** What has to exist so that it can be kept as it is. The folder that it lies in may be missing too. */
  readonly missing: readonly MountPoint[];
  /** Of those to be kept, the ones that are links. */
  readonly links: readonly string[];
};

const SWITCHES = ["hooks", "config", "config.worktree", "commondir", "gitdir"];

/**
 * Which files of a repository's data make git run something or look elsewhere for its settings (gitrepository-layout(5),
 * githooks(5), git-config(1)): they stay as they are, whether they exist or not. Objects, refs, index and logs may change.
 */
export function gitPlaces(repository: GitFolder): GitPlaces {
  const { gitFolder, exists, hasSubmodules } = repository;
  const named = namedInSettings(repository);
  const modules = modulesIn(gitFolder);
  const worktrees = foldersIn(join(gitFolder, "worktrees"));
  const inner = worktrees.length > MAX_OPEN ? [] : worktrees;
  const all = [gitFolder, ...modules.open, ...inner];
  const switches = all.flatMap((at) => SWITCHES.map((name) => join(at, name)));
  const there = [...switches, ...named.existing].filter((path) => exists(path) && kindAt(path) !== undefined);
  // Cheaper than a read-only mount, and samples do nothing.
  const idle = there.filter((path) => path.endsWith("/hooks") && hasSamplesOnly(path));
  const needed = [
    ...[gitFolder, ...modules.open].flatMap((at) => switchesThatMayBeMade(at, exists)),
    ...(named.hasWorktreeSettings ? all.map(worktreeSettings) : []),
    ...named.missing,
    ...(hasSubmodules ? [folder(gitFolder, "modules")] : []),
  ];
  return {
    kept: [
      ...there.filter((path) => !idle.includes(path)).map(realPathOrSelf),
      ...modules.kept,
      ...(worktrees.length > MAX_OPEN ? [join(gitFolder, "worktrees")] : []),
    ],
    idle,
    open: modules.open,
    missing: needed.filter(({ path }) => !exists(path)),
    links: there.filter((path) => watchLink(path) !== undefined),
  };
}

function switchesThatMayBeMade(gitFolder: string, exists: Exists): readonly MountPoint[] {
  // A further worktree's: hooks and settings are those of the data that it shares.
  if (exists(join(gitFolder, "commondir"))) return [];
  return [
    folder(gitFolder, "hooks"),
    { path: join(gitFolder, "config"), kind: "file" },
    // Without it, a command could make one that sends git to settings of its own. "." means: here.
    { path: join(gitFolder, "commondir"), kind: "file", content: ".\n" },
  ];
}

function worktreeSettings(gitFolder: string): MountPoint {
  return { path: join(gitFolder, "config.worktree"), kind: "file" };
}

function folder(gitFolder: string, name: string): MountPoint {
  return { path: join(gitFolder, name), kind: "folder" };
}

function hasSamplesOnly(path: string): boolean {
  return kindAt(path) === "folder" && realPathOrSelf(path) === path && isAllSamples(listFolderSync(path));
}

function isAllSamples(entries: readonly { readonly name: string }[]): boolean {
  return entries.every(({ name }) => name.endsWith(".sample"));
}

type Modules = { readonly kept: readonly string[]; readonly open: readonly string[] };

/**
 * The data of submodules. The folders that they lie in are kept: data that a command put there would be taken for that of
 * a submodule when it is set up.
 */
function modulesIn(gitFolder: string): Modules {
  const kept: string[] = [];
  const open: string[] = [];
  const look = (at: string, depth: number) => {
    if (kindAt(at) !== "folder") return;
    kept.push(at);
    for (const inner of repositoriesIn(at, depth)) {
      open.push(inner);
      if (depth < MAX_MODULE_DEPTH) look(join(inner, "modules"), depth + 1);
    }
  };
  const top = join(gitFolder, "modules");
  look(top, 1);
  return open.length > MAX_OPEN ? { kept: [top], open: [] } : { kept, open };
}

/** A submodule's name may have slashes in it. */
function repositoriesIn(at: string, depth: number): readonly string[] {
  return foldersIn(at).flatMap((inner) => {
    if (kindAt(join(inner, "HEAD")) === "file") return [inner];
    return depth < MAX_MODULE_DEPTH ? repositoriesIn(inner, depth + 1) : [];
  });
}

function foldersIn(path: string): string[] {
  return listFolderSync(path)
    .filter(({ kind }) => kind === "folder")
    .map(({ name }) => join(path, name));
}

/** Whether git takes a folder for a repository's data, as its own `is_git_directory` says. */
export function isRepository(gitFolder: string): boolean {
  const has = (name: string) => kindAt(join(gitFolder, name)) !== undefined;
  return has("HEAD") && (has("commondir") || (has("objects") && has("refs")));
}
