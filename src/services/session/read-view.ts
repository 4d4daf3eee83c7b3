import type { ConversationView, Entry } from "../../contracts/session.ts";
import { pathOf } from "./entry-path.ts";
import type { IndexedEntry, ParseLine } from "./index-session.ts";
import { type LoadLinks, loadEntries, readIndexed } from "./load-entries.ts";

/** These entries decide what the next prompt takes along. */
const OF_PROMPT: ReadonlySet<string> = new Set(["user", "note", "turn_finished"]);

/**
 * Reads what the conversation of a session file that ends at an entry needs.
 * @returns undefined if the entry is not in the file.
 * @throws {UserFacingError} the file can't be read, or was written in a newer format.
 */
export function readView(file: string, parse: ParseLine, leafId: string): ConversationView | undefined {
  return readIndexed(file, { parse }, (index, load) => {
    const path = pathOf(index.entries, leafId);
    return path.at(-1)?.id === leafId ? viewOf(path, load, false) : undefined;
  });
}

/**
 * Loads the entries of a path that give the model's messages, and the newest ones for a screen.
 * @param whole The entries of the path, oldest first.
 * @param isWhole True to load all entries.
 */
export function viewOf(whole: readonly IndexedEntry[], load: LoadLinks, isWhole: boolean): ConversationView {
  const path = whole.filter(({ isForeign }) => !isForeign);
  const start = isWhole ? 0 : restoreStart(path, compactingOf(path, load));
  const newest = loadEntries(load, path.slice(start));
  const wanted = [...statesBefore(path, start), ...lastPrompt(path.slice(0, start), newest, load)];
  const before = loadEntries(load, inOrder(wanted));
  const loaded = new Set(wanted);
  const left = path.slice(0, start).filter((entry) => isMessage(entry) && !loaded.has(entry));
  return { entries: [...before, ...newest], earlierIds: left.map(({ messageId = "" }) => messageId) };
}

function compactingOf(path: readonly IndexedEntry[], load: LoadLinks): readonly Compacting[] {
  const wanted = path.filter(({ kind }) => kind === "compacted" || kind === "uncompacted");
  return loadEntries(load, wanted) as readonly Compacting[];
}

/** The person's last prompt and what followed it, if the newest entries have no prompt of the person. */
function lastPrompt(
  before: readonly IndexedEntry[],
  newest: readonly Entry[],
  load: LoadLinks,
): readonly IndexedEntry[] {
  if (newest.some(isPrompt)) return [];
  for (let at = before.length - 1; at >= 0; at -= 1) {
    const entry = before[at];
    if (entry?.kind !== "user") continue;
    if (loadEntries(load, [entry]).some(isPrompt)) return before.slice(at).filter(({ kind }) => OF_PROMPT.has(kind));
  }
  return [];
}

function isPrompt(entry: Entry): boolean {
  return entry.kind === "user" && entry.by === undefined;
}

function inOrder(entries: readonly IndexedEntry[]): readonly IndexedEntry[] {
  return entries.toSorted((a, b) => a.offset - b.offset);
}

/** The screen of a resumed session shows so many messages. */
const SHOWN_MESSAGES = 200;
const MESSAGES: ReadonlySet<string> = new Set(["user", "assistant", "results"]);
/** Of these kinds, the last entry before the start tells the state of the session. */
const STATES = ["session", "setup", "worktree", "tools", "pinned"];

type Compacting = Extract<Entry, { kind: "compacted" | "uncompacted" }>;

/** True if an entry holds a message. */
function isMessage({ kind }: Pick<IndexedEntry, "kind">): boolean {
  return MESSAGES.has(kind);
}

/**
 * The place in a path from which its entries give the model's messages, and the newest messages for a screen. All
 * messages before it were taken out by a compaction that is in force.
 * @param path The entries of a conversation, oldest first.
 * @param compacting Those of the path that compact, or undo a compaction.
 */
function restoreStart(path: readonly IndexedEntry[], compacting: readonly Compacting[]): number {
  const places = new Map(path.map(({ id }, at) => [id, at]));
  const undone = new Set(compacting.flatMap((entry) => (entry.kind === "uncompacted" ? [entry.compactedId] : [])));
  const inForce = new Map(
    compacting.flatMap((entry) => (entry.kind === "compacted" && !undone.has(entry.id) ? [[entry.id, entry]] : [])),
  );
  const lastAnswer = path.findLastIndex(({ kind }) => kind === "assistant");
  // The size of the conversation before a compaction is known only until the next answer tells the new size.
  const newest = [...inForce.values()].findLast(
    (entry) => entry.firstKeptId !== undefined && (places.get(entry.id) ?? lastAnswer) < lastAnswer,
  );
  const kept = newest ? firstNeeded(newest, { places, inForce, undone }) : 0;
  if (kept === 0) return 0;
  const start = Math.min(kept, newestMessages(path));
  // A call may have begun before the answer that makes it was complete, and its results stand before their message.
  return path.findLastIndex(({ kind }, at) => at < start && (kind === "user" || kind === "results")) + 1;
}

type Compactions = {
  readonly places: ReadonlyMap<string, number>;
  readonly undone: ReadonlySet<string>;
  readonly inForce: ReadonlyMap<string, Extract<Entry, { kind: "compacted" }>>;
};

/** The place of the first entry that the view after a compaction needs; 0 if it may need every entry. */
function firstNeeded(
  { id, firstKeptId = "", lastKeptId, keptIds = [] }: Extract<Entry, { kind: "compacted" }>,
  compactions: Compactions,
): number {
  const { places, inForce, undone } = compactions;
  const [first, own] = [places.get(firstKeptId), places.get(id)];
  if (first === undefined || own === undefined || first >= own) return 0;
  // Messages beside the newest ones were kept.
  if (lastKeptId !== undefined || keptIds.length > 0) return 0;
  // The kept summary is gone, and so nothing says what was kept.
  if (undone.has(firstKeptId)) return 0;
  const summary = inForce.get(firstKeptId);
  return summary ? Math.min(first, firstNeeded(summary, compactions)) : first;
}

function newestMessages(path: readonly IndexedEntry[]): number {
  const places = path.flatMap((entry, at) => (isMessage(entry) ? [at] : []));
  return places.at(-SHOWN_MESSAGES) ?? 0;
}

/** The entries before the start that are needed besides: compactions, and the newest of each state. */
function statesBefore(path: readonly IndexedEntry[], start: number): readonly IndexedEntry[] {
  const before = path.slice(0, start);
  const last = new Set(STATES.map((wanted) => before.findLast(({ kind }) => kind === wanted)));
  return before.filter((entry) => entry.kind === "compacted" || entry.kind === "uncompacted" || last.has(entry));
}
