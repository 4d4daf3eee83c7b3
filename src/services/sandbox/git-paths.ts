import { dirname, isAbsolute, join, resolve } from "node:path";
import { kindAt } from "../../platform/files/kind-at.ts";
import { listFolderSync } from "../../platform/files/list-folder.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import { readSmallFile } from "../../platform/read-small-file.ts";
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

/** True if a path exists and is not just a mount point made by Quoll. */
export type Exists = (path: string) => boolean;

export type GitFolder = {
  /** The repository's data folder: `.git`, or the folder that a `.git` file names. Absolute, without links. */
  readonly gitFolder: string;
  /** Base folder of relative paths in git's settings. */
  readonly workTree: string;
  readonly homes: readonly string[];
  readonly exists: Exists;
  /** True if git searches the work tree for submodules. */
  readonly hasSubmodules: boolean;
};

const MAX_CONFIG_BYTES = 1024 * 1024;
/** The maximum number of names read from one file, so that a crafted repository can't cause thousands of mounts. */
const MAX_NAMED = 100;
/** The maximum number of settings files that a repository may include, directly or indirectly. */
const MAX_FILES = 20;

/** Settings that name a file or folder that git runs or reads settings from (git-config(1)). */
const NAMING = /^[^#;\n]*?\b(hookspath|path|fsmonitor|excludesfile|attributesfile)[ \t]*=[ \t]*"?([^"\n#;]+)/gim;
const NO_PATH = /^(?:true|false|yes|no|on|off|0|1)$/i;
/** Settings of the user and of the machine; a relative path in them applies in every repository. */
const OF_HOME = [".gitconfig", ".config/git/config"];
const OF_MACHINE = "/etc/gitconfig";

export type NamedPaths = {
  /** All named paths, existing or not. */
  readonly existing: readonly string[];
  /** Missing paths that git would run or read settings from as soon as they exist. */
  readonly missing: readonly MountPoint[];
  /** True if git reads `config.worktree`. */
  readonly hasWorktreeSettings: boolean;
};

type Named = { readonly key: string; readonly value: string };

/** The paths named in a repository's settings and their includes. */
export function namedInSettings({
  gitFolder,
  workTree,
  homes,
}: Pick<GitFolder, "gitFolder" | "workTree" | "homes">): NamedPaths {
  const existing: string[] = [];
  const missing: MountPoint[] = [];
  const take = ({ key, value }: Named, file: string): string | undefined => {
    const included = expand(value, dirname(file), homes);
    const other = expand(value, workTree, homes);
    if (included === undefined || other === undefined) return undefined;
    existing.push(included, other);
    if (key === "path") missing.push({ path: included, kind: "file" });
    if (key === "hookspath") missing.push({ path: other, kind: "folder" });
    if (key === "fsmonitor" && value.includes("/")) missing.push({ path: other, kind: "file" });
    return key === "path" ? included : undefined;
  };
  const own = join(gitFolder, "config");
  const left = [own, join(gitFolder, "config.worktree")];
  for (let count = 0; count < MAX_FILES; count += 1) {
    const file = left.shift();
    if (file === undefined) break;
    const more = namings(file).map((named) => take(named, file));
    left.push(...more.filter((path) => path !== undefined && !left.includes(path)).map(String));
  }
  for (const file of [OF_MACHINE, ...homes.flatMap((home) => OF_HOME.map((name) => join(home, name)))])
    for (const named of namings(file))
      if (named.key !== "path" && !isAbsolute(named.value) && !named.value.startsWith("~")) take(named, file);
  return { existing, missing, hasWorktreeSettings: /\bworktreeconfig\b/i.test(textOf(own)) };
}

function namings(file: string): readonly Named[] {
  return [...textOf(file).matchAll(NAMING)]
    .map(([, key = "", value = ""]) => ({ key: key.toLowerCase(), value: value.trim() }))
    .filter(({ value }) => value !== "" && !NO_PATH.test(value))
    .slice(0, MAX_NAMED);
}

/** @returns undefined for a path that only git itself can resolve. */
function expand(value: string, base: string, homes: readonly string[]): string | undefined {
  if (value.startsWith("~/")) return homes[0] === undefined ? undefined : join(homes[0], value.slice(2));
  return value.startsWith("~") || value.startsWith("%(") ? undefined : resolve(base, value);
}

function textOf(file: string): string {
  return readSmallFile(file, MAX_CONFIG_BYTES) ?? "";
}
