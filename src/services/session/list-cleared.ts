import type { ClearedConversation, Entry } from "../../contracts/session.ts";
import { entryExists } from "../../platform/paths.ts";
import { readLines } from "../../platform/read-chunks.ts";
import { NO_PROMPT, titleOf } from "./list-sessions.ts";
import { readSession } from "./read-session.ts";

const MAX_LISTED = 10;
const CLEARED = '"kind":"cleared"';

/**
 * The newest conversations with prompts that `/clear` ended in a session, newest first.
 * @param file The session's file; a missing file has no conversation.
 * @throws {UserFacingError} the file can't be read or was written in a newer format.
 */
export function listCleared(file: string): readonly ClearedConversation[] {
  if (!entryExists(file) || !mentionsClear(file)) return [];
  const found: ClearedConversation[] = [];
  readSession(file, {
    ended: ({ by, path }) => {
      found.unshift(summaryOf(by, path));
      found.length = Math.min(found.length, MAX_LISTED);
    },
  });
  return found;
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
