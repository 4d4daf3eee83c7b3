import type { Entry, EntryLink } from "../../contracts/session.ts";
import { pathOf } from "./entry-path.ts";
import type { ParseLine } from "./index-session.ts";
import { loadEntries, readIndexed } from "./load-entries.ts";

export type ReadSession = {
  /** The entries of the conversation since the last `/clear`, oldest first. */
  readonly path: readonly Entry[];
  /** The last entry of the whole path; undefined if the wanted entry is not in the file. */
  readonly leafId: string | undefined;
  readonly warnings: readonly string[];
};

export type PathRequest = {
  readonly parse: ParseLine;
  /** The last entry of the path; by default the last entry of the session's own agent. */
  readonly leafId?: string | undefined;
  /** The kinds of entries that are wanted; by default all. */
  readonly kinds?: readonly Entry["kind"][] | undefined;
};

/**
 * Reads a conversation of a session file, from its last `cleared`.
 * @throws {UserFacingError} the file can't be read, or was written in a newer format.
 */
export function readPath(file: string, { parse, leafId, kinds }: PathRequest): ReadSession {
  return readIndexed(file, { parse }, (index, load) => {
    const whole = pathOf(index.entries, leafId ?? index.lastId);
    const path = whole.filter(({ kind }) => kinds === undefined || (kinds as readonly string[]).includes(kind));
    return { path: loadEntries(load, path), leafId: whole.at(-1)?.id, warnings: index.warnings };
  });
}

/**
 * The links of a conversation of a session file, from its last `cleared`; no content is read.
 * @returns undefined if the leaf is not in the file.
 * @throws {UserFacingError} the file can't be read, or was written in a newer format.
 */
export function readLinks(file: string, parse: ParseLine, leafId: string): readonly EntryLink[] | undefined {
  return readIndexed(file, { parse }, (index) => {
    const path = pathOf(index.entries, leafId);
    if (path.at(-1)?.id !== leafId) return undefined;
    return path.filter(({ isForeign }) => !isForeign).map(({ id, kind }) => ({ id, kind: kind as Entry["kind"] }));
  });
}
