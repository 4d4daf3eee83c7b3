import { ToolFailedError } from "../../contracts/errors.ts";
import type { Clock, DestructiveGuard, WayBack } from "../../contracts/ports.ts";
import type { Hazard } from "../../contracts/subject.ts";
import type { Environment } from "../../platform/env.ts";
import { KEEP_LIMITS, type KeepLimits } from "../../platform/git-backup/keep-budget.ts";
import { NotKeepableError } from "../../platform/git-backup/not-keepable.ts";
import { host } from "../../platform/host.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import { type Concern, concernsOf } from "./concerns.ts";
import { makeWayBack } from "./make-way-back.ts";
import { type Survey, type SurveyPlace, survey } from "./survey.ts";

export type GuardDeps = {
  /** The folder of this project's backups (`<data>/backups/<project id>`); made with the first one. */
  readonly backups: string;
  readonly clock: Clock;
  readonly environment: Environment;
  /** Absolute, links resolved: a git in it is not used. */
  readonly projectRoot: string;
  /** 10,000 files and 200 MB when left out. */
  readonly limits?: KeepLimits;
};

/**
 * Keeps a way back from what destroys: a commit beside every branch for what git tracks or could track, copies for all else,
 * references for what git's own commands would lose. Work trees, indexes, stashes and settings stay as they are, and nothing
 * that a repository configures is run. See docs/guide/safety-net.md.
 */
export function createDestructiveGuard(deps: GuardDeps): DestructiveGuard {
  const place: SurveyPlace = {
    environment: deps.environment,
    projectRoot: deps.projectRoot,
    backups: realPathOrSelf(deps.backups),
    limits: deps.limits ?? KEEP_LIMITS,
  };
  return { assess: (hazards, signal) => assess(hazards, { deps, place, signal }) };
}

type Assessing = { readonly deps: GuardDeps; readonly place: SurveyPlace; readonly signal: AbortSignal };

async function assess(hazards: readonly Hazard[], { deps, place, signal }: Assessing): Promise<WayBack | undefined> {
  const found = concernsOf(hazards);
  if ("impossible" in found) return { kind: "impossible", why: found.impossible };
  const { concerns } = found;
  if (concerns.length === 0) return undefined;
  try {
    if (isEmpty(await survey(concerns, place, signal))) return undefined;
  } catch (error) {
    if (error instanceof NotKeepableError) return { kind: "impossible", why: error.message };
    throw error;
  }
  const why = [...new Set(hazards.map(({ text }) => text))];
  return { kind: "possible", make: (making) => keepNow(concerns, why, { deps, place, signal: making }) };
}

/** Looks again: a person may have taken their time to answer. */
async function keepNow(
  concerns: readonly Concern[],
  why: readonly string[],
  { deps, place, signal }: Assessing,
): Promise<readonly string[]> {
  try {
    const found = await survey(concerns, place, signal);
    if (isEmpty(found)) return [];
    const { backups, limits } = place;
    const isRoot = host().uid === 0;
    return await makeWayBack(found, why, { backups, now: deps.clock.now(), maxBytes: limits.maxBytes, isRoot }, signal);
  } catch (error) {
    if (error instanceof NotKeepableError) throw new ToolFailedError(`${error.message}.`, { cause: error });
    throw error;
  }
}

function isEmpty({ commits, copies, references, rights }: Survey): boolean {
  return commits.length + copies.length + references.length + rights.length === 0;
}
