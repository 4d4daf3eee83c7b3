import { basename } from "node:path";
import type { ClearedConversation, Entry } from "../../contracts/session.ts";
import { entryExists } from "../../platform/paths.ts";
import { listFiles, readLines } from "../../platform/read-chunks.ts";
import { parseEntry } from "./entry.ts";
import { pathOf } from "./entry-path.ts";
import { loadEntries, readIndexed } from "./load-entries.ts";
import { SESSION_ENDING } from "./session-file.ts";
import { NO_PROMPT, titleOf } from "./session-title.ts";

const MAX_LISTED = 10;
/** `/clear` names so many characters of an id. */
const MIN_ID_CHARS = 8;
const CLEARED = '"kind":"cleared"';

/**
 * The newest conversations with prompts that `/clear` ended in a session, newest first.
 * @param file The session's file; a missing file has no conversation.
 * @throws {UserFacingError} the file can't be read or was written in a newer format.
 */
export function listCleared(file: string): readonly ClearedConversation[] {
  if (!entryExists(file) || !mentionsClear(file)) return [];
  return readIndexed(file, { parse: parseEntry, keepsEnded: true }, ({ ended }, load) => {
    const found: ClearedConversation[] = [];
    for (const { by, entries, lastId } of ended.toReversed()) {
      if (found.length === MAX_LISTED) break;
      const path = pathOf(entries, lastId).filter(({ kind }) => kind === "user");
      if (path.length > 0) found.push(summaryOf(by, loadEntries(load, path)));
    }
    return found;
  });
}

/**
 * Finds a conversation that `/clear` ended in any session of a project.
 * @param folder `sessions/<project id>` in our data folder; absolute.
 * @param wanted The id of the `cleared` entry, or at least the beginning that `/clear` names.
 * @returns undefined if not exactly one fits.
 */
export function findCleared(folder: string, wanted: string): { from: string; clearedId: string } | undefined {
  if (wanted.length < MIN_ID_CHARS) return undefined;
  const found = listFiles(folder, SESSION_ENDING).flatMap(({ path, name }) =>
    [...clearedIds(path)]
      .filter((id) => id.startsWith(wanted))
      .map((clearedId) => ({ from: basename(name, SESSION_ENDING), clearedId })),
  );
  return found.length === 1 ? found[0] : undefined;
}

function* clearedIds(file: string): Generator<string> {
  for (const { text } of readLines(file)) {
    const id = text.includes(CLEARED) ? /"id":"([^"]+)"/.exec(text)?.[1] : undefined;
    if (id !== undefined) yield id;
  }
}

/** Most files have no `cleared`, and a search in their text costs much less than parsing them. */
function mentionsClear(file: string): boolean {
  for (const { text } of readLines(file)) if (text.includes(CLEARED)) return true;
  return false;
}

function summaryOf({ id, time }: Entry, path: readonly Entry[]): ClearedConversation {
  const prompts = path.flatMap((entry) => (entry.kind === "user" && !entry.by ? [entry.prompt] : []));
  const title = prompts.map(titleOf).find((one) => one !== undefined) ?? NO_PROMPT;
  return { id, title, prompts: prompts.length, endedAt: Date.parse(time) };
}
