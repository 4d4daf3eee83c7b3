import { join, relative, resolve } from "node:path";
import type { BackedUpEntry, BackupPart, BackupPlace, BackupReader, BackupRecord } from "../../contracts/backup.ts";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { Environment } from "../../platform/env.ts";
import { findGit } from "../../platform/git/find-git.ts";
import { findRepository } from "../../platform/git/repository.ts";
import { entryExists } from "../../platform/paths.ts";
import { walkKept } from "./io/backup-entry.ts";
import { timeOfBackup } from "./io/backup-folder.ts";
import { backupFolders, readManifest } from "./io/backup-manifest.ts";
import { hasFolderAmong } from "./io/excluded-names.ts";
import { GITLINK_MODE } from "./io/index-entries.ts";
import { readObjects, repositoryBackups, submoduleFolders } from "./io/repository-backups.ts";
import { type Git, gitOn } from "./io/run-git.ts";

export type BackupReading = {
  /** The folder of the project's backups: absolute. */
  readonly backups: string;
  /** Absolute, links resolved; a git program inside it is never used. */
  readonly projectRoot: string;
  readonly environment: Environment;
};

type Found = { readonly id: string; readonly cause: string; readonly parts: readonly BackupPart[] };

/** Reads the backups of a project where the guard has made them. Runs nothing that a repository configures. */
export function backupReader(reading: BackupReading): BackupReader {
  const program = findGit(reading.environment, [reading.projectRoot]);
  const gitIn = (repository: string): Git | undefined => {
    if (program === undefined || !entryExists(repository)) return undefined;
    // No run needs a work tree, which may be gone.
    const place = { top: repository, gitFolder: repository, commonFolder: repository, isBare: true };
    return gitOn(place, program, reading.environment);
  };
  return {
    find: async (places, signal) => {
      const found: Found[] = [...inFolders(reading.backups)];
      for (const place of await allPlaces(reading.projectRoot, places, gitIn, signal)) {
        const git = gitIn(place.repository);
        // A damaged repository must not hide the others.
        if (git) found.push(...(await repositoryBackups(git, place, signal).catch(() => [])));
        signal.throwIfAborted();
      }
      return joined(found);
    },
    entries: async ({ id, parts }, signal) => {
      const entries: BackedUpEntry[] = [];
      for (const part of parts) {
        if (part.kind === "folder") entries.push(...(await entriesOfFolder(id, part.folder, signal)));
        else if (part.kind === "commit") entries.push(...(await entriesOfCommit(id, part, gitIn, signal)));
      }
      return entries;
    },
    objects: async (repository, oids, signal) => {
      const git = gitIn(repository);
      return git ? readObjects(git, oids, signal) : new Map();
    },
  };
}

type GitIn = (repository: string) => Git | undefined;

async function allPlaces(
  projectRoot: string,
  places: readonly BackupPlace[],
  gitIn: GitIn,
  signal: AbortSignal,
): Promise<readonly BackupPlace[]> {
  const own = findRepository(projectRoot);
  const all = new Map<string, BackupPlace>();
  if (own) {
    all.set(own.commonFolder, { top: own.top, repository: own.commonFolder });
    for (const repository of submoduleFolders(own.commonFolder)) {
      const set = await gitIn(repository)?.ask({ args: ["config", "--get", "core.worktree"], signal });
      const top = resolve(repository, set?.toString("utf8").trim() || ".");
      all.set(repository, { top, repository });
    }
  }
  for (const place of places) if (!all.has(place.repository)) all.set(place.repository, place);
  return [...all.values()];
}

function inFolders(root: string): readonly Found[] {
  return backupFolders(root).flatMap(({ id, folder }) => {
    const manifest = readManifest(folder);
    if (!manifest) return [];
    const paths = manifest.files.map(({ path }) => path);
    return [{ id, cause: manifest.before, parts: [{ kind: "folder", folder, paths, rights: manifest.rights.length }] }];
  });
}

function joined(found: readonly Found[]): readonly BackupRecord[] {
  return [...Map.groupBy(found, ({ id }) => id)]
    .map(([id, same]) => ({
      id,
      time: timeOfBackup(id) ?? 0,
      lines: [],
      cause: same.find(({ cause }) => cause !== "")?.cause ?? "",
      parts: same.flatMap(({ parts }) => parts),
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

async function entriesOfFolder(id: string, folder: string, signal: AbortSignal): Promise<readonly BackedUpEntry[]> {
  const manifest = readManifest(folder);
  if (!manifest) throw new UserFacingError(`The files of the backup ${id} are gone: ${folder} has no manifest.`);
  const entries: BackedUpEntry[] = [];
  for (const { path, copy } of manifest.files) {
    const root = join(folder, copy);
    for await (const entry of walkKept(root, { leaveOut: () => false, signal })) {
      const { kind, mode, size } = entry;
      const at = { path: join(path, relative(root, entry.path)) };
      const from = { copy: entry.path, size };
      if (kind === "folder") entries.push({ ...at, kind, mode });
      else if (kind === "link") entries.push({ ...at, kind, from });
      else entries.push({ ...at, kind, mode, isExecutable: (mode & 0o100) !== 0, from });
    }
  }
  return entries;
}

type CommitPart = Extract<BackupPart, { kind: "commit" }>;

async function entriesOfCommit(
  id: string,
  { top, repository, ref, names, gone }: CommitPart,
  gitIn: GitIn,
  signal: AbortSignal,
): Promise<readonly BackedUpEntry[]> {
  const git = gitIn(repository);
  if (!git)
    throw new UserFacingError(`The backup ${id} can't be read: there is no repository (or no git) in ${repository}.`);
  const args = ["ls-tree", "-r", "-z", "--long", "--full-tree", ref];
  const listed = await git.run({ args, signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new UserFacingError(`The backup ${id} can't be read: ${errorMessage(error)}`, 1, { cause: error });
  });
  const wanted = new Set(names);
  const isWanted = (name: string) => wanted.has(".") || wanted.has(name) || hasFolderAmong(name, wanted);
  const entries = listed
    .toString("utf8")
    .split("\0")
    .flatMap((line): readonly BackedUpEntry[] => {
      // <mode> <type> <object> <size, padded> TAB <name>: git-ls-tree(1)
      const [, mode = "", oid = "", size = "", name = ""] =
        /^(\d+) \w+ ([0-9a-f]+) +(\S+)\t([\s\S]+)$/.exec(line) ?? [];
      if (mode === GITLINK_MODE || !isPlain(name) || !isWanted(name)) return [];
      const from = { repository, oid, size: Number(size) || 0 };
      const path = join(top, name);
      if (mode === "120000") return [{ path, kind: "link", from }];
      return [{ path, kind: "file", mode: undefined, isExecutable: mode === "100755", from }];
    });
  return [...entries, ...gone.map((name): BackedUpEntry => ({ path: join(top, name), kind: "gone" }))];
}

/** A crafted tree may hold names that git itself never writes to a work tree. */
function isPlain(name: string): boolean {
  return !name.split("/").some((part) => part === "" || part === "." || part === ".." || part.toLowerCase() === ".git");
}
