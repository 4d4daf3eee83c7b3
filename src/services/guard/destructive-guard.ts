import { ToolFailedError } from "../../contracts/errors.ts";
import type { Clock, DestructiveGuard, WayBack } from "../../contracts/ports.ts";
import type { Hazard } from "../../contracts/subject.ts";
import type { Environment } from "../../platform/env.ts";
import { KEEP_LIMITS, type KeepLimits } from "../../platform/git-backup/keep-budget.ts";
import { NotKeepableError } from "../../platform/git-backup/not-keepable.ts";
import { host } from "../../platform/host.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import { concernsOf, isUnforeseen, unforeseenConcerns } from "./concerns.ts";
import { makeWayBack, oneLine } from "./make-way-back.ts";
import { type Survey, type SurveyPlace, survey } from "./survey.ts";

export type GuardDeps = {
  /** The folder of this project's backups (`<data>/backups/<project id>`); made with the first one. */
  readonly backups: string;
  readonly clock: Clock;
  readonly environment: Environment;
  /** Absolute, links resolved: a git in it is not used. */
  readonly projectRoot: string;
  /** Folders for temporary files, absolute, links resolved. */
  readonly temporary?: readonly string[];
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
    temporary: deps.temporary ?? [],
  };
  return { assess: (hazards, signal) => assess(hazards, { deps, place, signal }) };
}

type Assessing = { readonly deps: GuardDeps; readonly place: SurveyPlace; readonly signal: AbortSignal };

async function assess(hazards: readonly Hazard[], assessing: Assessing): Promise<WayBack | undefined> {
  try {
    const { found, gaps } = await look(hazards, assessing);
    if (isEmpty(found) && gaps.length === 0) return undefined;
  } catch (error) {
    if (error instanceof NotKeepableError) return { kind: "impossible", why: error.message };
    throw error;
  }
  return { kind: "possible", make: (making) => keepNow(hazards, { ...assessing, signal: making }) };
}

/** Looks again: a person may have taken their time to answer. */
async function keepNow(hazards: readonly Hazard[], assessing: Assessing): Promise<readonly string[]> {
  const { deps, place, signal } = assessing;
  try {
    const { found, gaps } = await look(hazards, assessing);
    if (isEmpty(found)) return gaps;
    const why = [...new Set(hazards.map(({ text }) => text))];
    const { backups, limits } = place;
    const isRoot = host().uid === 0;
    const making = { backups, now: deps.clock.now(), maxBytes: limits.maxBytes, isRoot };
    return [...(await makeWayBack(found, why, making, signal)), ...gaps];
  } catch (error) {
    if (error instanceof NotKeepableError) throw new ToolFailedError(`${error.message}.`, { cause: error });
    throw error;
  }
}

/** What is kept, and what isn't though it may be lost: one line for people each. */
type Look = { readonly found: Survey; readonly gaps: readonly string[] };

/**
 * Of what nobody can foresee as much is kept as can be: with what git ignores, without it, nothing.
 * @throws {NotKeepableError} what is sure to be destroyed can't be kept.
 */
async function look(hazards: readonly Hazard[], { place, signal }: Assessing): Promise<Look> {
  const firm = concernsOf(hazards.filter((hazard) => !isUnforeseen(hazard)));
  if ("impossible" in firm) throw new NotKeepableError(firm.impossible);
  const unforeseen = hazards.filter(isUnforeseen);
  if (unforeseen.length === 0) return { found: await survey(firm.concerns, place, signal), gaps: [] };
  let gap = "";
  for (const withIgnored of [true, false]) {
    const more = unforeseenConcerns(unforeseen, withIgnored);
    if ("impossible" in more) {
      gap = more.impossible;
      break;
    }
    try {
      const found = await survey([...firm.concerns, ...more.concerns], place, signal);
      return { found, gaps: withIgnored ? [] : [`What git ignores was not kept: ${gap}.`] };
    } catch (error) {
      if (!(error instanceof NotKeepableError)) throw error;
      gap = error.message;
    }
  }
  const what = [...new Set(unforeseen.map(({ text }) => text))].join("; ");
  return {
    found: await survey(firm.concerns, place, signal),
    gaps: [`No way back was made (${oneLine(what)}): ${gap}.`],
  };
}

function isEmpty({ commits, copies, references, rights }: Survey): boolean {
  return commits.length + copies.length + references.length + rights.length === 0;
}
