import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { BackupPart, BackupPlace } from "../../../contracts/backup.ts";
import { timeOfBackup } from "./backup-folder.ts";
import { BACKUP_REFS } from "./backup-references.ts";
import type { Git } from "./run-git.ts";

const MAX_SUBMODULE_DEPTH = 8;
/** The first line of a commit's message; the paths follow after an empty line. */
const FIRST_LINE = /^Kept before: (.*)$/;

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
    const [, cause = ""] = FIRST_LINE.exec(message?.split("\n", 1)[0] ?? "") ?? [];
    const others = refs.filter((one) => !isCommit(one));
    const ref = `${BACKUP_REFS}${id}${commit?.rest ?? ""}`;
    const parts: BackupPart[] = [
      ...(commit && message !== undefined
        ? [{ kind: "commit", top, repository, ref, names: namesOf(message), gone: [] } as const]
        : []),
      ...(others.length > 0
        ? [{ kind: "references", top, repository, root: `${BACKUP_REFS}${id}`, count: others.length } as const]
        : []),
    ];
    return parts.length > 0 ? [{ id, cause, parts }] : [];
  });
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

/** git-cat-file(1), BATCH OUTPUT. A missing object is left out. */
export async function readObjects(
  git: Git,
  oids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Buffer>> {
  const found = new Map<string, Buffer>();
  if (oids.length === 0) return found;
  const input = `${[...new Set(oids)].join("\n")}\n`;
  const printed = await git.run({ args: ["cat-file", "--batch"], signal, input: (write) => write(input) });
  for (let at = 0; at < printed.length; ) {
    const end = printed.indexOf("\n", at);
    const [oid = "", , size] = printed.toString("latin1", at, end).split(" ");
    at = end + 1;
    if (size === undefined) continue;
    found.set(oid, printed.subarray(at, at + Number(size)));
    at += Number(size) + 1;
  }
  return found;
}

async function messagesOf(git: Git, commits: readonly string[], signal: AbortSignal) {
  const texts = new Map<string, string>();
  for (const [oid, content] of await readObjects(git, commits, signal)) {
    const text = content.toString("utf8");
    texts.set(oid, text.slice(text.indexOf("\n\n") + 2));
  }
  return texts;
}

function namesOf(message: string): readonly string[] {
  return message
    .split("\n")
    .slice(2)
    .filter((name) => name !== "");
}

function isRepository(folder: string): boolean {
  return statSync(join(folder, "HEAD"), { throwIfNoEntry: false })?.isFile() ?? false;
}

function foldersIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
}
