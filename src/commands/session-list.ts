import { formatAgo, formatCount, formatUsd } from "@quoll/terminal-text/format-amount";
import { plural } from "@quoll/terminal-text/plural";
import type { CommandContext } from "../contracts/command.ts";
import type { Choice, ChooseResult, CommandResult } from "../contracts/command-result.ts";
import type { ClearedConversation, SessionSummary } from "../contracts/session.ts";
import { firstFew } from "../contracts/words.ts";

/** A list in plain lines is limited to this number. */
const MOST_LINES = 20;
const SHORT_ID_CHARS = 8;
const MAX_BRANCH_CHARS = 20;
const MAX_FOLDER_CHARS = 30;
export const BEFORE_CLEAR = "before /clear";

/** `isOfAll`: the sessions of all projects. `filter`: the words by which the list is filtered when it opens. */
export type ListRequest = {
  readonly isOfAll?: boolean;
  readonly filter?: string;
  /** Lines about what was just done. */
  readonly before?: readonly string[];
};

/** The list of saved sessions with the keys that change them. */
export async function sessionList(context: CommandContext, request: ListRequest = {}): Promise<CommandResult> {
  const { engine, sessions, now } = context;
  const { isOfAll = false, filter, before } = request;
  const all = await (isOfAll ? (sessions.listAll?.() ?? sessions.list()) : sessions.list());
  const others = inOrder(all.filter(({ id }) => id !== engine.state.sessionId));
  const ended = isOfAll ? [] : ((await sessions.cleared?.()) ?? []);
  const shortcuts = shortcutsOf(sessions, isOfAll);
  if (others.length + ended.length === 0 && shortcuts.every(({ letter }) => letter !== UNDO_KEY) && !isOfAll)
    return { kind: "text", lines: [...(before ?? []), "There is no other session of this project yet."] };
  // The sessions of other projects are changed there.
  const canChange = !isOfAll && sessions.label !== undefined && sessions.remove !== undefined;
  const shown = (path: string) => sessions.shown?.(path) ?? path;
  // An open session can be copied, so nothing asks first if it is free.
  const isCopying = sessions.assertFree === undefined;
  const time = now();
  return {
    kind: "choose",
    title: isOfAll ? "Resume a session of any project" : "Resume a session",
    ...(filter !== undefined && { filter }),
    ...(before && { before }),
    ...(isOfAll && { back: "/resume" }),
    shortcuts,
    choices: [
      ...ended.map((one) => choiceOfCleared(one, time)),
      ...others.map((session) => choiceOf(session, { now: time, shown, canChange, isCopying })),
    ],
    lines: linesOf(others, ended, time),
  };
}

/** Pinned sessions first, archived ones last, and before these the sessions that began without a person. */
function inOrder(sessions: readonly SessionSummary[]): readonly SessionSummary[] {
  const place = ({ isPinned, isArchived, isHeadless }: SessionSummary) =>
    isArchived ? 3 : isPinned ? 0 : isHeadless ? 2 : 1;
  return sessions.toSorted((a, b) => place(a) - place(b) || b.modifiedAt - a.modifiedAt);
}

const UNDO_KEY = "u";

function shortcutsOf(sessions: CommandContext["sessions"], isOfAll: boolean): NonNullable<ChooseResult["shortcuts"]> {
  const undo = sessions.canUndo?.() ? [{ letter: UNDO_KEY, label: "undo delete", input: "/sessions undo" }] : [];
  const projects = { letter: "f", label: "projects", input: isOfAll ? "/resume" : "/sessions all" };
  if (isOfAll || !sessions.label || !sessions.remove) return sessions.listAll ? [projects] : [];
  return [
    ...undo,
    { letter: "r", label: "rename" },
    { letter: "p", label: "pin" },
    { letter: "e", label: "archive" },
    { letter: "delete", label: "deletes" },
    projects,
  ];
}

/** A cleared conversation is still in the file of this session, so it is copied. */
function choiceOfCleared({ id, title, prompts, endedAt }: ClearedConversation, now: number): Choice {
  const second = [BEFORE_CLEAR, formatAgo(now - endedAt), plural(prompts, "prompt")].join(" · ");
  const about = [`${BEFORE_CLEAR}; continues in a copy`];
  return { label: title, detail: "", brief: shortId(id), second, id, input: `/resume ${id}`, about };
}

type Shown = {
  readonly now: number;
  shown(path: string): string;
  readonly canChange: boolean;
  readonly isCopying: boolean;
};

function choiceOf(session: SessionSummary, { now, shown, canChange, isCopying }: Shown): Choice {
  const { id, title, folder, branch, worktree, modifiedAt, prompts, costUsd, bytes } = session;
  const { firstPrompt, lastPrompt, lastAnswer } = session;
  const second = [
    // A narrow row is cut at its end.
    ...marksOf(session),
    ...(folder === undefined ? [] : [endOf(shown(folder), MAX_FOLDER_CHARS)]),
    ...(worktree === undefined ? [] : [`worktree ${startOf(worktree, MAX_BRANCH_CHARS)}`]),
    ...(branch === undefined || worktree !== undefined ? [] : [startOf(branch, MAX_BRANCH_CHARS)]),
    formatAgo(now - modifiedAt),
    plural(prompts, "prompt"),
    formatUsd(costUsd ?? undefined),
    `${formatCount(bytes)}B`,
  ].join(" · ");
  return {
    label: title,
    detail: "",
    brief: shortId(id),
    second,
    id,
    input: `/resume ${id}`,
    about: [
      ...wholePlace(session, shown),
      ...(firstPrompt === undefined ? [] : [`first: ${firstPrompt}`]),
      ...(lastPrompt === undefined ? [] : [`last: ${lastPrompt}`]),
      ...(lastAnswer === undefined ? [] : [`● ${lastAnswer}`]),
    ],
    ...(session.isOpen && !isCopying && { isBlocked: true as const }),
    ...(canChange && { also: actionsOf(session) }),
  };
}

/** The place, if the second row cuts a part of it or has no room for the branch: typing finds all of its words. */
function wholePlace({ folder, branch = "", worktree = "" }: SessionSummary, shown: Shown["shown"]): readonly string[] {
  const path = folder === undefined ? "" : shown(folder);
  const isCut = path.length > MAX_FOLDER_CHARS || Math.max(branch.length, worktree.length) > MAX_BRANCH_CHARS;
  const isLeftOut = worktree !== "" && branch !== "";
  return isCut || isLeftOut ? [[path, worktree && `worktree ${worktree}`, branch].filter(Boolean).join(" · ")] : [];
}

function actionsOf({ id, isPinned, isArchived }: SessionSummary): Readonly<Record<string, string>> {
  return {
    r: `/sessions rename ${id}`,
    p: `/sessions ${isPinned ? "unpin" : "pin"} ${id}`,
    e: `/sessions ${isArchived ? "unarchive" : "archive"} ${id}`,
    delete: `/sessions delete ${id}`,
  };
}

/** The states of a session that its line names. */
export function marksOf({ isOpen, isPinned, isArchived, isHeadless }: SessionSummary): readonly string[] {
  return [
    ...(isOpen ? ["open"] : []),
    ...(isPinned ? ["pinned"] : []),
    ...(isArchived ? ["archived"] : []),
    ...(isHeadless ? ["headless"] : []),
  ];
}

/** Characters are counted, because measuring the columns of thousands of texts takes too long; the screen cuts rows. */
function startOf(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text;
}

/** The end of a path says more than its beginning. */
function endOf(path: string, maxChars: number): string {
  return path.length > maxChars ? `…${path.slice(1 - maxChars)}` : path;
}

function linesOf(
  others: readonly SessionSummary[],
  ended: readonly ClearedConversation[],
  now: number,
): readonly string[] {
  const lines = others.map(
    (one) => `  ${shortId(one.id)}  ${one.title}  ${[formatAgo(now - one.modifiedAt), ...marksOf(one)].join(" · ")}`,
  );
  return [
    ...ended.map(({ id, title }) => `  ${shortId(id)}  ${title}  ${BEFORE_CLEAR}`),
    ...firstFew(lines, MOST_LINES, (count) => `  … ${count} more`),
    "`/resume <name or id>` resumes a session; the beginning is enough.",
  ];
}

export function shortId(id: string): string {
  return id.slice(0, SHORT_ID_CHARS);
}
