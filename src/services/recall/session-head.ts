import type { Entry } from "../../contracts/session.ts";

const MAX_TITLE_CHARS = 80;

/** The folder and the title with which a list shows a session; each is missing until an entry contains it. */
export type SessionHead = { readonly cwd?: string; readonly title?: string };

/**
 * Adds the facts about the session that an entry contains. The first entry that contains a fact is used.
 * @param redact Hides credentials in a whole text, before the title is cut.
 */
export function addHead(head: SessionHead, entry: Entry, redact: (text: string) => string): SessionHead {
  if (entry.kind === "session") return { cwd: entry.cwd, ...head };
  if (head.title !== undefined || entry.kind !== "user" || entry.by !== undefined) return head;
  const prompt = redact(entry.prompt);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a list is printed on a terminal.
  const line = prompt.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
  return line === "" ? head : { ...head, title: [...line].slice(0, MAX_TITLE_CHARS).join("") };
}
