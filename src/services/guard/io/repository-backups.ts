import { statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { BackupPart, BackupPlace } from "../../../contracts/backup.ts";
import { listFolderSync } from "../../../platform/files/list-folder.ts";
import { objectsIn } from "../../../platform/git/existing-objects.ts";
import { repositoryAt } from "../../../platform/git/repository.ts";
import { timeOfBackup } from "./backup-folder.ts";
import { BACKUP_REFS } from "./backup-references.ts";
import type { Git } from "./run-git.ts";

const MAX_SUBMODULE_DEPTH = 8;
/** A commit's message: why, (except for older versions) in which work tree, the paths. */
const MESSAGE = /^Kept before: (.*)\n(?:In (.*?)( \(a linked work tree\))?\n)?\n([\s\S]*)$/;

/** A backup in one repository. */
export type RepositoryBackup = { readonly id: string; readonly cause: string; readonly parts: readonly BackupPart[] };

type Reference = { readonly oid: string; readonly name: string; readonly rest: string };

/**
 * The backups in a repository, as far as their commits are there.
 * @throws {ToolFailedError} git failed; the abort reason when `signal` aborts.
 */
export async function repositoryBackups(
  git: Git,
  { top, repository }: BackupPlace,
  signal: AbortSignal,
): Promise<readonly RepositoryBackup[]> {
  const byId = Map.groupBy(await references(git, signal), ({ name }) => name);
  const commits = [...byId.values()].flatMap((refs) => refs.filter(isCommit).map(({ oid }) => oid));
  const messages = await messagesOf(git, commits, signal);
  return [...byId].flatMap(([id, refs]) => {
    const commit = refs.find(isCommit);
    const message = commit && messages.get(commit.oid);
    const [, cause = "", inTop, linked, names = ""] = MESSAGE.exec(message ?? "") ?? [];
    const others = refs.filter((one) => !isCommit(one));
    const ref = `${BACKUP_REFS}${id}${commit?.rest ?? ""}`;
    const of = topOf(inTop, linked !== undefined, { top, repository });
    const parts: BackupPart[] = [];
    if (message !== undefined && of !== undefined)
      parts.push({ kind: "commit", top: of, repository, ref, names: names.split("\n").filter(Boolean), gone: [] });
    // Nobody knows for which work tree the commit is: its reference says where it can be looked at.
    else if (message !== undefined) parts.push({ kind: "references", top, repository, root: ref, count: 1 });
    if (others.length > 0)
      parts.push({ kind: "references", top, repository, root: `${BACKUP_REFS}${id}`, count: others.length });
    return parts.length > 0 ? [{ id, cause, parts }] : [];
  });
}

/**
 * The work tree that a backup is for, if that is certain. A commit's message, like a repository's settings, may come from
 * elsewhere, and must not choose where a restore writes: so the work tree itself has to name the repository.
 */
function topOf(inTop: string | undefined, isLinked: boolean, { top, repository }: BackupPlace): string | undefined {
  if (inTop !== undefined && isAbsolute(inTop) && workTreeOf(inTop, repository)) return inTop;
  const place = workTreeOf(top, repository);
  if (!place || isLinked) return undefined;
  // The main work tree was moved with its repository. An older version did not say which work tree it was.
  const isSure = inTop === undefined ? foldersIn(join(repository, "worktrees")).length === 0 : true;
  return isSure && place.gitFolder === repository ? top : undefined;
}

function workTreeOf(folder: string, repository: string) {
  const found = repositoryAt(folder);
  return found?.commonFolder === repository && found.top === folder ? found : undefined;
}

/** The folders of submodules' repositories, which lie in the outer one's (gitrepository-layout(5), modules). */
export function submoduleFolders(repository: string, depth = 0): readonly string[] {
  if (depth > MAX_SUBMODULE_DEPTH) return [];
  const around = depth === 0 ? join(repository, "modules") : repository;
  return foldersIn(around).flatMap((folder) =>
    isRepository(folder) ? [folder, ...submoduleFolders(folder)] : submoduleFolders(folder, depth + 1),
  );
}

/** `rest`: what follows the id; "" or "/work-tree" for a commit. */
async function references(git: Git, signal: AbortSignal): Promise<readonly Reference[]> {
  const args = ["for-each-ref", "--format=%(objectname) %(refname)", BACKUP_REFS];
  const listed = (await git.run({ args, signal })).toString("utf8").split("\n");
  return listed.flatMap((line) => {
    const [oid = "", ref = ""] = line.split(" ");
    const [name = "", ...rest] = ref.slice(BACKUP_REFS.length).split("/");
    if (timeOfBackup(name) === undefined) return [];
    return [{ oid, name, rest: rest.length > 0 ? `/${rest.join("/")}` : "" }];
  });
}

function isCommit({ rest }: Reference): boolean {
  return rest === "" || rest === "/work-tree";
}

/** The contents of objects by name. A missing object is left out. */
export async function readObjects(
  git: Git,
  oids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Buffer>> {
  if (oids.length === 0) return new Map();
  const input = `${[...new Set(oids)].join("\n")}\n`;
  return objectsIn(await git.run({ args: ["cat-file", "--batch"], signal, input: (write) => write(input) }));
}

async function messagesOf(git: Git, commits: readonly string[], signal: AbortSignal) {
  const texts = new Map<string, string>();
  for (const [oid, content] of await readObjects(git, commits, signal)) {
    const text = content.toString("utf8");
    texts.set(oid, text.slice(text.indexOf("\n\n") + 2));
  }
  return texts;
}

function isRepository(folder: string): boolean {
  return statSync(join(folder, "HEAD"), { throwIfNoEntry: false })?.isFile() ?? false;
}

function foldersIn(folder: string): readonly string[] {
  return listFolderSync(folder).flatMap(({ name, kind }) => (kind === "folder" ? [join(folder, name)] : []));
}
