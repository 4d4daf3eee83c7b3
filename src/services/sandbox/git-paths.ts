import { join } from "node:path";
import { kindAt } from "../../platform/files/kind-at.ts";
import { listFolderSync } from "../../platform/files/list-folder-sync.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import type { Exists, GitFolder } from "./git-folder.ts";
import { namedInSettings } from "./git-settings.ts";
import { watchLink } from "./io/link-watch.ts";
import type { MountPoint } from "./io/mount-record.ts";

const MAX_MODULE_DEPTH = 4;
/**
 * The maximum number of a repository's submodules or worktrees in which git can write; if there are more, all are
 * read-only.
 */
const MAX_OPEN = 8;

export type GitPaths = {
  /** Paths to keep read-only, links resolved. */
  readonly kept: readonly string[];
  /** Folders without useful content, which are hidden. */
  readonly idle: readonly string[];
  /** Data folders of submodules inside a read-only folder: writable like the repository's own data. */
  readonly open: readonly string[];
  /** Paths that must be created so that they can be kept read-only. Their parent may be missing too. */
  readonly missing: readonly MountPoint[];
  /** The paths to keep that are links. */
  readonly links: readonly string[];
};

const SWITCHES = ["hooks", "config", "config.worktree", "commondir", "gitdir"];

/**
 * The files of a repository that make git run programs or read other settings (gitrepository-layout(5), githooks(5),
 * git-config(1)). These files are kept unchanged, whether they exist or not. Objects, refs, index and logs may change.
 */
export function gitPaths(repository: GitFolder): GitPaths {
  const { gitFolder, exists, hasSubmodules } = repository;
  const named = namedInSettings(repository);
  const modules = modulesIn(gitFolder);
  const worktrees = foldersIn(join(gitFolder, "worktrees"));
  const inner = worktrees.length > MAX_OPEN ? [] : worktrees;
  const all = [gitFolder, ...modules.open, ...inner];
  const switches = all.flatMap((at) => SWITCHES.map((name) => join(at, name)));
  const there = [...switches, ...named.existing].filter((path) => exists(path) && kindAt(path) !== undefined);
  // Sample hooks do nothing, so the folder is hidden: that is cheaper than a read-only mount.
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
  // A linked worktree uses the hooks and settings of the shared data folder.
  if (exists(join(gitFolder, "commondir"))) return [];
  return [
    folder(gitFolder, "hooks"),
    { path: join(gitFolder, "config"), kind: "file" },
    // Without this file, a command could create one that points git to other settings. "." means this folder.
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
 * The data folders of submodules. Their parent folders are kept read-only: otherwise a command could plant data that
 * git later uses for a new submodule.
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

/** A submodule's name may contain slashes. */
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

/** True if git treats a folder as a repository's data folder, like its `is_git_directory`. */
export function isRepository(gitFolder: string): boolean {
  const has = (name: string) => kindAt(join(gitFolder, name)) !== undefined;
  return has("HEAD") && (has("commondir") || (has("objects") && has("refs")));
}
