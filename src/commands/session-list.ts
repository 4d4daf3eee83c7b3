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
  const { engine, sessions, now, isCopying = false } = context;
  const { isOfAll = false, filter, before } = request;
  const all = await (isOfAll ? (sessions.listAll?.() ?? sessions.list()) : sessions.list());
  const others = all.filter(({ id }) => id !== engine.state.sessionId);
  const ended = await endedFor(context, isOfAll ? "all" : "project");
  const shortcuts = shortcutsOf(sessions, isOfAll);
  if (others.length + ended.length === 0 && shortcuts.every(({ letter }) => letter !== UNDO_KEY) && !isOfAll)
    return { kind: "text", lines: [...(before ?? []), "There is no other session of this project yet."] };
  // The sessions of other projects are changed there.
  const canChange = !isOfAll && sessions.label !== undefined && sessions.remove !== undefined;
  const shown = isOfAll ? (sessions.shown ?? ((path) => path)) : placeShown(sessions);
  const time = now();
  const rows = inOrder([
    ...ended.map((one) => rowOfCleared(one, engine.state.sessionId, { now: time, shown })),
    ...others.map((session) => rowOf(session, { now: time, shown, canChange, isCopying })),
  ]);
  return {
    kind: "choose",
    title: isOfAll ? "Resume a session of any project" : "Resume a session",
    ...(filter !== undefined && { filter }),
    ...(before && { before }),
    ...(isOfAll && { back: "/resume" }),
    shortcuts,
    choices: rows.map(({ choice }) => choice),
    lines: [
      ...firstFew(
        rows.map(({ line }) => line),
        MOST_LINES,
        (count) => `  … ${count} more`,
      ),
      "`/resume <name or id>` resumes a session; the beginning is enough.",
    ],
  };
}

/**
 * The conversations before a `/clear` that a list shows. Another session that is empty since is listed itself.
 * `recent`: those of the project, which may be some seconds old.
 */
export async function endedFor(
  { engine, sessions }: CommandContext,
  of: "project" | "recent" | "all" = "project",
): Promise<readonly ClearedConversation[]> {
  const read = { project: sessions.cleared, recent: sessions.recentlyCleared, all: sessions.allCleared }[of];
  const all = (await (read ?? sessions.cleared)?.()) ?? [];
  return all.filter(({ sessionId, isLast }) => !isLast || sessionId === engine.state.sessionId);
}

/** The form of a folder in the list of its project: the project's own folder is no news, and no word finds it. */
export function placeShown({ inProject, shown }: CommandContext["sessions"]): (path: string) => string {
  return inProject ?? shown ?? ((path) => path);
}

/** `place`: smaller ones come first. `at`: milliseconds since the epoch. */
type Row = { readonly place: number; readonly at: number; readonly choice: Choice; readonly line: string };

/** The conversations of this session, pinned sessions, other ones, those that began without a person, archived ones. */
const [OWN, PINNED, OTHER, HEADLESS, ARCHIVED] = [0, 1, 2, 3, 4];

function inOrder(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted((a, b) => a.place - b.place || b.at - a.at);
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

/** A cleared conversation is still in the file of its session, so it is copied. */
function rowOfCleared(
  ended: ClearedConversation,
  ownSession: string,
  { now, shown }: Pick<Shown, "now" | "shown">,
): Row {
  const { id, sessionId, title, firstPrompt, lastPrompt, prompts, endedAt, isArchived } = ended;
  const second = [
    ...marksOf(ended),
    BEFORE_CLEAR,
    ...shownFolder(ended, shown),
    formatAgo(now - endedAt),
    plural(prompts, "prompt"),
  ].join(" · ");
  const about = [`${BEFORE_CLEAR}; continues in a copy`, ...promptLines({ firstPrompt, lastPrompt })];
  return {
    place: isArchived ? ARCHIVED : sessionId === ownSession ? OWN : OTHER,
    at: endedAt,
    choice: { label: title, detail: "", brief: shortId(id), second, id, input: `/resume ${id}`, about },
    line: `  ${shortId(id)}  ${title}  ${BEFORE_CLEAR}`,
  };
}

function promptLines({ firstPrompt, lastPrompt }: Partial<Record<"firstPrompt" | "lastPrompt", string | undefined>>) {
  return [
    ...(firstPrompt === undefined ? [] : [`first: ${firstPrompt}`]),
    ...(lastPrompt === undefined ? [] : [`last: ${lastPrompt}`]),
  ];
}

type Shown = {
  readonly now: number;
  shown(path: string): string;
  readonly canChange: boolean;
  readonly isCopying: boolean;
};

function rowOf(session: SessionSummary, shown: Shown): Row {
  const { id, title, modifiedAt, isPinned, isArchived, isHeadless } = session;
  const facts = [formatAgo(shown.now - modifiedAt), ...marksOf(session)].join(" · ");
  return {
    place: isArchived ? ARCHIVED : isPinned ? PINNED : isHeadless ? HEADLESS : OTHER,
    at: modifiedAt,
    choice: choiceOf(session, shown),
    line: `  ${shortId(id)}  ${title}  ${facts}`,
  };
}

function choiceOf(session: SessionSummary, { now, shown, canChange, isCopying }: Shown): Choice {
  const { id, title, folder, branch, worktree, modifiedAt, prompts, costUsd, bytes } = session;
  const { firstPrompt, lastPrompt, lastAnswer } = session;
  const second = [
    // A narrow row is cut at its end.
    ...marksOf(session),
    ...shownFolder({ folder }, shown),
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
      ...promptLines({ firstPrompt, lastPrompt }),
      ...(lastAnswer === undefined ? [] : [`● ${lastAnswer}`]),
    ],
    ...(session.isOpen && !isCopying && { isBlocked: true as const }),
    ...(canChange && { also: actionsOf(session) }),
  };
}

function shownFolder({ folder }: { readonly folder?: string | undefined }, shown: Shown["shown"]): readonly string[] {
  const path = folder === undefined ? "" : shown(folder);
  return path === "" ? [] : [endOf(path, MAX_FOLDER_CHARS)];
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
export function marksOf({ isOpen, isPinned, isArchived, isHeadless }: Partial<SessionSummary>): readonly string[] {
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

export function shortId(id: string): string {
  return id.slice(0, SHORT_ID_CHARS);
}
