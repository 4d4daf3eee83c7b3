import { plainText } from "@quoll/terminal-text/plain-text";
import { processEnvironment } from "../../app/process-environment.ts";
import { openRecall } from "../../app/session/notes/session-recalls.ts";
import { placedSessions } from "../../app/session/saved/placed-sessions.ts";
import { titledSessions } from "../../commands/titled-sessions.ts";
import { MATCH_WORDS, type RecallAnswer, type RecallMatch, type RecallSearch } from "../../contracts/recall.ts";
import type { SessionSummary } from "../../contracts/session.ts";
import { printError, printProblem } from "../../platform/host.ts";
import { printOut } from "../../platform/standard-output.ts";
import { ownRedactor } from "../replay/export-session.ts";
import { abortAtSignal } from "../signals.ts";

const MAX_LISTED = 20;
const MAX_OF_ALL = 1_000;
const EXCERPT_CHARS = 160;
/** Building an index for more than this takes seconds, so the person is told. */
const MIN_TOLD_BYTES = 50 * 1024 * 1024;

export type SearchOptions = { readonly json?: true; readonly all?: true };

/**
 * `quoll sessions search`: lists the sessions whose title holds the words, then the matches of the words, best first. If
 * there is neither, it prints nothing to stdout.
 */
export async function searchSessions(
  words: readonly string[],
  { json, all: listsAll }: SearchOptions,
): Promise<number> {
  using signals = abortAtSignal(new Error("Interrupted."));
  const { own } = processEnvironment();
  const recall = await openRecall(own, await ownRedactor());
  try {
    const query = words.join(" ");
    const all = await placedSessions(own);
    const titled = titledSessions(query, all);
    const search = { query, scope: "all", excerptChars: EXCERPT_CHARS, hidesNotes: true } as const;
    const maxMatches = listsAll ? MAX_OF_ALL : MAX_LISTED;
    const partial = process.stdout.isTTY && !json ? firstNotice() : {};
    const found = await recall.search({ ...search, maxMatches, report: notifyOnce(), ...partial }, signals.signal);
    const answer = withNames(found, all);
    for (const note of answer.notes) printProblem(note);
    const sessions = titled.map(({ id, title, folder, modifiedAt }) => ({
      id,
      title,
      folder,
      modifiedAt: new Date(modifiedAt).toISOString(),
    }));
    printOut(
      json ? `${JSON.stringify({ sessions, ...answer }, null, 2)}\n` : titled.map(lineOf).join("") + textOf(answer),
    );
    if (!json && answer.matches.length + titled.length === 0) printError("quoll: Nothing fits.");
    return 0;
  } catch (error) {
    if (signals.exitCode !== undefined) return signals.exitCode;
    throw error;
  } finally {
    await recall.close();
  }
}

function notifyOnce() {
  let isTold = false;
  return ({ total }: { readonly total: number }) => {
    if (isTold || total < MIN_TOLD_BYTES) return;
    isTold = true;
    printProblem(`Adding new sessions to the search index (${Math.round(total / 1024 / 1024)} MB in all).`);
  };
}

/** Prints the first matches at once while the index is being built; a person reads them meanwhile. */
function firstNotice(): Pick<RecallSearch, "partial"> {
  let isTold = false;
  return {
    partial(answer, { done, total }) {
      if (isTold) return;
      isTold = true;
      const share = `${Math.floor((done / total) * 100)}%`;
      printProblem(`${share} of your sessions are read, the newest first. The matches so far; all of them follow:`);
      printOut(`${textOf(answer)}\n`);
    },
  };
}

/** A name says more of a session than its first prompt. */
function withNames(answer: RecallAnswer, sessions: readonly SessionSummary[]): RecallAnswer {
  const names = new Map(sessions.flatMap(({ id, title, isNamed }) => (isNamed ? [[id, title]] : [])));
  const matches = answer.matches.map((match) => ({ ...match, title: names.get(match.sessionId) ?? match.title }));
  return { ...answer, matches };
}

function lineOf({ id, title, folder = "", modifiedAt }: SessionSummary): string {
  const time = new Date(modifiedAt).toISOString().slice(0, 16).replace("T", " ");
  return `${plainText([time, id, folder].filter((part) => part !== "").join("  "))}\n  session: ${plainText(title)}\n\n`;
}

function textOf({ matches, more }: RecallAnswer): string {
  const rest = more > 0 ? [`${more} more: --all lists them.`, ""] : [];
  return [...matches.flatMap(linesOf), ...rest].join("\n");
}

function linesOf({ sessionId, time, cwd, title, kind, excerpt }: RecallMatch): readonly string[] {
  const head = [time.slice(0, 16).replace("T", " "), sessionId, cwd, title].filter((part) => part !== "").join("  ");
  return [plainText(head), `  ${MATCH_WORDS[kind]}: ${plainText(excerpt).replace(/\s+/g, " ").trim()}`, ""];
}
