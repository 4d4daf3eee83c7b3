import { join, resolve } from "node:path";
import { realPathOrSelf } from "../../platform/paths.ts";
import { kindAt } from "../../platform/processes/output-file.ts";
import { readSmallFile } from "../../platform/read-small-file.ts";
import { watchLink } from "../../platform/sandbox/link-watch.ts";
import { listFolderSync } from "../../platform/sandbox/list-folder-sync.ts";
import type { MountPoint } from "../../platform/sandbox/mount-points.ts";

const MAX_CONFIG_BYTES = 1024 * 1024;
const MAX_MODULE_DEPTH = 4;
/** In this many submodules and worktrees of one repository the settings are looked for. */
const MAX_INNER = 50;

export type GitPlaces = {
  /** To stay as they are; links followed. */
  readonly kept: readonly string[];
  /** Folders of which nothing is of use. */
  readonly idle: readonly string[];
  /** What has to exist so that it can be kept as it is. */
  readonly missing: readonly MountPoint[];
  /** Of those to be kept, the ones that are links. */
  readonly links: readonly string[];
};

/** Whether something is there by itself, and not because a mount point was made. */
export type Exists = (path: string) => boolean;

const SWITCHES = ["hooks", "config", "config.worktree", "commondir", "gitdir"];

/**
 * Which files of a repository's data make git run something or look elsewhere for its settings (gitrepository-layout(5),
 * githooks(5), git-config(1)): they stay as they are. Objects, refs, index and logs may change.
 * @param gitFolder The repository's data: `.git`, or what a `.git` file names. Absolute, without links.
 * @param workTree What relative paths in the settings are relative to.
 */
export function gitPlaces(gitFolder: string, workTree: string, exists: Exists): GitPlaces {
  const hooks = join(gitFolder, "hooks");
  const config = join(gitFolder, "config");
  // Without it, a command could make one that sends git to settings of its own. "." means: here.
  const commonFolder = { path: join(gitFolder, "commondir"), kind: "file", content: ".\n" } as const;
  const needed: readonly MountPoint[] = [{ path: hooks, kind: "folder" }, { path: config, kind: "file" }, commonFolder];
  const switches = [gitFolder, ...innerGitFolders(gitFolder)].flatMap((at) => SWITCHES.map((name) => join(at, name)));
  const named = pathsInConfig(config).flatMap((path) => [resolve(workTree, path), resolve(gitFolder, path)]);
  const there = [...switches, ...named].filter((path) => exists(path) && kindAt(path) !== undefined);
  // Cheaper than a read-only mount, and samples do nothing.
  const idle = there.filter((path) => path === hooks && hasSamplesOnly(hooks));
  return {
    kept: there.filter((path) => !idle.includes(path)).map(realPathOrSelf),
    idle,
    missing: needed.filter(({ path }) => !exists(path)),
    links: there.filter((path) => watchLink(path) !== undefined),
  };
}

function hasSamplesOnly(folder: string): boolean {
  return kindAt(folder) === "folder" && realPathOrSelf(folder) === folder && isAllSamples(listFolderSync(folder));
}

function isAllSamples(entries: readonly { readonly name: string }[]): boolean {
  return entries.every(({ name }) => name.endsWith(".sample"));
}

/** The data of submodules and of further worktrees. */
function innerGitFolders(gitFolder: string): readonly string[] {
  const found = foldersIn(join(gitFolder, "worktrees"));
  const look = (folder: string, depth: number) => {
    for (const inner of foldersIn(folder)) {
      if (found.length >= MAX_INNER || depth > MAX_MODULE_DEPTH) return;
      if (kindAt(join(inner, "HEAD")) === "file") {
        found.push(inner);
        look(join(inner, "modules"), depth + 1);
      } else look(inner, depth + 1);
    }
  };
  look(join(gitFolder, "modules"), 1);
  return found;
}

function foldersIn(folder: string): string[] {
  return listFolderSync(folder)
    .filter(({ kind }) => kind === "folder")
    .slice(0, MAX_INNER)
    .map(({ name }) => join(folder, name));
}

/** Paths that a repository's settings run programs from, or read more settings from. */
function pathsInConfig(file: string): readonly string[] {
  const text = readSmallFile(file, MAX_CONFIG_BYTES) ?? "";
  return [
    ...text.matchAll(/^[^#;\n]*?\b(?:hookspath|path|fsmonitor|excludesfile|attributesfile)\s*=\s*"?([^"\n#;]+)/gim),
  ]
    .map(([, value = ""]) => value.trim())
    .filter((value) => value !== "" && !value.startsWith("~") && value !== "true" && value !== "false");
}

export type GitIgnoring = {
  /** Where a repository's own list of ignored files lies; it may be missing. */
  readonly excludeFile: string;
  readonly workTree: string;
};

/** The repository around a folder, and where the list of files lies that it is not to see. */
export function ignoringOf(
  folder: string,
  gitFolderOf: (workTree: string) => string | undefined,
): GitIgnoring | undefined {
  for (let at = folder; ; at = resolve(at, "..")) {
    const data = gitFolderOf(at);
    if (data !== undefined) return { excludeFile: join(data, "info", "exclude"), workTree: at };
    if (at === resolve(at, "..")) return undefined;
  }
}
