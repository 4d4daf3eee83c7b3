import { basename } from "node:path";
import type { RestoredSession } from "../../contracts/session.ts";
import { parseEntry } from "./entry.ts";
import { pathOf } from "./entry-path.ts";
import type { SessionIndex } from "./index-session.ts";
import { readIndexed } from "./load-entries.ts";
import { viewOf } from "./read-view.ts";
import { SESSION_ENDING } from "./session-file.ts";

/** A session to continue, and the problems of its file. */
export type RestoredFromFile = RestoredSession & { readonly warnings: readonly string[] };

/** The facts about its file that a log needs before it continues the file. */
export type FileEnd = Pick<SessionIndex, "lastId" | "tornAt" | "lacksNewline" | "name">;

export type Restoring = { readonly restored: RestoredFromFile; readonly end: FileEnd };

/**
 * Reads a session to continue it: the entries after the last `cleared` that give the model's messages and the newest
 * ones for a screen. Changes nothing.
 * @param isWhole True to read all entries after the last `cleared`.
 * @throws {UserFacingError} the file can't be read or was written in a newer format.
 */
export function restoreSession(file: string, isWhole = false): Restoring {
  return readIndexed(file, { parse: parseEntry }, (index, load) => {
    const { sessionId = basename(file, SESSION_ENDING), startedAt, lastId, warnings } = index;
    const view = viewOf(pathOf(index.entries, lastId), load, isWhole);
    const restored = {
      sessionId,
      ...view,
      lastId,
      ...(startedAt !== undefined && { startedAt }),
      warnings,
    };
    return { restored, end: index };
  });
}
