import { join } from "node:path";
import { oneLine } from "@quoll/terminal-text/one-line";
import type { BackupLog } from "../../contracts/backup.ts";
import { ToolFailedError } from "../../contracts/errors.ts";
import type { Backup, Clock, DestructiveGuard } from "../../contracts/ports.ts";
import type { Hazard } from "../../contracts/subject.ts";
import type { Environment } from "../../platform/env.ts";
import { host } from "../../platform/host.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import { dataAtRisk, isOnlyPossible, possibleDataAtRisk } from "./data-at-risk.ts";
import { BACKUP_LIMITS, type BackupLimits } from "./io/backup-budget.ts";
import { CannotBackUpError } from "./io/cannot-back-up.ts";
import { makeBackup } from "./make-backup.ts";
import { type BackupPlan, type BackupScope, planBackup } from "./plan-backup.ts";
import type { CommitPlan } from "./plan-work-tree.ts";

/** A backup that is made within this time needs no second look at the files. */
const FRESH_MS = 150;

export type GuardDeps = {
  /** The folder of this project's backups (`<data>/backups/<project id>`), created with the first backup. */
  readonly backups: string;
  readonly clock: Clock;
  readonly environment: Environment;
  /** The absolute project root, links resolved; a git program inside it is never used. */
  readonly projectRoot: string;
  /** True for a file that the model itself created, and that nobody else changed: its backup is not announced. */
  isOwnFile?(path: string): boolean;
  /** Folders for temporary files, absolute, links resolved. */
  readonly temporary?: readonly string[];
  /** Default: 10,000 files and 200 MB. */
  readonly limits?: BackupLimits;
  /** The index of the project's backups. */
  readonly log?: BackupLog;
};

/**
 * Backs up data before a command destroys it: a commit outside all branches for files that git tracks or could track,
 * copies for other files, references for commits that git commands would lose. Work trees, indexes, stashes and
 * settings stay unchanged, and nothing that a repository configures is run. See docs/guide/safety-net.md.
 */
export function createDestructiveGuard(deps: GuardDeps): DestructiveGuard {
  const place: BackupScope = {
    environment: deps.environment,
    projectRoot: deps.projectRoot,
    backups: realPathOrSelf(deps.backups),
    limits: deps.limits ?? BACKUP_LIMITS,
    temporary: deps.temporary ?? [],
  };
  return { assess: (hazards, signal) => assess(hazards, { deps, place, signal }) };
}

type Assessing = { readonly deps: GuardDeps; readonly place: BackupScope; readonly signal: AbortSignal };

async function assess(hazards: readonly Hazard[], assessing: Assessing): Promise<Backup | undefined> {
  const { clock } = assessing.deps;
  let seen: Look;
  try {
    seen = await look(hazards, assessing);
  } catch (error) {
    if (error instanceof CannotBackUpError)
      return { kind: "impossible", why: error.message, ...(error.hazard && { hazard: error.hazard }) };
    throw error;
  }
  if (isEmpty(seen.found) && seen.gaps.length === 0) return undefined;
  const seenAtMs = clock.monotonicMs();
  // People change files while they think about an answer.
  const isFresh = () => clock.monotonicMs() - seenAtMs <= FRESH_MS;
  const make = (signal: AbortSignal) => keepNow(hazards, isFresh() ? seen : undefined, { ...assessing, signal });
  return { kind: "possible", make };
}

async function keepNow(
  hazards: readonly Hazard[],
  seen: Look | undefined,
  assessing: Assessing,
): Promise<readonly string[]> {
  const { deps, place, signal } = assessing;
  try {
    const { found, gaps } = seen ?? (await look(hazards, assessing));
    if (isEmpty(found)) return gaps;
    const why = [...new Set(hazards.map(({ text }) => text))];
    const { backups, limits } = place;
    const isRoot = host().uid === 0;
    const making = { backups, now: deps.clock.now(), maxBytes: limits.maxBytes, isRoot, log: deps.log };
    const lines = await makeBackup(found, why, making, signal);
    const isOwn = deps.isOwnFile !== undefined && filesOf(found)?.every(deps.isOwnFile) === true;
    return isOwn ? gaps : [...lines, ...gaps];
  } catch (error) {
    if (error instanceof CannotBackUpError) throw new ToolFailedError(`${error.message}.`, { cause: error });
    throw error;
  }
}

/** The backups made, and the data that may be lost without a backup: one line each, for people. */
type Look = { readonly found: BackupPlan; readonly gaps: readonly string[] };

/**
 * For unforeseeable hazards, backs up as much as possible: with ignored files, otherwise without them, otherwise
 * nothing.
 * @throws {CannotBackUpError} data that will certainly be destroyed can't be backed up.
 */
async function look(hazards: readonly Hazard[], { place, signal }: Assessing): Promise<Look> {
  const firm = dataAtRisk(hazards.filter((hazard) => !isOnlyPossible(hazard)));
  if ("impossible" in firm) throw new CannotBackUpError(firm.impossible, firm);
  const unforeseen = hazards.filter(isOnlyPossible);
  if (unforeseen.length === 0) return { found: await planBackup(firm.atRisk, place, signal), gaps: [] };
  let gap = "";
  for (const withIgnored of [true, false]) {
    const more = possibleDataAtRisk(unforeseen, withIgnored);
    if ("impossible" in more) {
      gap = more.impossible;
      break;
    }
    try {
      const found = await planBackup([...firm.atRisk, ...more.atRisk], place, signal);
      return { found, gaps: withIgnored ? [] : [`Ignored files were not backed up: ${gap}.`] };
    } catch (error) {
      if (!(error instanceof CannotBackUpError)) throw error;
      gap = error.message;
    }
  }
  const what = [...new Set(unforeseen.map(({ text }) => text))].join("; ");
  return {
    found: await planBackup(firm.atRisk, place, signal),
    gaps: [`No backup was made (${oneLine(what, 200)}): ${gap}.`],
  };
}

/** All files of a backup; undefined if it holds more than files. */
function filesOf({ commits, copies, references, rights }: BackupPlan): readonly string[] | undefined {
  const isMore = ({ files, deleted, names }: CommitPlan) =>
    files.length === 0 || deleted.length > 0 || names.includes(".");
  if (references.length + rights.length > 0 || commits.some(isMore)) return undefined;
  const changed = commits.flatMap(({ git, files }) => files.map(({ path }) => join(git.repository.top, path)));
  const copied = copies.flatMap(({ entries }) =>
    entries.flatMap(({ kind, path }) => (kind === "folder" ? [] : [path])),
  );
  return [...changed, ...copied];
}

function isEmpty({ commits, copies, references, rights }: BackupPlan): boolean {
  return commits.length + copies.length + references.length + rights.length === 0;
}
