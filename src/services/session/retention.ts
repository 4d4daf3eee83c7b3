/** The facts that decide whether Quoll may delete a session on its own. */
export type KeptSession = {
  /** Milliseconds since the epoch of the last change. */
  readonly modifiedAt: number;
  /** The size of the log and the output. */
  readonly bytes: number;
  readonly isOpen?: boolean | undefined;
  readonly isPinned?: boolean | undefined;
  readonly isArchived?: boolean | undefined;
};

export type Retention = {
  /** Sessions that were not changed for longer are deleted. */
  readonly keepDays: number;
  /** The oldest sessions are deleted until all take no more than this. */
  readonly maxBytes: number;
};

export type Outdated<Session> = { readonly session: Session; readonly why: "age" | "size" };

const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * The sessions to delete, oldest first. A session that is open, pinned or archived is never among them, but counts in
 * the size.
 * @param now Milliseconds since the epoch.
 */
export function outdatedSessions<Session extends KeptSession>(
  all: readonly Session[],
  { keepDays, maxBytes }: Retention,
  now: number,
): readonly Outdated<Session>[] {
  const oldest = now - keepDays * DAY_MS;
  let left = all.reduce((sum, { bytes }) => sum + bytes, 0);
  const found: Outdated<Session>[] = [];
  for (const session of all.toSorted((a, b) => a.modifiedAt - b.modifiedAt)) {
    if (keptBecause(session) !== undefined) continue;
    const isOld = session.modifiedAt < oldest;
    if (!isOld && left <= maxBytes) break;
    left -= session.bytes;
    found.push({ session, why: isOld ? "age" : "size" });
  }
  return found;
}

/** The reason why a session is kept, as a word for the person; undefined if it may be deleted. */
export function keptBecause({
  isOpen,
  isPinned,
  isArchived,
}: Pick<KeptSession, "isOpen" | "isPinned" | "isArchived">): "open" | "pinned" | "archived" | undefined {
  return isOpen ? "open" : isPinned ? "pinned" : isArchived ? "archived" : undefined;
}
