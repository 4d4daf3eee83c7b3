import { basename, join, relative } from "node:path";
import { oneLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import type { BackupLog, BackupPart } from "../../contracts/backup.ts";
import { randomHex } from "../../platform/digest.ts";
import { shellQuoted } from "../../platform/shell-quoted.ts";
import { commitLine, needsNameFile, referencesLine, shownNames } from "./backup-lines.ts";
import { makeBackupCommit } from "./io/backup-commit.ts";
import { type BackupFolder, backupId, newBackupFolder, trimBackupFolders } from "./io/backup-folder.ts";
import { MANIFEST } from "./io/backup-manifest.ts";
import { BACKUP_REFS, backUpReferences } from "./io/backup-references.ts";
import { copyEntry } from "./io/copy-entry.ts";
import type { Git } from "./io/run-git.ts";
import { removeBackup, trimReferences } from "./io/trim-references.ts";
import type { BackupPlan, CopyPlan } from "./plan-backup.ts";
import type { CommitPlan } from "./plan-work-tree.ts";

const SCRIPT = "restore.sh";
const MAX_REASON_COLUMNS = 200;
const MS_A_SECOND = 1_000;

export type BackupTarget = {
  /** The folder of a project's backups: absolute. */
  readonly backups: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Greatest size of a file in a commit, in bytes. */
  readonly maxBytes: number;
  readonly isRoot: boolean;
  /** The index of the project's backups. */
  readonly log?: BackupLog | undefined;
};

/**
 * Backs up the planned data completely, or nothing when a step fails.
 * @param why The effects of the command, in words for people.
 * @returns one line per backup that ends with the restore command; for references one line per kind of restore.
 * @throws {ToolFailedError} a backup failed; the abort reason when `signal` aborts.
 */
export async function makeBackup(
  found: BackupPlan,
  why: readonly string[],
  place: BackupTarget,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const id = backupId(place.now);
  const reason = oneLine(why.join("; "), MAX_REASON_COLUMNS);
  const ref = `${BACKUP_REFS}${id}`;
  const touched: Git[] = [];
  let folder: BackupFolder | undefined;
  const lines: string[] = [];
  try {
    const hasCopies = found.copies.length + found.rights.length > 0;
    if (hasCopies || found.commits.some(({ names, gone }) => needsNameFile(names) || needsNameFile(gone)))
      folder = newBackupFolder(place.backups, id);
    if (folder && hasCopies) lines.push(await fillFolder(folder, found, { reason, place, signal }));
    for (const plan of found.commits) {
      touched.push(plan.git);
      const message = commitMessage(reason, plan);
      const time = Math.floor(place.now / MS_A_SECOND);
      const { files, deleted } = plan;
      const name = commitRef(found, plan, ref);
      await makeBackupCommit(plan.git, { ref: name, message, files, deleted, time, maxBytes: place.maxBytes, signal });
      lines.push(commitLine(plan, name, (names) => writeNames(folder, names)));
    }
    for (const plan of found.references) {
      touched.push(plan.git);
      await backUpReferences(plan.git, plan.found, { root: ref, signal });
      lines.push(referencesLine(reason, plan, ref));
    }
    signal.throwIfAborted();
    folder?.finish();
  } catch (error) {
    folder?.discard();
    for (const git of touched) await removeBackup(git, id);
    throw error;
  }
  const parts = partsOf(found, ref, folder);
  // The backup is complete; what the index does not name is found in its place.
  await place.log?.add([{ id, time: place.now, cause: reason, parts, lines }]).catch(() => undefined);
  trimBackupFolders(place.backups, place.now);
  for (const git of new Set(touched)) await trimReferences(git, place.now, signal);
  return lines;
}

/** If references of the repository are backed up too, the name of the backup is their folder. */
function commitRef({ references }: BackupPlan, { git }: CommitPlan, ref: string): string {
  const { commonFolder } = git.repository;
  return references.some((other) => other.git.repository.commonFolder === commonFolder) ? `${ref}/work-tree` : ref;
}

function partsOf(found: BackupPlan, ref: string, folder: BackupFolder | undefined): readonly BackupPart[] {
  const { commits, copies, rights, references } = found;
  const paths = copies.flatMap(({ restores }) => restores);
  const hasCopies = copies.length + rights.length > 0;
  return [
    ...(folder && hasCopies ? [{ kind: "folder", folder: folder.path, paths, rights: rights.length } as const] : []),
    ...commits.map((plan): BackupPart => {
      const { top, commonFolder: repository } = plan.git.repository;
      const { names, gone } = plan;
      return { kind: "commit", top, repository, ref: commitRef(found, plan, ref), names, gone };
    }),
    ...references.map((plan): BackupPart => {
      const { top, commonFolder: repository } = plan.git.repository;
      return { kind: "references", top, repository, root: ref, count: plan.found.references.length };
    }),
  ];
}

type Filling = { readonly reason: string; readonly place: BackupTarget; readonly signal: AbortSignal };

async function fillFolder(folder: BackupFolder, { copies, rights }: BackupPlan, filling: Filling): Promise<string> {
  const { reason, place, signal } = filling;
  const kept: Kept[] = [];
  let files = 0;
  for (const [index, plan] of copies.entries()) {
    const copy = join("files", String(index + 1), basename(plan.root));
    files += await copyPlan(plan, join(folder.unfinished, copy), signal);
    kept.push(...plan.restores.map((path) => ({ path, copy: join(copy, relative(plan.root, path)) })));
  }
  const noted = rights.map(({ path, mode, owner, group }) => ({ path, mode, owner, group }));
  const manifest = {
    version: 1,
    madeAt: new Date(place.now).toISOString(),
    before: reason,
    files: kept,
    rights: noted,
  };
  folder.write(MANIFEST, `${JSON.stringify(manifest, undefined, 2)}\n`);
  folder.write(SCRIPT, restoreScript(kept, noted, place.isRoot));
  const what = [
    ...(copies.length > 0
      ? [`${shownNames(copies.flatMap(({ restores }) => restores))} (${plural(files, "file")})`]
      : []),
    ...(rights.length > 0 ? [`modes and owners of ${plural(rights.length, "path")}`] : []),
  ];
  return `Backed up ${what.join(", ")}. Undo: sh ${shellQuoted(join(folder.path, SCRIPT))}`;
}

/** @returns the final path of a new file with the names, each ended by NUL. */
function writeNames(folder: BackupFolder | undefined, names: readonly string[]): string {
  if (!folder) throw new Error("There is no folder for the names of a backup.");
  const name = `names-${randomHex(3)}`;
  folder.write(name, names.map((one) => `${one}\0`).join(""));
  return join(folder.path, name);
}

/** @returns how many files and links were copied. */
async function copyPlan({ root, entries }: CopyPlan, to: string, signal: AbortSignal): Promise<number> {
  let files = 0;
  for (const entry of entries) {
    signal.throwIfAborted();
    const inside = relative(root, entry.path);
    const isCopied = await copyEntry(entry, inside === "" ? to : join(to, inside));
    if (isCopied && entry.kind !== "folder") files += 1;
  }
  return files;
}

/** The second line is the work tree, so that the backup is understood without the index. */
function commitMessage(reason: string, { git, names }: CommitPlan): string {
  const { top, gitFolder, commonFolder } = git.repository;
  const linked = gitFolder === commonFolder ? "" : " (a linked work tree)";
  const place = top.includes("\n") ? "" : `In ${top}${linked}\n`;
  return `Kept before: ${reason}\n${place}\n${names.join("\n")}\n`;
}

/** One copied path, or one path with recorded permissions. */
type Kept = {
  /** Original path: absolute. */
  readonly path: string;
  /** Path of the copy, relative to the backup folder. */
  readonly copy: string;
};

type Rights = { readonly path: string; readonly mode: number; readonly owner: number; readonly group: number };

/** A shell script that restores everything to its original path. Overwrites existing files, deletes nothing. */
function restoreScript(kept: readonly Kept[], rights: readonly Rights[], isRoot: boolean): string {
  return [
    "#!/bin/sh",
    "# Restores a backup that Quoll made before a destructive command.",
    "set -eu",
    'here=$(cd -- "$(dirname -- "$0")" && pwd -P)',
    ...kept.flatMap(copyLines),
    ...rights.flatMap((entry) => rightLines(entry, isRoot)),
    "",
  ].join("\n");
}

function copyLines({ path, copy }: Kept): readonly string[] {
  const parent = shellQuoted(path.slice(0, path.lastIndexOf("/")) || "/");
  return [`mkdir -p -- ${parent}`, `cp -a -- "$here"/${shellQuoted(copy)} ${parent}/`];
}

/** A folder precedes its content, because it must be accessible first. */
function rightLines({ path, mode, owner, group }: Rights, isRoot: boolean): readonly string[] {
  const name = shellQuoted(path);
  // A change of owner clears set-id bits, so the mode is set last.
  return [
    ...(isRoot ? [`chown -- ${owner}:${group} ${name} || true`] : []),
    `chmod -- ${mode.toString(8).padStart(4, "0")} ${name} || true`,
  ];
}
