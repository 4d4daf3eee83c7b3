import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Backup, DestructiveGuard } from "../../../src/contracts/ports.ts";
import type { Hazard } from "../../../src/contracts/subject.ts";
import { BackupIndex } from "../../../src/services/checkpoint/io/backup-index.ts";
import { createDestructiveGuard } from "../../../src/services/guard/destructive-guard.ts";
import type { BackupLimits } from "../../../src/services/guard/io/backup-budget.ts";
import { backupReader } from "../../../src/services/guard/read-backups.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { makeRepository, WITHOUT_UPKEEP } from "../../support/git-repository.ts";
import { tempProject } from "../../support/temp-project.ts";

export const GIT_ENV = {
  PATH: process.env["PATH"] ?? "",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@localhost",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@localhost",
};
const never = new AbortController().signal;

/** Runs the real git as a user would. */
export function git(folder: string, ...args: readonly string[]): string {
  return execFileSync("git", [...WITHOUT_UPKEEP, ...args], {
    cwd: folder,
    env: GIT_ENV,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
}

/** Runs the command that a line of the guard names, as a person would. */
export function runShell(command: string, cwd = "/"): string {
  return execFileSync("sh", ["-c", command], {
    cwd,
    env: GIT_ENV,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** A project with a guard over it, its backups and a temporary home outside of it. */
export async function guardedPlace(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  options: {
    readonly limits?: BackupLimits;
    readonly environment?: Record<string, string>;
    readonly temporary?: readonly string[];
    readonly isOwnFile?: (path: string) => boolean;
    /** False: backups are made as by a version without an index. */
    readonly hasIndex?: boolean;
  } = {},
) {
  const project = await tempProject(files);
  const data = realpathSync(mkdtempSync(join(tmpdir(), "quoll-data-")));
  const backups = join(data, "backups", "p");
  const checkpoints = join(data, "checkpoints", "p");
  const index = new BackupIndex(checkpoints);
  const environment = { ...GIT_ENV, ...options.environment };
  const clock = fakeClock();
  const guardWith = (log: BackupIndex | undefined): DestructiveGuard =>
    createDestructiveGuard({
      backups,
      clock,
      environment,
      projectRoot: project.dir,
      ...(log && { log }),
      ...(options.limits && { limits: options.limits }),
      ...(options.temporary && { temporary: options.temporary }),
      ...(options.isOwnFile && { isOwnFile: options.isOwnFile }),
    });
  const guard = guardWith(options.hasIndex === false ? undefined : index);
  const hazard = (kind: Hazard["kind"], names: readonly string[], text = [kind, ...names].join(" ")): Hazard => ({
    kind,
    text,
    paths: names.map((name) => resolve(project.dir, name)),
    folder: project.dir,
  });
  const assess = (kind: Hazard["kind"], ...names: readonly string[]) => guard.assess([hazard(kind, names)], never);
  return {
    ...project,
    backups,
    checkpoints,
    index,
    reader: backupReader({ backups, projectRoot: project.dir, environment }),
    clock,
    guard,
    guardWith,
    hazard,
    assess,
    git: (...args: readonly string[]) => git(project.dir, ...args),
    /** Makes a repository of the project, with everything that it holds committed. */
    commitAll: () => {
      makeRepository(project.dir);
      git(project.dir, "add", "--all");
      git(project.dir, "commit", "--quiet", "--allow-empty", "--message=first");
    },
    keep: async (kind: Hazard["kind"], ...names: readonly string[]) => made(await assess(kind, ...names)),
    /** The folders of copies, oldest first. */
    copies: () =>
      exists(backups)
        ? readdirSync(backups)
            .sort()
            .map((name) => join(backups, name))
        : [],
    refs: () => git(project.dir, "for-each-ref", "--format=%(refname)", "refs/quoll").split("\n").filter(Boolean),
    [Symbol.asyncDispose]: async () => {
      await project[Symbol.asyncDispose]();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** The lines of a way back that can be made. */
export async function made(backup: Backup | undefined, signal = never): Promise<readonly string[]> {
  if (backup?.kind !== "possible") throw new Error(`No way back: ${JSON.stringify(backup)}`);
  return backup.make(signal);
}

/** The restore command in a line. */
export function commandIn(line: string | undefined): string {
  return / Undo: (.+)$/.exec(line ?? "")?.[1] ?? "false";
}

/** Every name under a folder with what it holds; git's own data left out unless wanted. */
export function treeOf(folder: string, withGit = false): Record<string, string> {
  const tree: Record<string, string> = {};
  const walk = (at: string, prefix: string) => {
    for (const name of readdirSync(at).sort()) {
      if (name === ".git" && !withGit) continue;
      const path = join(at, name);
      const stats = lstatSync(path);
      if (stats.isSymbolicLink()) tree[prefix + name] = `-> ${readlinkSync(path)}`;
      else if (stats.isDirectory()) walk(path, `${prefix}${name}/`);
      else if (stats.isFile())
        tree[prefix + name] = `${(stats.mode & 0o777).toString(8)} ${digest(readFileSync(path))}`;
      else tree[prefix + name] = "special";
    }
  };
  walk(folder, "");
  return tree;
}

/** The state that a backup must not change: work tree with times, index, references, stash, configuration, records. */
export function untouched(folder: string): Record<string, string> {
  const state: Record<string, string> = {};
  const note = (path: string) => {
    for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
      const name = join(path, entry.name);
      // A backup may only add to these.
      if (name === ".git/objects" || name === ".git/refs/quoll") continue;
      const stats = lstatSync(join(folder, name), { bigint: true });
      if (entry.isDirectory()) note(name);
      else
        state[name] =
          `${stats.mode} ${stats.mtimeNs} ${stats.size} ${entry.isFile() ? digest(readFileSync(join(folder, name))) : ""}`;
    }
  };
  note("");
  return state;
}

function digest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 16);
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
