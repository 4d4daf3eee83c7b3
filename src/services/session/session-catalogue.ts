import { basename } from "node:path";
import { setImmediate as giveWay } from "node:timers/promises";
import { ConfigurationError } from "../../contracts/errors.ts";
import { asListed, describedSessions, matchingSessions } from "../../contracts/match-sessions.ts";
import { orUndefined } from "../../contracts/or-undefined.ts";
import type { ClearedConversation, SessionSummary } from "../../contracts/session.ts";
import { namedFew } from "../../contracts/words.ts";
import { lockHolder } from "../../platform/lock-file.ts";
import { listFiles } from "../../platform/read-chunks.ts";
import { type KnownLog, readIndex, writeIndex } from "./facts-index.ts";
import { hasSession, type SessionFileFacts, sessionFiles } from "./list-sessions.ts";
import { type LogFacts, NO_FACTS, readFacts } from "./log-facts.ts";
import { LOCK_ENDING, sessionLock } from "./session-file.ts";
import { NO_PROMPT } from "./session-title.ts";

/** Other work gets its turn after so many bytes. */
const BYTES_AT_ONCE = 2 * 1024 * 1024;
/** The index is written again when reading the changed logs took more than this. */
const MOST_CHANGED_LOGS = 16;
const MOST_CHANGED_BYTES = 1024 * 1024;
/** Opening a file takes as long as reading so many bytes. */
const OPENING_BYTES = 16 * 1024;
const MAX_NAMED = 5;

/** A session with all that is known of its log. */
export type CataloguedSession = { readonly file: SessionFileFacts; readonly facts: LogFacts };

/**
 * The sessions of a project with their facts, newest first. Only logs that are new or have changed since the index was
 * written are read. The index forgets deleted sessions.
 * @param folder `sessions/<project id>` in our data folder; absolute.
 * @throws {UserFacingError} (as a rejection) the folder can't be read.
 */
export async function catalogueOf(folder: string): Promise<readonly CataloguedSession[]> {
  const files = sessionFiles(folder);
  const known = readIndex(folder);
  const changed = { logs: 0, bytes: 0 };
  let sinceRest = 0;
  let stillThere = 0;
  const found: CataloguedSession[] = [];
  for (const file of files) {
    const before = known.get(file.id);
    if (before) stillThere += 1;
    if (before && before.bytes === file.bytes && before.modifiedAt === file.modifiedAt) {
      found.push({ file, facts: before.facts });
      continue;
    }
    const facts = factsOf(file, before?.facts);
    found.push({ file, facts });
    const read = facts.read - (before?.facts.read ?? 0);
    changed.logs += 1;
    changed.bytes += Math.max(0, read);
    sinceRest += Math.abs(read) + OPENING_BYTES;
    if (sinceRest < BYTES_AT_ONCE) continue;
    sinceRest = 0;
    await giveWay();
  }
  if (stillThere < known.size || changed.logs > MOST_CHANGED_LOGS || changed.bytes > MOST_CHANGED_BYTES)
    writeIndex(folder, found.map(asKnown));
  return found;
}

function asKnown({ file, facts }: CataloguedSession): readonly [string, KnownLog] {
  return [file.id, { bytes: file.bytes, modifiedAt: file.modifiedAt, facts }];
}

/** A log that can't be read has no facts but is still listed. */
function factsOf(file: SessionFileFacts, known: LogFacts | undefined): LogFacts {
  return orUndefined(() => readFacts(file, known)) ?? NO_FACTS;
}

/**
 * The sessions of a project, newest first. Throws the same errors as `catalogueOf`.
 * @param folder `sessions/<project id>` in our data folder; absolute.
 */
export async function listSessions(folder: string): Promise<readonly SessionSummary[]> {
  const found = await catalogueOf(folder);
  const open = openSessions(folder);
  return found.map((one) => summaryOf(one, open.has(one.file.id)));
}

/**
 * The newest conversations with prompts that `/clear` ended in the sessions of a project, newest first. Throws the same
 * errors as `catalogueOf`.
 */
export async function listCleared(folder: string): Promise<readonly ClearedConversation[]> {
  const found = (await catalogueOf(folder)).flatMap(({ file, facts }) => clearedOf(file.id, facts));
  return found.sort((a, b) => b.endedAt - a.endedAt);
}

function clearedOf(sessionId: string, facts: LogFacts): readonly ClearedConversation[] {
  const { ended = [], isCleared, isArchived, folder } = facts;
  return ended
    .map(({ id, endedAt, prompts, prompt = NO_PROMPT, title, lastPrompt }, at) => ({
      id,
      sessionId,
      title: title || prompt,
      prompts,
      endedAt,
      ...(title && { firstPrompt: prompt }),
      ...(lastPrompt !== undefined && { lastPrompt }),
      ...(isCleared && at === ended.length - 1 && { isLast: true as const }),
      ...(isArchived && { isArchived: true as const }),
      ...(folder !== undefined && { folder }),
    }))
    .toReversed();
}

/** The ids of the sessions that a process has open now, or whose lock can't be read. */
export function openSessions(folder: string): ReadonlySet<string> {
  const ids = listFiles(folder, LOCK_ENDING).map(({ name }) => basename(name, LOCK_ENDING));
  return new Set(ids.filter((id) => isOpen(folder, id)));
}

function isOpen(folder: string, sessionId: string): boolean {
  return orUndefined(() => lockHolder(sessionLock(folder, sessionId)) !== undefined) ?? true;
}

type Changing = { -readonly [Key in keyof SessionSummary]: SessionSummary[Key] };

/** The fields are set one by one, because spreading takes longer than all else of a list of thousands. */
function summaryOf({ file, facts }: CataloguedSession, isOpen: boolean): SessionSummary {
  const { name, prompt = NO_PROMPT, prompts, costUsd, folder, branch, worktree, lastPrompt, lastAnswer } = facts;
  const written = name || facts.title;
  const { id, modifiedAt, bytes } = file;
  const summary: Changing = { id, title: written || prompt, modifiedAt, bytes, prompts, costUsd };
  if (name) summary.isNamed = true;
  if (written) summary.firstPrompt = prompt;
  if (facts.isHeadless) summary.isHeadless = true;
  if (facts.isPinned) summary.isPinned = true;
  if (facts.isArchived) summary.isArchived = true;
  if (isOpen) summary.isOpen = true;
  if (folder !== undefined) summary.folder = folder;
  if (branch !== undefined) summary.branch = branch;
  if (worktree !== undefined) summary.worktree = worktree;
  if (lastPrompt !== undefined) summary.lastPrompt = lastPrompt;
  if (lastAnswer !== undefined) summary.lastAnswer = lastAnswer;
  return summary;
}

/**
 * Finds a session by its id, its name, or the beginning of either.
 * @param folder `sessions/<project id>` in our data folder; absolute.
 * @returns the session's id; undefined if no session fits.
 * @throws {ConfigurationError} (as a rejection) `severalSessions`: several sessions fit.
 */
export async function findSession(folder: string, wanted: string): Promise<string | undefined> {
  // The catalogue of many sessions takes longer than the list of their files.
  if (hasSession(folder, wanted)) return wanted;
  return onlyOne(wanted, matchingSessions(wanted, await listSessions(folder)))?.id;
}

/** Finds a conversation that `/clear` ended as `findSession` finds a session. Throws the same errors. */
export async function findCleared(folder: string, wanted: string): Promise<ClearedConversation | undefined> {
  return onlyOne(wanted, matchingSessions(wanted, await listCleared(folder)));
}

function onlyOne<Session extends Named>(wanted: string, fitting: readonly Session[]): Session | undefined {
  if (fitting.length < 2) return fitting[0];
  const line = `${fitting.length} sessions fit ${JSON.stringify(wanted)}: ${namedOf(fitting)}.`;
  throw new ConfigurationError("severalSessions", line);
}

/**
 * Call this for words that no session has as its name.
 * @param shown The form in which lists show a session's folder; empty for the project's own folder.
 * @throws {ConfigurationError} (as a rejection) `severalSessions`: sessions have the words in their prompts, branches or
 * folders.
 */
export async function assertNotDescribed(
  folder: string,
  words: string,
  shown: (path: string) => string,
): Promise<void> {
  if (words.trim() === "") return;
  const all = [...asListed(await listSessions(folder), shown), ...asListed(await listCleared(folder), shown)];
  const found = describedSessions(words, all);
  if (found.length === 0) return;
  const line = `No session has the name ${JSON.stringify(words)}; these have its words: ${namedOf(found)}.`;
  throw new ConfigurationError("severalSessions", line);
}

type Named = Pick<SessionSummary, "id" | "title">;

function namedOf(sessions: readonly Named[]): string {
  return namedFew(
    sessions.map(({ id, title }) => `${id} ("${title}")`),
    MAX_NAMED,
  );
}
