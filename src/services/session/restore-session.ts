import { basename } from "node:path";
import type { Entry, RestoredSession } from "../../contracts/session.ts";
import type { SlicedWork } from "../../platform/sliced-work.ts";
import { parseEntry } from "./entry.ts";
import { pathOf } from "./entry-path.ts";
import type { IndexedEntry, SessionIndex } from "./index-session.ts";
import { type LoadLinks, loadEntries, readIndexed } from "./load-entries.ts";
import { type Compacting, isMessage, restoreStart, statesBefore } from "./restore-start.ts";
import { SESSION_ENDING } from "./session-file.ts";

/** A session to continue, and the problems of its file. */
export type RestoredFromFile = RestoredSession & { readonly warnings: readonly string[] };

/** What a log must know of its file before it continues it. */
export type FileEnd = Pick<SessionIndex, "lastId" | "tornAt" | "lacksNewline" | "name">;

export type Restoring = { readonly restored: RestoredFromFile; readonly end: FileEnd };

/** These entries decide what the next prompt takes along. */
const OF_PROMPT: ReadonlySet<string> = new Set(["user", "note", "turn_finished"]);

/**
 * Reads a session to continue it: the entries after the last `cleared` that give the model's messages and the newest
 * ones for a screen. Changes nothing.
 * @param isWhole True to read all entries after the last `cleared`.
 * @throws {UserFacingError} the file can't be read or was written in a newer format.
 */
export function restoring(file: string, isWhole = false): SlicedWork<Restoring> {
  return readIndexed(file, { parse: parseEntry }, function* (index, load) {
    const { sessionId = basename(file, SESSION_ENDING), startedAt, lastId, warnings } = index;
    const path = pathOf(index.entries, lastId).filter(({ isForeign }) => !isForeign);
    const start = isWhole ? 0 : restoreStart(path, yield* compactingOf(path, load));
    const newest = yield* loadEntries(load, path.slice(start));
    const wanted = [...statesBefore(path, start), ...(yield* lastPrompt(path.slice(0, start), newest, load))];
    const before = yield* loadEntries(load, inOrder(wanted));
    const loaded = new Set(wanted);
    const left = path.slice(0, start).filter((entry) => isMessage(entry) && !loaded.has(entry));
    const restored = {
      sessionId,
      entries: [...before, ...newest],
      earlierIds: left.map(({ messageId = "" }) => messageId),
      lastId,
      ...(startedAt !== undefined && { startedAt }),
      warnings,
    };
    return { restored, end: index };
  });
}

function compactingOf(path: readonly IndexedEntry[], load: LoadLinks): SlicedWork<readonly Compacting[]> {
  const wanted = path.filter(({ kind }) => kind === "compacted" || kind === "uncompacted");
  return loadEntries(load, wanted) as SlicedWork<readonly Compacting[]>;
}

/** The person's last prompt and what followed it, if the newest entries have no prompt of the person. */
function* lastPrompt(
  before: readonly IndexedEntry[],
  newest: readonly Entry[],
  load: LoadLinks,
): SlicedWork<readonly IndexedEntry[]> {
  if (newest.some(isPrompt)) return [];
  for (let at = before.length - 1; at >= 0; at -= 1) {
    const entry = before[at];
    if (entry?.kind !== "user") continue;
    if ((yield* loadEntries(load, [entry])).some(isPrompt))
      return before.slice(at).filter(({ kind }) => OF_PROMPT.has(kind));
  }
  return [];
}

function isPrompt(entry: Entry): boolean {
  return entry.kind === "user" && entry.by === undefined;
}

function inOrder(entries: readonly IndexedEntry[]): readonly IndexedEntry[] {
  return entries.toSorted((a, b) => a.offset - b.offset);
}
