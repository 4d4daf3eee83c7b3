import { formatAgo, formatCount, formatUsd } from "@quoll/terminal-text/format-amount";
import { plural } from "@quoll/terminal-text/plural";
import type { PlacedSession } from "../../app/session/saved/placed-sessions.ts";
import type { SessionSummary } from "../../contracts/session.ts";
import { shortPath } from "../../platform/directories.ts";

const SHORT_ID_CHARS = 8;
const INDENT = " ".repeat(SHORT_ID_CHARS + 2);

type Row = SessionSummary & Partial<Pick<PlacedSession, "projectId">>;

/** Two lines for a session in a list: its id and title; then its place, age, prompts, cost and marks. */
export function rowsOf(
  session: SessionSummary,
  { now, home }: { readonly now: number; readonly home: string },
): string {
  const { id, title, folder, branch, modifiedAt, prompts, costUsd } = session;
  const facts = [
    ...(folder === undefined ? [] : [shortPath(folder, home)]),
    ...(branch === undefined ? [] : [branch]),
    formatAgo(now - modifiedAt),
    plural(prompts, "prompt"),
    formatUsd(costUsd ?? undefined),
    ...marksOf(session),
  ];
  return `${id.slice(0, SHORT_ID_CHARS).padEnd(SHORT_ID_CHARS)}  ${title}\n${INDENT}${facts.join(" · ")}`;
}

export function marksOf({ isOpen, isPinned, isArchived, isHeadless }: SessionSummary): readonly string[] {
  return [
    ...(isOpen ? ["open"] : []),
    ...(isPinned ? ["pinned"] : []),
    ...(isArchived ? ["archived"] : []),
    ...(isHeadless ? ["headless"] : []),
  ];
}

/** A session in JSON. Times are ISO 8601, UTC; `costUsd` is null if a price is unknown. */
export function jsonOf({ id, title, projectId, folder, branch, worktree, ...session }: Row) {
  const { modifiedAt, bytes, prompts, costUsd, lastPrompt, lastAnswer } = session;
  return {
    ...{ id, title, isNamed: session.isNamed ?? false, projectId, folder, branch, worktree },
    ...{ modifiedAt: new Date(modifiedAt).toISOString(), bytes, prompts, costUsd },
    ...{ isOpen: session.isOpen ?? false, isPinned: session.isPinned ?? false },
    ...{ isArchived: session.isArchived ?? false, isHeadless: session.isHeadless ?? false },
    ...{ lastPrompt, lastAnswer },
  };
}

export function shownBytes(bytes: number): string {
  return `${formatCount(bytes)}B`;
}
