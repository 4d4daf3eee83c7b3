import { UserFacingError } from "../../contracts/errors.ts";
import type { Clock, Ids } from "../../contracts/ports.ts";
import { type Entry, type LabelledLog, makeEntry } from "../../contracts/session.ts";
import { randomIds, systemClock } from "../../platform/clock.ts";
import { pathOf } from "./entry-path.ts";

export type UnsavedSession = {
  readonly sessionId: string;
  /** The entries of the resumed session. */
  readonly entries?: readonly Entry[];
  readonly clock?: Clock;
  readonly ids?: Ids;
};

export type UnsavedSessionLog = LabelledLog & {
  /** The entries since the last `cleared`, of all agents. */
  entries(): readonly Entry[];
};

/** A log that leaves no trace on the disk: it holds its entries in memory, since the last `cleared`. */
export function unsavedSessionLog({
  sessionId,
  entries: earlier = [],
  clock = systemClock,
  ids = randomIds,
}: UnsavedSession): UnsavedSessionLog {
  let entries = [...earlier];
  const pathTo: UnsavedSessionLog["pathTo"] = (entryId, kinds) => {
    const path = pathOf(entries, entryId) as readonly Entry[];
    if (path.length === 0) throw new UserFacingError(`There is no entry ${entryId} to go back to.`);
    return kinds ? path.filter(({ kind }) => kinds.includes(kind)) : path;
  };
  return {
    sessionId,
    append(body, place) {
      const entry = makeEntry(body, place, { id: ids.next(), now: clock.now() });
      if (body.kind === "cleared") entries = [];
      entries.push(entry);
      return entry;
    },
    sync: () => Promise.resolve(),
    name: undefined,
    label: () => {
      throw new UserFacingError("This session is not saved, so it can't have a name.");
    },
    entries: () => entries,
    pathTo,
    viewTo: (entryId) => ({ entries: pathTo(entryId), earlierIds: [] }),
    linksTo: (entryId) => pathTo(entryId),
  };
}
