import type { Editor } from "./editor-state.ts";
import type { History } from "./history.ts";

/** Names of commands and mentions have their own list. */
const LISTED = /^\/[\w:-]*$|(?:^|\s)@\S*$/;

/**
 * The rest of the newest entry that begins with the draft.
 * @returns undefined if there is no such entry, or the cursor is not at the end.
 */
export function ghostOf({ text, cursor, anchor }: Editor, { entries }: History): string | undefined {
  if (text === "" || cursor !== text.length || anchor !== undefined || LISTED.test(text)) return undefined;
  const found = entries.findLast((entry) => entry.length > text.length && entry.startsWith(text));
  return found?.slice(text.length);
}
