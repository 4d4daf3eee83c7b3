import { formatAgo } from "@quoll/terminal-text/format-amount";
import type { Command } from "../contracts/command.ts";
import { UserFacingError } from "../contracts/errors.ts";
import { nearestNames } from "../contracts/nearest.ts";
import type { SessionSummary } from "../contracts/session.ts";

export const resumeSpec = {
  name: "resume",
  summary: "Go on with another session",
  argumentHint: "[session]",
} as const;

const MOST_LISTED = 20;
const SHORT_ID_CHARS = 8;

/** Without a session: lists the newest. With an id (its beginning is enough) or a title: goes on with it. */
export function resumeCommand(clock: { now(): number }): Command {
  return {
    ...resumeSpec,
    async run(argument, { engine, sessions, resume }) {
      const all = (await sessions.list()).filter(({ id }) => id !== engine.state.sessionId);
      const wanted = argument.trim();
      if (wanted !== "") {
        const session = find(wanted, all);
        resume(session.id);
        return { lines: [`Going on with "${session.title}".`] };
      }
      if (all.length === 0) return { lines: ["There is no other session of this project yet."] };
      const newest = [...all].sort((a, b) => b.modifiedAt - a.modifiedAt).slice(0, MOST_LISTED);
      const choices = newest.map((session) => ({
        label: session.title,
        detail: formatAgo(clock.now() - session.modifiedAt),
        input: `/resume ${session.id}`,
      }));
      const left = all.length - newest.length;
      return {
        lines: [
          ...newest.map(({ id, title }, at) => `  ${id.slice(0, SHORT_ID_CHARS)}  ${title}  ${choices[at]?.detail}`),
          ...(left > 0 ? [`  … ${left} older ones`] : []),
          "`/resume <id>` goes on with one; the beginning of its id is enough.",
        ],
        choose: { title: left > 0 ? `Go on with … (${left} older ones not shown)` : "Go on with …", choices },
      };
    },
  };
}

/** @throws {UserFacingError} no session fits, or several do. */
function find(wanted: string, sessions: readonly SessionSummary[]): SessionSummary {
  const exact = sessions.filter(({ id, title }) => id === wanted || title === wanted);
  const fitting = exact.length > 0 ? exact : sessions.filter(({ id }) => id.startsWith(wanted));
  const [only, ...others] = fitting;
  if (only && others.length === 0) return only;
  if (only) {
    const ids = fitting.slice(0, 5).map(({ id }) => id);
    throw new UserFacingError(`${fitting.length} sessions fit "${wanted}": ${ids.join(", ")}. Give more of the id.`);
  }
  const near = nearestNames(
    wanted,
    sessions.map(({ title }) => title),
  );
  const hint = near.length > 0 ? `Did you mean "${near[0]}"?` : "`/resume` alone lists them.";
  throw new UserFacingError(`There is no session "${wanted}" in this project. ${hint}`);
}
