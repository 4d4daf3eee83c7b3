import type { Editor } from "./editor-state.ts";
import { withLostPastes } from "./pastes.ts";

/** Entries kept in memory. */
const MAX_ENTRIES = 1_000;

/** Earlier inputs with folded pastes, newest last, and the position that ↑ has reached. */
export type History = {
  readonly entries: readonly string[];
  /** Index of the shown entry; `entries.length` is the unsent draft. */
  readonly at: number;
  /** The draft from before the first ↑. */
  readonly draft: string;
};

export const emptyHistory: History = { entries: [], at: 0, draft: "" };

/** Adds older entries, which are read from disk after this session may already have entries of its own. */
export function withOlder(history: History, older: readonly string[]): History {
  const entries = [...older, ...history.entries].slice(-MAX_ENTRIES);
  return { ...history, entries, at: entries.length };
}

export function remember(history: History, text: string): History {
  const entries = history.entries.at(-1) === text ? history.entries : [...history.entries, text].slice(-MAX_ENTRIES);
  return { entries, at: entries.length, draft: "" };
}

/** Says in the entries that these placeholders have lost their pastes. */
export function withoutPastes(history: History, names: readonly string[]): History {
  if (names.length === 0) return history;
  const lost = (entry: string) =>
    names.reduce((text, name) => text.replaceAll(name, () => withLostPastes(name)), entry);
  return { ...history, entries: history.entries.map(lost) };
}

export function olderEntry(history: History, current: string): { history: History; text: string } | undefined {
  if (history.at === 0) return undefined;
  const draft = history.at === history.entries.length ? current : history.draft;
  const at = history.at - 1;
  return { history: { ...history, at, draft }, text: history.entries[at] ?? "" };
}

export function newerEntry(history: History): { history: History; text: string } | undefined {
  if (history.at >= history.entries.length) return undefined;
  const at = history.at + 1;
  return {
    history: { ...history, at },
    text: at === history.entries.length ? history.draft : (history.entries[at] ?? ""),
  };
}

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
