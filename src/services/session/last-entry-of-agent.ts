import { parseEntry } from "./entry.ts";
import { indexSession } from "./index-session.ts";

/**
 * The last entry of an agent since the last `/clear`; undefined if it has none.
 * @throws {UserFacingError} the file can't be read.
 */
export function lastEntryOfAgent(file: string, agentId: string): string | undefined {
  const { entries } = indexSession(file, { parse: parseEntry });
  return entries.findLast((entry) => entry.agentId === agentId)?.id;
}
