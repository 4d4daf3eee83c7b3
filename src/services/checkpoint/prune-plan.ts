/** A prompt with a checkpoint. `time`: milliseconds since the epoch. */
export type PrunedPoint = { readonly id: string; readonly time: number };

/** The prompts of one session, oldest first. */
export type PrunedSession = {
  readonly id: string;
  readonly points: readonly PrunedPoint[];
};

export type PruneLimits = {
  /** The most prompts of one session. */
  readonly maxPoints: number;
  readonly keepDays: number;
  /** For checkpoints and backups together. */
  readonly maxBytes: number;
};

const MAX_POINTS = 100;
const KEEP_DAYS = 30;
const MAX_BYTES = 2 * 1024 * 1024 * 1024;

export const PRUNE_LIMITS: PruneLimits = { maxPoints: MAX_POINTS, keepDays: KEEP_DAYS, maxBytes: MAX_BYTES };

/** Everything of a session before the prompt `until` goes; null: all of it. `points`: how many prompts that are. */
export type Drop = { readonly id: string; readonly until: string | null; readonly points: number };

export const MS_A_DAY = 24 * 60 * 60 * 1_000;
/** The part of all prompts that goes at once if the disk limit is exceeded. */
const SHARE = 5;

/** The prompts that are too old, or too many in their session. */
export function outdatedPoints(
  sessions: readonly PrunedSession[],
  { maxPoints, keepDays }: PruneLimits,
  nowMs: number,
): readonly Drop[] {
  const oldestMs = nowMs - keepDays * MS_A_DAY;
  return sessions.flatMap((session) => {
    const old = session.points.findLastIndex(({ time }) => time < oldestMs) + 1;
    return dropOf(session, Math.max(old, session.points.length - maxPoints));
  });
}

/** The oldest prompts of all sessions: a fifth of them, and at least one. */
export function oldestPoints(sessions: readonly PrunedSession[]): readonly Drop[] {
  const times = sessions.flatMap(({ points }) => points.map(({ time }) => time)).sort((a, b) => a - b);
  const limit = times[Math.ceil(times.length / SHARE) - 1];
  if (limit === undefined) return [];
  return sessions.flatMap((session) => dropOf(session, session.points.findLastIndex(({ time }) => time <= limit) + 1));
}

function dropOf({ id, points }: PrunedSession, count: number): readonly Drop[] {
  if (count <= 0) return [];
  return [{ id, until: points[count]?.id ?? null, points: count }];
}
