import type { Entry } from "../../contracts/session.ts";
import { FileParts } from "../../platform/file-parts.ts";
import type { Link } from "./entry-path.ts";
import { withAllResults } from "./finished-results.ts";
import {
  type IndexedEntry,
  type IndexRequest,
  indexSession,
  type ParseLine,
  type SessionIndex,
  unreadable,
} from "./index-session.ts";

/** Reads the content of entries from the file; undefined for an entry that can't be read. */
export type LoadLinks = (wanted: readonly IndexedEntry[]) => readonly Link[];

/** Thrown while an index is used whose entries were not all checked. */
class DamagedEntryError extends Error {}

type Use<Value> = (index: SessionIndex, load: LoadLinks) => Value;

/**
 * Indexes a session file and reads the content of some of its entries. If one of them is damaged, the file is indexed
 * again with a check of every line, so that the damaged lines count as missing.
 * @param use Chooses the entries; it may run twice.
 * @throws {UserFacingError} the file can't be read, or was written in a newer format.
 */
export function readIndexed<Value>(file: string, request: IndexRequest, use: Use<Value>): Value {
  const load: LoadLinks = (wanted) => loadLinks(file, wanted, request.parse);
  try {
    return use(indexSession(file, request), load);
  } catch (error) {
    if (!(error instanceof DamagedEntryError)) throw unreadable(file, error);
    return use(indexSession(file, { ...request, checksAll: true }), load);
  }
}

function loadLinks(file: string, wanted: readonly IndexedEntry[], parse: ParseLine): readonly Link[] {
  if (wanted.length === 0) return [];
  using parts = new FileParts(file);
  return wanted.map(({ id, offset, bytes }) => {
    const read = parse(parts.text(offset, bytes));
    const link = read.kind === "entry" ? read.entry : read.kind === "foreign" ? read.record : undefined;
    if (link?.id !== id) throw new DamagedEntryError(`The entry ${id} can't be read.`);
    return link;
  });
}

/** The entries at places that are not foreign. Results of calls whose end is not wanted are missing in their message. */
export function loadEntries(load: LoadLinks, wanted: readonly IndexedEntry[]): readonly Entry[] {
  return withAllResults(load(wanted.filter(({ isForeign }) => !isForeign)) as readonly Entry[]);
}
