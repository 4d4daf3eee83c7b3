import { formatAgo, formatCount } from "@quoll/terminal-text/format-amount";
import { oneLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import type { Command, CommandContext } from "../contracts/command.ts";
import type { Choice, CommandResult } from "../contracts/command-result.ts";
import { nearestNames } from "../contracts/did-you-mean.ts";
import { UserFacingError } from "../contracts/errors.ts";
import { matchingSessions } from "../contracts/match-sessions.ts";
import type { ClearedConversation, SessionSummary } from "../contracts/session.ts";
import { continuing } from "./complete.ts";

const MOST_LISTED = 100;
/** A list in plain lines is limited to this number. */
const MOST_LINES = 20;
const SHORT_ID_CHARS = 8;
const MAX_BRANCH_COLUMNS = 20;
const BEFORE_CLEAR = "before /clear";

/** Without an argument: lists the newest sessions. With the beginning of an id, or a title: resumes that session. */
export const resumeCommand: Command = {
  name: "resume",
  summary: "Resume another session",
  argumentHint: "[session]",
  interactive: true,
  async complete(typed, { engine, sessions, now }) {
    const others = (await sessions.list()).filter(({ id }) => id !== engine.state.sessionId);
    const newest = others.toSorted((a, b) => b.modifiedAt - a.modifiedAt).slice(0, MOST_LISTED);
    return continuing(
      typed,
      newest.map((session) => {
        const { shortId, title, ago } = rowOf(session, now());
        return { value: shortId, summary: `${title} · ${ago}` };
      }),
    );
  },
  async run(argument, context) {
    const { engine, sessions } = context;
    const all = (await sessions.list()).filter(({ id }) => id !== engine.state.sessionId);
    const wanted = argument.trim();
    if (wanted === "") return sessionList(all, context);
    const fitting = matchingSessions(wanted, all);
    if (fitting.length > 1) return sessionList(all, context, wanted);
    return { kind: "text", lines: [await resumeWanted(wanted, fitting[0], all, context)] };
  },
};

/** @param filter The words by which the list is filtered when it opens. */
async function sessionList(
  all: readonly SessionSummary[],
  { sessions, now }: CommandContext,
  filter?: string,
): Promise<CommandResult> {
  const ended = (await sessions.cleared?.()) ?? [];
  const cleared = ended.map((one) => choiceOfCleared(one, now()));
  if (all.length + cleared.length === 0)
    return { kind: "text", lines: ["There is no other session of this project yet."] };
  const newest = [...all]
    .sort((a, b) => Number(a.isHeadless ?? false) - Number(b.isHeadless ?? false) || b.modifiedAt - a.modifiedAt)
    .slice(0, MOST_LISTED);
  const rows = newest.map((session) => rowOf(session, now()));
  const left = all.length - newest.length;
  const unlisted = left + Math.max(0, rows.length - MOST_LINES);
  return {
    kind: "choose",
    ...(filter !== undefined && { filter }),
    title: left > 0 ? `Resume a session (${left} older ones not shown)` : "Resume a session",
    choices: [...cleared, ...newest.map((session) => choiceOf(session, now(), sessions.folder))],
    lines: [
      ...ended.map(({ id, title }) => `  ${id.slice(0, SHORT_ID_CHARS)}  ${title}  ${BEFORE_CLEAR}`),
      ...rows.slice(0, MOST_LINES).map(({ shortId, title, ago }) => `  ${shortId}  ${title}  ${ago}`),
      ...(unlisted > 0 ? [`  … ${unlisted} older ones`] : []),
      "`/resume <name or id>` resumes a session; the beginning is enough.",
    ],
  };
}

/** @returns the line about it. @throws {UserFacingError} nothing fits, or the session can't be opened. */
async function resumeWanted(
  wanted: string,
  found: SessionSummary | undefined,
  all: readonly SessionSummary[],
  { engine, sessions, resume }: CommandContext,
): Promise<string> {
  if (!found && sessions.copyCleared) {
    const cleared = (await sessions.cleared?.()) ?? [];
    const ended =
      matchingSessions(wanted, cleared)[0] ?? (engine.state.sessionId.startsWith(wanted) ? cleared[0] : undefined);
    if (ended) {
      resume(await sessions.copyCleared(ended.id));
      return `Resuming "${ended.title}" from ${BEFORE_CLEAR}, in a copy.`;
    }
  }
  const session = found ?? (await notHere(wanted, all, sessions));
  // The current conversation ends only if the other one can be opened.
  await sessions.assertFree?.(session.id);
  resume(session.id);
  return `Resuming "${session.title}".`;
}

function rowOf({ id, title, modifiedAt, isHeadless }: SessionSummary, now: number) {
  const ago = formatAgo(now - modifiedAt) + (isHeadless ? " · headless" : "");
  return { title, shortId: id.slice(0, SHORT_ID_CHARS), ago };
}

/** A cleared conversation is still in the file of this session, so it is copied. */
function choiceOfCleared({ id, title, prompts, endedAt }: ClearedConversation, now: number): Choice {
  const age = formatAgo(now - endedAt);
  const detail = [BEFORE_CLEAR, plural(prompts, "prompt"), age, id.slice(0, SHORT_ID_CHARS)].join(" · ");
  const about = [`${BEFORE_CLEAR}; continues in a copy`, `first: ${title}`];
  return { label: title, detail, brief: BEFORE_CLEAR, input: `/resume ${id}`, about };
}

function choiceOf(session: SessionSummary, now: number, here: string | undefined): Choice {
  const { title, shortId, ago } = rowOf(session, now);
  const { branch, prompts, isOpen } = session;
  const detail = [
    ...(isOpen ? ["open"] : []),
    ...(branch === undefined ? [] : [oneLine(branch, MAX_BRANCH_COLUMNS)]),
    plural(prompts, "prompt"),
    ago,
    shortId,
  ].join(" · ");
  return {
    ...{ label: title, detail, brief: shortId, input: `/resume ${session.id}` },
    about: aboutSession(session, here),
  };
}

/** Shows the session's folder and size, its first and last prompt, and the end of its last answer. */
function aboutSession(
  { title, bytes, isNamed, lastPrompt, lastAnswer, folder, worktree, isOpen }: SessionSummary,
  here: string | undefined,
): readonly string[] {
  const place = [
    `${formatCount(bytes)}B`,
    ...(isOpen ? ["open in another Quoll"] : []),
    ...(worktree === undefined ? [] : [`worktree ${worktree}`]),
    ...(folder === undefined || folder === here ? [] : [`in ${folder}`]),
  ];
  return [
    place.join(" · "),
    `${isNamed ? "name" : "first"}: ${title}`,
    ...(lastPrompt === undefined ? [] : [`last: ${lastPrompt}`]),
    ...(lastAnswer === undefined ? [] : [`● ${lastAnswer}`]),
  ];
}

/** @throws {UserFacingError} always; the message says where the session is, or which one may be meant. */
async function notHere(
  wanted: string,
  all: readonly SessionSummary[],
  { folderOf }: CommandContext["sessions"],
): Promise<never> {
  const folder = await folderOf?.(wanted);
  if (folder !== undefined)
    throw new UserFacingError(`The session "${wanted}" belongs to ${folder}: run quoll --resume ${wanted} there.`);
  const near = nearestNames(
    wanted,
    all.map(({ title }) => title),
  );
  const hint = near.length > 0 ? `Did you mean "${near[0]}"?` : "`/resume` alone lists the sessions.";
  throw new UserFacingError(`There is no session "${wanted}" in this project. ${hint}`);
}
