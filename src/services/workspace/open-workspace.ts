import { dirname, join, resolve } from "node:path";
import { errorCode, errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { Workspace } from "../../contracts/ports.ts";
import { sha256 } from "../../platform/digest.ts";
import { isEmpty } from "../../platform/files/list-folder.ts";
import { entryExists, isInside, outerGitFolders, realFolder, realPathOrSelf } from "../../platform/paths.ts";

const HASH_CHARS = 10;
const MAX_SLUG_CHARS = 40;

const PROJECT_MARKS = [".quoll", ".git"] as const;

export type StartFolders = {
  /** The given starting folder, absolute. */
  readonly cwd: string;
  /** `$HOME`, absolute. */
  readonly home: string;
};

export type Project = {
  /** Absolute, symlinks resolved. */
  readonly cwd: string;
  readonly root: string;
  /** The folder that the person trusts or not: `root`, or for a worktree of Quoll the project that it was made from. */
  readonly trustRoot: string;
  readonly id: string;
  /** Folders outside `root` with git's data for the repository (worktrees, submodules). */
  readonly gitFolders: readonly string[];
};

/**
 * Finds the project of a folder: the nearest parent with a non-empty `.quoll` or `.git`, never `$HOME` or above,
 * else the folder.
 * @throws {UserFacingError} (exit 2) the folder is missing or unreadable.
 */
export function findProject({ cwd, home }: StartFolders): Project {
  const start = openFolder(cwd);
  const realHome = realPathOrSelf(home);
  let root = start;
  for (let at = start; !isInside(at, realHome); at = dirname(at)) {
    if (PROJECT_MARKS.some((mark) => marksProject(join(at, mark)))) {
      root = at;
      break;
    }
    if (dirname(at) === at) break;
  }
  return { cwd: start, root, trustRoot: root, id: projectId(root), gitFolders: outerGitFolders(root) };
}

/** An empty marker does not count: a command could create one in a subfolder, and the rules above would no longer apply there. */
export function marksProject(path: string): boolean {
  return entryExists(path) && !isEmpty(path);
}

/**
 * Opens the folders of a session.
 * @param addDirs Absolute, or relative to `cwd`.
 * @throws {UserFacingError} (exit 2) a folder is missing or unreadable.
 */
export function openWorkspace({
  cwd,
  home,
  addDirs,
}: StartFolders & { readonly addDirs: readonly string[] }): Workspace {
  const project = findProject({ cwd, home });
  const realHome = realPathOrSelf(home);
  const added = addDirs.map((folder) => openFolder(resolve(cwd, folder), OF_SETTINGS));
  const roots = [...new Set([project.cwd, ...added])];
  const contains = (path: string) => roots.some((root) => isInside(root, path));
  let current = project.cwd;
  return {
    roots,
    projectRoot: project.root,
    get isBroad() {
      return roots.some((root) => isInside(root, realHome));
    },
    get cwd() {
      return current;
    },
    moveTo: (path) => {
      if (!contains(path)) return false;
      current = path;
      return true;
    },
    contains,
    add: (folder) => {
      const path = openFolder(resolve(current, folder));
      const isNew = !contains(path);
      if (isNew) roots.push(path);
      return { path, isNew };
    },
  };
}

/** The places that can name a further folder: the person has to find the one that is wrong. */
const OF_SETTINGS =
  " (named by --add-dir, or by permissions.additionalDirectories: `quoll config list` shows its file)";

function openFolder(path: string, from = ""): string {
  try {
    return realFolder(path);
  } catch (error) {
    throw new UserFacingError(`The folder ${path}${from} ${problem(error)}.`, 2, { cause: error });
  }
}

function problem(error: unknown): string {
  switch (errorCode(error)) {
    case "ENOENT":
      return "does not exist: check the name, or create it first";
    case "ENOTDIR":
      return "is not a folder";
    case "EACCES":
    case "EPERM":
      return "cannot be read: you have no permission to list and enter it";
    default:
      return `cannot be opened: ${errorMessage(error)}`;
  }
}

/**
 * A stable, readable file name for a project: the last two parts of its real path and a short hash of the whole path.
 * `/home/ann/code/My App` → `code-my-app-3f2a…`.
 */
export function projectId(realRoot: string): string {
  const slug = realRoot
    .split("/")
    .filter((part) => part !== "")
    .slice(-2)
    .join("-")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(-MAX_SLUG_CHARS)
    .replace(/^-+|-+$/g, "");
  const hash = sha256(realRoot).slice(0, HASH_CHARS);
  return `${slug || "root"}-${hash}`;
}
