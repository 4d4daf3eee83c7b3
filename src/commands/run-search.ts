import { formatAgo } from "@quoll/terminal-text/format-amount";
import { plainText } from "@quoll/terminal-text/plain-text";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import type { CommandContext } from "../contracts/command.ts";
import type { Choice, CommandResult, GrownList, OperationProgress } from "../contracts/command-result.ts";
import { UserFacingError } from "../contracts/errors.ts";
import {
  type IndexedPart,
  MATCH_WORDS,
  type Recall,
  type RecallAnswer,
  type RecallMatch,
} from "../contracts/recall.ts";
import type { SessionSummary } from "../contracts/session.ts";
import { type Titled, titledIn } from "./titled-sessions.ts";

const MAX_LISTED = 20;
const EXCERPT_CHARS = 120;
const MAX_TITLE_COLUMNS = 60;
const SHORT_ID_CHARS = 8;
const SHOW = /^--show\s+([^/\s]+)\/([^/\s]+)\/(\S+)$/;

type Context = Pick<CommandContext, "now" | "engine" | "sessions" | "listsGrow">;

type Listing = Context & { readonly titled: Titled };

/** Searches all sessions, or shows one match in full. */
export function runSearch(argument: string, context: CommandContext): CommandResult {
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
      return found({ search, query, context, report, signal });
    },
  };
}

type Finding = {
  readonly search: Recall;
  readonly query: string;
  readonly context: Context;
  readonly signal: AbortSignal;
  report(progress: OperationProgress): void;
};

/**
 * The list of all matches. If the search must read many logs first, and a list of this face can grow, the first matches
 * come at once.
 */
async function found({ search, query, context: given, report, signal }: Finding): Promise<CommandResult> {
  const context = { ...given, titled: await titledIn(query, given) };
  const first = Promise.withResolvers<Grown>();
  let latest: Grown | undefined;
  let grow: ((more: GrownList) => void) | undefined;
  const whole = search.search(
    {
      query,
      scope: "all",
      maxMatches: MAX_LISTED,
      excerptChars: EXCERPT_CHARS,
      hidesNotes: true,
      report(indexed) {
        if (!latest) return report({ text: `${shareOf(indexed)} of the sessions read` });
        const isSame = shareOf(indexed) === shareOf(latest.indexed);
        latest = { ...latest, indexed };
        if (!isSame) grow?.(grownList(query, latest, context));
      },
      ...(context.listsGrow && {
        partial(answer: RecallAnswer, indexed: IndexedPart) {
          latest = { answer, indexed };
          first.resolve(latest);
          grow?.(grownList(query, latest, context));
        },
      }),
    },
    signal,
  );
  // The list that grows reports a failure.
  whole.catch(() => undefined);
  const early = await Promise.race([whole, first.promise]);
  if (!("indexed" in early)) return list(query, early, context);
  const { title, choices } = grownList(query, early, context);
  const lines = [`${shareOf(early.indexed)} of your sessions are read, the newest first: the list grows.`];
  return {
    kind: "choose",
    title,
    choices,
    lines,
    before: lines,
    async later(_, more) {
      grow = more;
      if (latest) more(grownList(query, latest, context));
      const answer = await whole;
      const all = { title: titleOf(query, answer), choices: choicesOf(answer, context) };
      more(all);
      return all.choices;
    },
  };
}

type Grown = { readonly answer: RecallAnswer; readonly indexed: IndexedPart };

function grownList(query: string, { answer, indexed }: Grown, context: Listing): GrownList {
  const title = `Matches of ${JSON.stringify(truncateText(query, 40))} so far, ${shareOf(indexed)} of the sessions read`;
  return { title, choices: choicesOf(answer, context) };
}

function shareOf({ done, total }: IndexedPart): string {
  return `${Math.floor((done / total) * 100)}%`;
}

function list(query: string, answer: RecallAnswer, context: Listing): CommandResult {
  const { matches, notes } = answer;
  const { found: titled, byId } = context.titled;
  if (matches.length + titled.length === 0)
    return { kind: "text", lines: [`Nothing matches ${JSON.stringify(truncateText(query, 60))}.`, ...notes] };
  return {
    kind: "choose",
    title: titleOf(query, answer),
    ...(notes.length > 0 && { before: notes }),
    choices: choicesOf(answer, context),
    lines: [
      ...titled.map((session) => `${aboutSession(session, context.now())} · ${sessionLine(session)}`),
      ...matches.flatMap((match) => [
        `${about(match, context.now())} · ${truncateText(plainText(byId.get(match.sessionId) ?? match.title), MAX_TITLE_COLUMNS)}`,
        `  ${excerptLine(match)}`,
      ]),
      ...notes,
    ],
  };
}

function titleOf(query: string, { more }: RecallAnswer): string {
  const left = more > 0 ? `, ${more} more not shown` : "";
  return `Matches of ${JSON.stringify(truncateText(query, 40))}, the best first${left}`;
}

function choicesOf({ matches }: RecallAnswer, { titled, now }: Listing): readonly Choice[] {
  const time = now();
  const sessions = titled.found.map((session) => ({
    label: sessionLine(session),
    detail: aboutSession(session, time),
    brief: shortId(session.id),
    input: `/resume ${session.id}`,
  }));
  const found = matches.map((match) => ({
    label: excerptLine(match),
    detail: about(match, time),
    brief: shortId(match.sessionId),
    input: `/search --show ${match.projectId}/${match.sessionId}/${match.entryId}`,
  }));
  return [...sessions, ...found];
}

function sessionLine({ title }: SessionSummary): string {
  return `session: ${plainText(title)}`;
}

function aboutSession({ modifiedAt, folder = "", id }: SessionSummary, now: number): string {
  return about({ time: new Date(modifiedAt).toISOString(), cwd: folder, sessionId: id }, now);
}

function excerptLine({ kind, excerpt }: RecallMatch): string {
  return `${MATCH_WORDS[kind]}: ${plainText(excerpt).replace(/\s+/g, " ").trim()}`;
}

function about({ time, cwd, sessionId }: Pick<RecallMatch, "time" | "cwd" | "sessionId">, now: number): string {
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
