import { formatAgo } from "@quoll/terminal-text/format-amount";
import { plainText } from "@quoll/terminal-text/plain-text";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import type { Command, CommandContext } from "../contracts/command.ts";
import type { CommandResult } from "../contracts/command-result.ts";
import { UserFacingError } from "../contracts/errors.ts";
import { MATCH_WORDS, type Recall, type RecallAnswer, type RecallMatch } from "../contracts/recall.ts";

const MAX_LISTED = 20;
const EXCERPT_CHARS = 120;
const MAX_TITLE_COLUMNS = 60;
const SHORT_ID_CHARS = 8;
const SHOW = /^--show\s+([^/\s]+)\/([^/\s]+)\/(\S+)$/;

type Context = Pick<CommandContext, "now" | "engine" | "sessions">;

/** Searches all sessions. `--show` shows one match in full; the list of matches types the flag. */
export const searchCommand: Command = {
  name: "search",
  summary: "Search everything that was said, in all sessions",
  argumentHint: "<words>",
  needsNoServers: true,
  async run(argument, context) {
    const query = argument.trim();
    const { recall } = context;
    if (!recall) throw new UserFacingError("This session has no search.");
    if (query === "")
      return { kind: "text", lines: ["`/search <words>` searches everything that was said, in all sessions."] };
    const [, projectId, sessionId, id] = SHOW.exec(query) ?? [];
    return {
      kind: "operation",
      title: "Searching",
      run: async (report, signal) => {
        const search = await recall.forPerson();
        if (projectId !== undefined && sessionId !== undefined && id !== undefined)
          return show({ search, place: { projectId, sessionId }, id, context }, signal);
        const answer = await search.search(
          {
            ...{ query, scope: "all", maxMatches: MAX_LISTED, excerptChars: EXCERPT_CHARS },
            report: ({ done, total }) => report({ text: "Building the search index", done, total }),
          },
          signal,
        );
        return list(query, answer, context);
      },
    };
  },
};

function list(query: string, { matches, more, notes }: RecallAnswer, context: Context): CommandResult {
  if (matches.length === 0)
    return { kind: "text", lines: [`Nothing matches ${JSON.stringify(truncateText(query, 60))}.`, ...notes] };
  const rows = matches.map((match) => ({ match, label: excerptLine(match), detail: about(match, context.now()) }));
  const left = more > 0 ? `, ${more} more not shown` : "";
  return {
    kind: "choose",
    title: `Matches of ${JSON.stringify(truncateText(query, 40))}, the best first${left}`,
    ...(notes.length > 0 && { before: notes }),
    choices: rows.map(({ match: { projectId, sessionId, entryId }, label, detail }) => ({
      ...{ label, detail, brief: shortId(sessionId) },
      input: `/search --show ${projectId}/${sessionId}/${entryId}`,
    })),
    lines: [
      ...rows.flatMap(({ match: { title }, label, detail }) => [
        `${detail} · ${truncateText(plainText(title), MAX_TITLE_COLUMNS)}`,
        `  ${label}`,
      ]),
      ...notes,
    ],
  };
}

function excerptLine({ kind, excerpt }: RecallMatch): string {
  return `${MATCH_WORDS[kind]}: ${plainText(excerpt).replace(/\s+/g, " ").trim()}`;
}

function about({ time, cwd, sessionId }: RecallMatch, now: number): string {
  const folder = plainText(cwd.slice(cwd.lastIndexOf("/") + 1));
  return [formatAgo(now - Date.parse(time)), folder, shortId(sessionId)].filter((part) => part !== "").join(" · ");
}

function shortId(sessionId: string): string {
  return sessionId.slice(0, SHORT_ID_CHARS);
}

type Shown = {
  readonly search: Recall;
  readonly place: { readonly projectId: string; readonly sessionId: string };
  readonly id: string;
  readonly context: Context;
};

/** Shows a match in full, and how to resume its session. */
async function show({ search, place, id, context }: Shown, signal: AbortSignal): Promise<CommandResult> {
  const passages = await search.find(id, place, signal);
  const [first] = passages;
  if (!first) throw new UserFacingError(`There is no entry ${id} in session ${place.sessionId}: was its log deleted?`);
  const isOfProject = (await context.sessions.list()).some((session) => session.id === place.sessionId);
  const isCurrent = context.engine.state.sessionId === place.sessionId;
  const how = isCurrent
    ? "This is from the current session."
    : isOfProject
      ? `/resume ${place.sessionId} resumes this session.`
      : resumeElsewhere(place.sessionId, await context.sessions.folderOf?.(place.sessionId));
  const texts = passages.flatMap(({ kind, text }) => [`${MATCH_WORDS[kind]}:`, ...plainText(text).split("\n"), ""]);
  const when = first.time.slice(0, 16).replace("T", " ");
  return { kind: "view", title: `Session ${place.sessionId}, ${when} UTC`, lines: [how, "", ...texts] };
}

function resumeElsewhere(sessionId: string, folder: string | undefined): string {
  return `quoll --resume ${sessionId} resumes this session, in ${folder ?? "the folder of its project"}.`;
}
