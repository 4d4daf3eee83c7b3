import { formatAgo } from "@quoll/terminal-text/format-amount";
import type { Command, CommandContext } from "../contracts/command.ts";
import { nearestNames } from "../contracts/did-you-mean.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type { SessionSummary } from "../contracts/session.ts";

const MOST_LISTED = 20;
const SHORT_ID_CHARS = 8;

/** Without an argument: lists the newest sessions. With the beginning of an id, or a title: resumes that session. */
export const resumeCommand: Command = {
  name: "resume",
  summary: "Resume another session",
  argumentHint: "[session]",
  interactive: true,
  async run(argument, { engine, sessions, resume, now }) {
    const all = (await sessions.list()).filter(({ id }) => id !== engine.state.sessionId);
    const wanted = argument.trim();
    if (wanted !== "") {
      const session = find(wanted, all) ?? (await notHere(wanted, all, sessions));
      // The current conversation ends only if the other one can be opened.
      await sessions.assertFree?.(session.id);
      resume(session.id);
      return { kind: "text", lines: [`Resuming "${session.title}".`] };
    }
    if (all.length === 0) return { kind: "text", lines: ["There is no other session of this project yet."] };
    const newest = [...all]
      .sort((a, b) => Number(a.isHeadless ?? false) - Number(b.isHeadless ?? false) || b.modifiedAt - a.modifiedAt)
      .slice(0, MOST_LISTED);
    const rows = newest.map(({ id, title, modifiedAt, isHeadless }) => ({
      ...{ id, title, shortId: id.slice(0, SHORT_ID_CHARS) },
      ago: formatAgo(now() - modifiedAt) + (isHeadless ? " · headless" : ""),
    }));
    const left = all.length - newest.length;
    return {
      kind: "choose",
      title: left > 0 ? `Resume a session (${left} older ones not shown)` : "Resume a session",
      choices: rows.map(({ id, title, shortId, ago }) => ({
        label: title,
        detail: `${ago} · ${shortId}`,
        brief: shortId,
        input: `/resume ${id}`,
      })),
      lines: [
        ...rows.map(({ shortId, title, ago }) => `  ${shortId}  ${title}  ${ago}`),
        ...(left > 0 ? [`  … ${left} older ones`] : []),
        "`/resume <id>` resumes a session; the beginning of its id is enough.",
      ],
    };
  },
};

/** @throws {UserFacingError} several sessions match. */
function find(wanted: string, sessions: readonly SessionSummary[]): SessionSummary | undefined {
  const exact = sessions.filter(({ id, title }) => id === wanted || title === wanted);
  const fitting = exact.length > 0 ? exact : sessions.filter(({ id }) => id.startsWith(wanted));
  const [only, ...others] = fitting;
  if (only && others.length === 0) return only;
  if (only) {
    const ids = fitting.slice(0, 5).map(({ id }) => id);
    throw new UserFacingError(
      `${fitting.length} sessions fit "${wanted}": ${ids.join(", ")}. Give a longer part of the id.`,
    );
  }
  return undefined;
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
