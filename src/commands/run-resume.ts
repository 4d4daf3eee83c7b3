import { formatAgo } from "@quoll/terminal-text/format-amount";
import type { ArgumentCompletion, CommandContext } from "../contracts/command.ts";
import type { CommandResult } from "../contracts/command-result.ts";
import { didYouMean } from "../contracts/did-you-mean.ts";
import { SessionOpenError, UserFacingError } from "../contracts/errors.ts";
import { asListed, describedSessions, matchingSessions } from "../contracts/match-sessions.ts";
import type { ClearedConversation, SessionSummary } from "../contracts/session.ts";
import { BEFORE_CLEAR, endedFor, placeShown, sessionList, shortId } from "./session-list.ts";

/** As many arguments are offered while the person types. */
const MOST_OFFERED = 50;

/** The saved sessions that what is typed may mean. */
export async function completeResume(typed: string, context: CommandContext): Promise<readonly ArgumentCompletion[]> {
  const { engine, sessions, now } = context;
  const all = await (sessions.recent?.() ?? sessions.list());
  const ended = await endedFor(context, "recent");
  const place = placeShown(sessions);
  const offered = [
    ...asListed(all, place).map((one) => ({ ...one, at: one.modifiedAt, marks: [] })),
    ...asListed(ended, place).map((one) => ({ ...one, at: one.endedAt, marks: [BEFORE_CLEAR] })),
  ]
    .filter(({ id }) => id !== engine.state.sessionId)
    .sort((a, b) => b.at - a.at);
  const found = describedSessions(typed, offered);
  return found.slice(0, MOST_OFFERED).map(({ id, title, at, marks }) => ({
    value: shortId(id),
    summary: [title, ...marks, formatAgo(now() - at)].join(" · "),
    ...(!id.startsWith(typed) && { isGuess: true as const }),
  }));
}

/**
 * Without an argument: lists all sessions. With a name or an id, or the beginning of one: resumes that session. With
 * other words: lists the sessions that have them.
 */
export async function runResume(argument: string, context: CommandContext): Promise<CommandResult> {
  const wanted = argument.trim();
  if (wanted === "") return sessionList(context);
  const { engine, sessions } = context;
  const all = (await sessions.list()).filter(({ id }) => id !== engine.state.sessionId);
  const fitting = matchingSessions(wanted, all);
  const ended = fitting.length === 0 ? await endedMeant(wanted, context) : [];
  if (fitting.length + ended.length > 1) return sessionList(context, { filter: wanted });
  try {
    if (ended[0]) return { kind: "text", lines: [await resumeEnded(ended[0], context)] };
    return { kind: "text", lines: [await resumeWanted(wanted, fitting[0], all, context)] };
  } catch (error) {
    const place = placeShown(sessions);
    const listed = [...asListed(all, place), ...asListed(await endedFor(context), place)];
    if (fitting.length + ended.length === 0 && describedSessions(wanted, listed).length > 0)
      return sessionList(context, { filter: wanted, before: [`No session has the name "${wanted}".`] });
    // A list types the whole id, and stays open.
    if (!(error instanceof SessionOpenError) || fitting[0]?.id !== wanted) throw error;
    return sessionList(context, { before: [openLine(fitting[0], error)] });
  }
}

/** The conversations before a `/clear` that a person means; the id of this session means its newest one. */
async function endedMeant(wanted: string, context: CommandContext): Promise<readonly ClearedConversation[]> {
  const ended = (await context.sessions.cleared?.()) ?? [];
  const found = matchingSessions(wanted, ended);
  const { sessionId } = context.engine.state;
  if (found.length > 0 || !sessionId.startsWith(wanted)) return found;
  return ended.filter((one) => one.sessionId === sessionId).slice(0, 1);
}

/** @returns the line about it. @throws {UserFacingError} (as a rejection) the conversation can't be copied. */
async function resumeEnded(
  ended: ClearedConversation,
  { sessions, isCopying, resume }: CommandContext,
): Promise<string> {
  // The program itself copies what is chosen for `--fork-session`.
  resume(isCopying ? ended.id : ((await sessions.copyCleared?.(ended)) ?? ended.id));
  return `Resuming "${ended.title}" from ${BEFORE_CLEAR}, in a copy.`;
}

/**
 * Says how to go on with a session that another process has open, in one row of most windows: the list below it marks the
 * session. An error with a cause says it already.
 */
function openLine({ id }: SessionSummary, { message, cause }: SessionOpenError): string {
  if (cause instanceof SessionOpenError) return message;
  return `Open in another Quoll. For a copy: \`quoll --resume ${shortId(id)} --fork-session\``;
}

/** @returns the line about it. @throws {UserFacingError} nothing fits, or the session can't be opened. */
async function resumeWanted(
  wanted: string,
  found: SessionSummary | undefined,
  all: readonly SessionSummary[],
  { sessions, isCopying, resume }: CommandContext,
): Promise<string> {
  const session = found ?? (await notHere(wanted, all, sessions));
  // The current conversation ends only if the other one can be opened.
  if (!isCopying) await sessions.assertFree?.(session.id);
  resume(session.id);
  return `Resuming "${session.title}".`;
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
  const titles = all.map(({ title }) => title);
  const hint = didYouMean(wanted, titles, "`/resume` alone lists the sessions.", (title) => `"${title}"`);
  throw new UserFacingError(`There is no session "${wanted}" in this project. ${hint}`);
}
