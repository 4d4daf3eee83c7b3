import { basename, dirname, join } from "node:path";
import { kindAt } from "../../platform/files/kind-at.ts";
import { listFolderSync } from "../../platform/files/list-folder.ts";
import { isInside, realPathOrSelf } from "../../platform/paths.ts";
import { MAX_RULED_PATHS } from "./apply-rules.ts";
import { FolderScan, type FoundEntry } from "./io/folder-scan.ts";
import type { RuleGap } from "./rule-gaps.ts";

/** A program with a network is started seldom and runs for seconds, so this scan may be longer than that of each command. */
const LIMITS = { folders: 20_000, depth: 20 };
/** Public certificates, which programs need to reach the network. */
const PUBLIC = /^(?:cacert|ca-bundle|ca-certificates)\.pem$/i;

export type SecretSearch = {
  /** The workspace's folders; absolute, without links. */
  readonly roots: readonly string[];
  readonly projectRoot: string;
  /** Settings files that stay readable: absolute paths, and names in the workspace. */
  readonly settings: readonly string[];
  /** Paths that the person's settings open (`allowRead`), without links. */
  readonly opened: readonly string[];
  isSecret(path: string): boolean;
};

/** The paths to hide, without links, and the reason if not all could be found. */
export type WorkspaceSecrets = { readonly paths: readonly string[]; readonly gaps: readonly RuleGap[] };

/**
 * The workspace's files and folders that look like secrets by their names, for a program that could send them. Packages
 * and virtual environments are not searched: they contain other people's files.
 */
export function workspaceSecrets(search: SecretSearch): WorkspaceSecrets {
  const { roots, opened } = search;
  const isWanted = (name: string, path: string) => isWantedBy(search, name, path);
  const found: FoundEntry[] = [];
  let isCut = false;
  for (const root of roots) {
    const scan = new FolderScan(root, isWanted, {
      isEntered: (_, path) => !isSecretFolder(search, path),
      ruled: { isNeeded: () => true, makers: ["output"], isWanted },
      limits: LIMITS,
    });
    found.push(...scan.look(), ...scan.ruledEntries);
    isCut ||= scan.isCut || scan.cutFolders.length > 0;
  }
  const paths = [...found.filter((entry) => isHidden(search, entry)).map(({ path }) => path), ...secretsAbove(search)];
  const hidden = [...new Set(paths.map(realPathOrSelf))].filter(
    (path) => kindAt(path) !== undefined && !opened.some((folder) => isInside(folder, path)),
  );
  return { paths: hidden.slice(0, MAX_RULED_PATHS), gaps: gapsOf(isCut, hidden.length) };
}

function isWantedBy({ isSecret, settings }: SecretSearch, name: string, path: string): boolean {
  return isSecret(path) && !settings.includes(name) && !PUBLIC.test(name);
}

/** A folder whose whole content is secret (`.ssh`); a folder that only has the name of a secret file is not. */
function isSecretFolder({ isSecret }: SecretSearch, path: string): boolean {
  return isSecret(join(path, "x"));
}

function isHidden(search: SecretSearch, { path, kind }: FoundEntry): boolean {
  const isFolder = kind === "folder" || (kind === "link" && kindAt(path) === "folder");
  if (isFolder && !isSecretFolder(search, path)) return false;
  return !isInEnvironment(dirname(path), search.roots);
}

/** True inside a Python virtual environment of any name. */
function isInEnvironment(folder: string, roots: readonly string[]): boolean {
  for (let at = folder; roots.some((root) => isInside(root, at)) && !roots.includes(at); at = dirname(at))
    if (kindAt(join(at, "pyvenv.cfg")) !== undefined) return true;
  return false;
}

/** Secrets directly in the folders between the workspace and the top of its project. */
function secretsAbove(search: SecretSearch): readonly string[] {
  const { roots, projectRoot } = search;
  const folders = roots
    .filter((root) => isInside(projectRoot, root))
    .flatMap((root) => foldersAbove(root, projectRoot));
  return [...new Set(folders)].flatMap((folder) =>
    listFolderSync(folder)
      .map(({ name }) => join(folder, name))
      .filter((path) => isWantedBy(search, basename(path), path))
      .filter((path) => kindAt(path) !== "folder" || isSecretFolder(search, path)),
  );
}

function foldersAbove(root: string, top: string): readonly string[] {
  const found: string[] = [];
  for (let at = root; at !== top && at !== dirname(at); ) {
    at = dirname(at);
    found.push(at);
  }
  return found;
}

function gapsOf(isCut: boolean, count: number): readonly RuleGap[] {
  const why = isCut
    ? `the workspace has more than ${LIMITS.folders} folders, or folders deeper than ${LIMITS.depth}, and Quoll does not search them all`
    : count > MAX_RULED_PATHS
      ? `the workspace has ${count} such files, and only ${MAX_RULED_PATHS} can be hidden`
      : undefined;
  return why === undefined
    ? []
    : [{ rule: "that a command with a network can't read the project's secrets", why, isMinor: false }];
}
