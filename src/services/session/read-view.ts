import type { ConversationView, Entry } from "../../contracts/session.ts";
import type { SlicedWork } from "../../platform/sliced-work.ts";
import { pathOf } from "./entry-path.ts";
import type { IndexedEntry, ParseLine } from "./index-session.ts";
import { type LoadLinks, loadEntries, readIndexed } from "./load-entries.ts";
import { type Compacting, isMessage, restoreStart, statesBefore } from "./restore-start.ts";

/** These entries decide what the next prompt takes along. */
const OF_PROMPT: ReadonlySet<string> = new Set(["user", "note", "turn_finished"]);

/**
 * Reads what the conversation of a session file that ends at an entry needs.
 * @returns undefined if the entry is not in the file.
 * @throws {UserFacingError} the file can't be read, or was written in a newer format.
 */
export function readingView(file: string, parse: ParseLine, leafId: string): SlicedWork<ConversationView | undefined> {
  return readIndexed(file, { parse }, function* (index, load) {
    const path = pathOf(index.entries, leafId);
    return path.at(-1)?.id === leafId ? yield* viewOf(path, load, false) : undefined;
  });
}

/**
 * Loads the entries of a path that give the model's messages, and the newest ones for a screen.
 * @param whole The entries of the path, oldest first.
 * @param isWhole True to load all entries.
 */
export function* viewOf(
  whole: readonly IndexedEntry[],
  load: LoadLinks,
  isWhole: boolean,
): SlicedWork<ConversationView> {
  const path = whole.filter(({ isForeign }) => !isForeign);
  const start = isWhole ? 0 : restoreStart(path, yield* compactingOf(path, load));
  const newest = yield* loadEntries(load, path.slice(start));
  const wanted = [...statesBefore(path, start), ...(yield* lastPrompt(path.slice(0, start), newest, load))];
  const before = yield* loadEntries(load, inOrder(wanted));
  const loaded = new Set(wanted);
  const left = path.slice(0, start).filter((entry) => isMessage(entry) && !loaded.has(entry));
  return { entries: [...before, ...newest], earlierIds: left.map(({ messageId = "" }) => messageId) };
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
