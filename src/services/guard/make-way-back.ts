import { basename, dirname, join, relative } from "node:path";
import { plainText } from "@quoll/terminal-text/plain-text";
import { plural } from "@quoll/terminal-text/plural";
import { makeBackupCommit } from "../../platform/git-backup/backup-commit.ts";
import {
  type BackupFolder,
  backupId,
  newBackupFolder,
  trimBackupFolders,
} from "../../platform/git-backup/backup-folder.ts";
import { copyKept } from "../../platform/git-backup/copy-kept.ts";
import { BACKUP_REFS, keepReferences, type References } from "../../platform/git-backup/keep-references.ts";
import type { Git } from "../../platform/git-backup/run-git.ts";
import { removeBackup, trimReferences } from "../../platform/git-backup/trim-references.ts";
import { isInside } from "../../platform/paths.ts";
import { shellQuoted } from "../../platform/shell-quoted.ts";
import { type Kept, restoreScript } from "./restore-script.ts";
import type { CommitPlan, CopyPlan, Survey } from "./survey.ts";

const MANIFEST = "manifest.json";
const SCRIPT = "restore.sh";
const MAX_SHOWN_NAMES = 8;
const MAX_REASON_CHARS = 200;
const MS_A_SECOND = 1_000;

export type BackupPlace = {
  /** The folder of a project's backups: absolute. */
  readonly backups: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Greatest size of a file that a commit takes, in bytes. */
  readonly maxBytes: number;
  readonly isRoot: boolean;
};

/**
 * Keeps what was surveyed: all of it or, when anything fails, nothing.
 * @param why What the command would do, in words for people.
 * @returns one line for each thing kept, with the command that brings it back at its end; of references one line for each way.
 * @throws {ToolFailedError} something could not be kept; the abort reason when `signal` aborts.
 */
export async function makeWayBack(
  found: Survey,
  why: readonly string[],
  place: BackupPlace,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const id = backupId(place.now);
  const reason = oneLine(why.join("; "));
  const ref = `${BACKUP_REFS}${id}`;
  const touched: Git[] = [];
  let folder: BackupFolder | undefined;
  const lines: string[] = [];
  try {
    if (found.copies.length + found.rights.length > 0) {
      folder = newBackupFolder(place.backups, id);
      lines.push(await fillFolder(folder, found, { reason, place, signal }));
    }
    for (const plan of found.commits) {
      touched.push(plan.git);
      const message = commitMessage(reason, plan);
      const time = Math.floor(place.now / MS_A_SECOND);
      const { files, deleted } = plan;
      // The references of this repository stand in a folder of that name.
      const name = hasReferences(found, plan.git) ? `${ref}/work-tree` : ref;
      await makeBackupCommit(plan.git, { ref: name, message, files, deleted, time, maxBytes: place.maxBytes, signal });
      lines.push(commitLine(plan, name));
    }
    for (const { git, found: references } of found.references) {
      touched.push(git);
      await keepReferences(git, references, { root: ref, signal });
      lines.push(referencesLine(reason, git, references, ref));
    }
    signal.throwIfAborted();
    folder?.finish();
  } catch (error) {
    folder?.discard();
    for (const git of touched) await removeBackup(git, id);
    throw error;
  }
  trimBackupFolders(place.backups, place.now);
  for (const git of new Set(touched)) await trimReferences(git, place.now, signal);
  return lines;
}

function hasReferences({ references }: Survey, { repository }: Git): boolean {
  return references.some(({ git }) => git.repository.commonFolder === repository.commonFolder);
}

type Filling = { readonly reason: string; readonly place: BackupPlace; readonly signal: AbortSignal };

async function fillFolder(folder: BackupFolder, { copies, rights }: Survey, filling: Filling): Promise<string> {
  const { reason, place, signal } = filling;
  const kept: Kept[] = [];
  let files = 0;
  for (const [index, plan] of copies.entries()) {
    const copy = join("files", String(index + 1), basename(plan.root));
    files += await copyPlan(plan, join(folder.unfinished, copy), signal);
    kept.push({ path: plan.root, copy });
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
    ...(copies.length > 0 ? [plural(files, "file")] : []),
    ...(rights.length > 0 ? [`modes and owners of ${plural(rights.length, "path")}`] : []),
  ];
  return `Kept: ${what.join(", ")}. Undo: sh ${shellQuoted(join(folder.path, SCRIPT))}`;
}

/** @returns how many files and links were copied. */
async function copyPlan({ root, entries }: CopyPlan, to: string, signal: AbortSignal): Promise<number> {
  let files = 0;
  for (const entry of entries) {
    signal.throwIfAborted();
    const inside = relative(root, entry.path);
    const isCopied = await copyKept(entry, inside === "" ? to : join(to, inside));
    if (isCopied && entry.kind !== "folder") files += 1;
  }
  return files;
}

function commitMessage(reason: string, { names }: CommitPlan): string {
  return `Kept before: ${reason}\n\n${names.join("\n")}\n`;
}

function commitLine({ git, names }: CommitPlan, ref: string): string {
  const { top } = git.repository;
  const shown = names.length > MAX_SHOWN_NAMES ? nearestFolder(names) : names.map(shellQuoted).join(" ");
  const { gitFolder } = git.repository;
  // A submodule's folder may be empty or gone by then.
  const open =
    isInside(top, gitFolder) || !names.includes(".")
      ? `git -C ${shellQuoted(top)}`
      : `mkdir -p ${shellQuoted(top)} && git --git-dir=${shellQuoted(gitFolder)} -C ${shellQuoted(top)} --work-tree=.`;
  return `Kept. Undo: ${open} restore --source=${ref} -- ${shown}`;
}

/** Too many to be named: the folder that holds them all. */
function nearestFolder(names: readonly string[]): string {
  let folder = dirname(names[0] ?? ".");
  while (folder !== "." && !names.every((name) => name.startsWith(`${folder}/`))) folder = dirname(folder);
  return shellQuoted(folder);
}

function referencesLine(reason: string, { repository }: Git, { references }: References, root: string): string {
  const git = `git -C ${shellQuoted(repository.top)}`;
  const has = (folder: string) => references.some(({ name }) => name.startsWith(`${folder}/`));
  const ways = [
    ...(has("heads") ? [{ what: "a branch", command: `branch NAME ${root}/heads/NAME` }] : []),
    ...(has("tags") ? [{ what: "a tag", command: `tag NAME ${root}/tags/NAME` }] : []),
    ...(has("stash") ? [{ what: "a stash", command: `stash apply ${root}/stash/0` }] : []),
  ];
  const kept = `Kept (${reason}): ${plural(references.length, "reference")} under ${root}.`;
  const said = ["To list them", ...ways.map(({ what }) => `to bring back ${what}`)].join(", ");
  return [`${kept} ${said}:`, `${git} for-each-ref ${root}`, ...ways.map(({ command }) => `${git} ${command}`)].join(
    "\n",
  );
}

/** Words of a command, safe to print. */
export function oneLine(text: string): string {
  const plain = plainText(text).replace(/\s+/g, " ").trim();
  return plain.length > MAX_REASON_CHARS ? `${plain.slice(0, MAX_REASON_CHARS)}…` : plain;
}
