import { join } from "node:path";
import { oneLine } from "@quoll/terminal-text/one-line";
import type { BackupReader, BackupRecord, SavedState } from "../../../contracts/backup.ts";
import { UserFacingError } from "../../../contracts/errors.ts";
import type { Directories } from "../../../platform/directories.ts";
import type { Environment } from "../../../platform/env.ts";
import { realPathOrSelf } from "../../../platform/paths.ts";
import { shellQuoted } from "../../../platform/shell-quoted.ts";
import { BackupIndex } from "../../../services/checkpoint/io/backup-index.ts";
import { knownBackups } from "../../../services/checkpoint/io/known-backups.ts";
import { type SavedPoint, savedPoints } from "../../../services/checkpoint/io/saved-points.ts";
import { backupReader } from "../../../services/guard/read-backups.ts";
import type { Project } from "../../../services/workspace/open-workspace.ts";

const MAX_CAUSE_COLUMNS = 200;
const CONTROL = /\p{Cc}/u;
/** A shorter beginning of an id names nothing. */
const MIN_ID_CHARS = 4;

export type BackupsEnvironment = {
  readonly own: Directories;
  readonly project: Pick<Project, "root" | "id">;
  readonly env: Environment;
};

/** The backups and checkpoints of a project, whatever session made them. */
export type ProjectBackups = {
  /** The folder of the project's checkpoints: absolute. */
  readonly folder: string;
  readonly reader: BackupReader;
  /** Newest first. @throws {Error} a system error, or the abort reason if `signal` aborts. */
  list(signal: AbortSignal): Promise<readonly SavedState[]>;
};

export function projectBackups({ own, project, env }: BackupsEnvironment): ProjectBackups {
  const data = realPathOrSelf(own.data);
  const folder = join(data, "checkpoints", project.id);
  const reader = backupReader({
    backups: join(data, "backups", project.id),
    projectRoot: project.root,
    environment: env,
  });
  return {
    folder,
    reader,
    list: async (signal) => {
      const backups = await knownBackups(new BackupIndex(folder), reader, signal);
      const states = [...backups.map(stateOfBackup), ...savedPoints(folder).map(stateOfPoint)];
      return states.sort((a, b) => b.time - a.time);
    },
  };
}

/**
 * The state with an id, or with the beginning of one.
 * @throws {UserFacingError} there is none, or there are several.
 */
export function stateNamed(wanted: string, states: readonly SavedState[]): SavedState {
  const exact = states.find(({ id }) => id === wanted);
  const found = exact ? [exact] : states.filter(({ id }) => wanted.length >= MIN_ID_CHARS && id.startsWith(wanted));
  const [first, ...others] = found;
  if (!first) throw new UserFacingError(`There is no backup ${wanted}: \`quoll backups list\` lists them.`);
  if (others.length > 0) throw new UserFacingError(`Several backups begin with ${wanted}: give more of the id.`);
  return first;
}

function stateOfBackup(record: BackupRecord): SavedState {
  const { id, time, cause, parts } = record;
  const paths = parts.flatMap((part) => {
    if (part.kind === "folder") return part.paths;
    return part.kind === "commit" ? [...part.names, ...part.gone].map((name) => join(part.top, name)) : [];
  });
  return { kind: "backup", id, time, cause: oneLine(cause, MAX_CAUSE_COLUMNS), paths, record };
}

function stateOfPoint({ sessionId, messageId, time, commands, paths }: SavedPoint): SavedState {
  const cause = oneLine(commands.join("; "), MAX_CAUSE_COLUMNS);
  return { kind: "checkpoint", id: messageId, time, cause, paths, sessionId };
}

/** The commands that bring a backup back without Quoll: as they were printed, else those that its places need. */
export function manualLines({ lines, parts }: BackupRecord): readonly string[] {
  if (lines.length > 0) return lines;
  return parts.map((part) => {
    if (part.kind === "folder") return `sh ${shellQuoted(join(part.folder, "restore.sh"))}`;
    const git = `git -C ${shellQuoted(part.top)}`;
    if (part.kind === "references") return `${git} for-each-ref ${part.root}`;
    // Names of a repository that comes from elsewhere must not reach the terminal as they are.
    if (part.names.some((name) => CONTROL.test(name))) return `${git} ls-tree -r ${part.ref}`;
    return `${git} --literal-pathspecs restore --overlay --source=${part.ref} -- ${part.names.map(shellQuoted).join(" ")}`;
  });
}
