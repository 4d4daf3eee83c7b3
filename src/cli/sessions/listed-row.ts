import { formatAgo, formatUsd } from "@quoll/terminal-text/format-amount";
import { plural } from "@quoll/terminal-text/plural";
import type { PlacedConversation, PlacedSession } from "../../app/session/saved/placed-sessions.ts";
import { BEFORE_CLEAR, marksOf } from "../../commands/session-list.ts";
import type { ClearedConversation, SessionSummary } from "../../contracts/session.ts";
import { shortPath } from "../../platform/directories.ts";

const SHORT_ID_CHARS = 8;
const INDENT = " ".repeat(SHORT_ID_CHARS + 2);

/** `now`: milliseconds since the epoch. `home`: absolute. */
type Now = { readonly now: number; readonly home: string };
type Row = SessionSummary & Partial<Pick<PlacedSession, "projectId">>;

/** A row of `quoll sessions list`. `at`: milliseconds since the epoch. */
type ListedRow = {
  readonly at: number;
  readonly isPinned: boolean;
  readonly isArchived: boolean;
  json(): object;
  lines(about: Now): string;
};

export function asRow(session: Row): ListedRow {
  const { modifiedAt: at, isPinned = false, isArchived = false } = session;
  return { at, isPinned, isArchived, json: () => jsonOf(session), lines: (about) => rowsOf(session, about) };
}

type ClearedRow = ClearedConversation & Partial<Pick<PlacedConversation, "projectId">>;

export function asClearedRow(ended: ClearedRow): ListedRow {
  const { id, sessionId, title, projectId, folder, endedAt: at, prompts, lastPrompt, isArchived = false } = ended;
  const facts = (about: Now) => [
    ...(folder === undefined ? [] : [shortPath(folder, about.home)]),
    formatAgo(about.now - at),
    plural(prompts, "prompt"),
    BEFORE_CLEAR,
    ...marksOf(ended),
  ];
  return {
    at,
    isPinned: false,
    isArchived,
    json: () => ({
      id,
      clearedFrom: sessionId,
      title,
      projectId,
      folder,
      modifiedAt: new Date(at).toISOString(),
      prompts,
      isArchived,
      lastPrompt,
    }),
    lines: (about) => twoLines(ended, facts(about)),
  };
}

/** Two lines for a session in a list: its id and title; then its place, age, prompts, cost and marks. */
export function rowsOf(session: SessionSummary, { now, home }: Now): string {
  const { id, title, folder, branch, modifiedAt, prompts, costUsd } = session;
  const facts = [
    ...(folder === undefined ? [] : [shortPath(folder, home)]),
    ...(branch === undefined ? [] : [branch]),
    formatAgo(now - modifiedAt),
    plural(prompts, "prompt"),
    formatUsd(costUsd ?? undefined),
    ...marksOf(session),
  ];
  return twoLines({ id, title }, facts);
}

function twoLines({ id, title }: Pick<SessionSummary, "id" | "title">, facts: readonly string[]): string {
  return `${id.slice(0, SHORT_ID_CHARS).padEnd(SHORT_ID_CHARS)}  ${title}\n${INDENT}${facts.join(" · ")}`;
}

/** A session in JSON. Times are ISO 8601, UTC; `costUsd` is null if a price is unknown. */
export function jsonOf({ id, title, projectId, folder, branch, worktree, ...session }: Row) {
  const { modifiedAt, bytes, prompts, costUsd, lastPrompt, lastAnswer } = session;
  return {
    id,
    title,
    isNamed: session.isNamed ?? false,
    projectId,
    folder,
    branch,
    worktree,
    modifiedAt: new Date(modifiedAt).toISOString(),
    bytes,
    prompts,
    costUsd,
    isOpen: session.isOpen ?? false,
    isPinned: session.isPinned ?? false,
    isArchived: session.isArchived ?? false,
    isHeadless: session.isHeadless ?? false,
    lastPrompt,
    lastAnswer,
  };
}
