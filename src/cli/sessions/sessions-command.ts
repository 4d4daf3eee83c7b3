import { formatCount } from "@quoll/terminal-text/format-amount";
import { plural } from "@quoll/terminal-text/plural";
import { processEnvironment } from "../../app/process-environment.ts";
import { forgetDeleted } from "../../app/session/saved/forget-deleted.ts";
import { placedCleared, placedSessions } from "../../app/session/saved/placed-sessions.ts";
import { deleteSaved, pruneSessions, sessionsToPrune } from "../../app/session/saved/prune-sessions.ts";
import { BEFORE_CLEAR } from "../../commands/session-list.ts";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { SessionLabel, SessionSummary } from "../../contracts/session.ts";
import { randomIds, systemClock } from "../../platform/clock.ts";
import { shortPath } from "../../platform/directories.ts";
import { printError, printProblem } from "../../platform/host.ts";
import { printLine } from "../../platform/standard-output.ts";
import { storedBytes } from "../../services/session/io/session-storage.ts";
import { labelSession } from "../../services/session/label-session.ts";
import { noSuchSession } from "../../services/session/list-sessions.ts";
import { keptBecause } from "../../services/session/retention.ts";
import { findCleared, findSession, listCleared, listSessions } from "../../services/session/session-catalogue.ts";
import { sessionFile } from "../../services/session/session-file.ts";
import { projectHere } from "../project-here.ts";
import { asClearedRow, asRow, jsonOf, rowsOf } from "./listed-row.ts";
import { projectSessions } from "./project-sessions.ts";

type FolderOptions = { readonly json?: boolean; readonly cwd?: string };
type ListOptions = FolderOptions & { readonly allProjects?: boolean; readonly archived?: boolean };
type MarkOptions = FolderOptions & { readonly undo?: boolean };
type DeleteOptions = FolderOptions & { readonly dryRun?: boolean };
type RewindOptions = DeleteOptions & { readonly to?: string; readonly files?: true; readonly conversation?: true };
/** `cwd`: the folder of the command; `folder`: the sessions of its project. Both absolute. */
type SessionFolders = { readonly cwd: string; readonly folder: string; readonly home: string; readonly now: number };

async function foldersOf(options: FolderOptions): Promise<SessionFolders> {
  const { own, cwd, sessions } = await projectSessions(options.cwd);
  return { cwd, folder: sessions, home: own.home, now: systemClock.now() };
}

/** `quoll sessions rewind`. */
export async function rewind(
  session: string,
  { to, files, conversation, dryRun: isDryRun = false, json = false, ...options }: RewindOptions,
  version: string,
): Promise<number> {
  const scope = files ? "files" : conversation ? "conversation" : "both";
  const action = { scope, isDryRun, json, ...(to !== undefined && { to }) } as const;
  const folders = await foldersOf(options);
  const { rewindSession } = await import("./rewind-session.ts");
  const { id } = await sessionOf(session, folders);
  return rewindSession(action, id, { folder: folders.cwd, version });
}

/** `quoll sessions list`. */
export async function list({
  json,
  allProjects: isOfAll,
  archived: hasArchived = false,
  ...options
}: ListOptions): Promise<number> {
  const folders = await foldersOf(options);
  const { own } = processEnvironment();
  const all = isOfAll ? await placedSessions(own) : await listSessions(folders.folder);
  const cleared = isOfAll ? await placedCleared(own) : await listCleared(folders.folder);
  // A session that is empty since its last `/clear` stands for that conversation.
  const rows = [...all.map(asRow), ...cleared.filter(({ isLast }) => !isLast).map(asClearedRow)];
  const shown = rows
    .filter(({ isArchived }) => hasArchived || !isArchived)
    .toSorted((a, b) => Number(b.isPinned) - Number(a.isPinned) || b.at - a.at);
  const inJson = () => shown.map((one) => one.json());
  if (json) printLine(JSON.stringify(inJson(), null, 2));
  else if (shown.length > 0) printLine(shown.map((one) => one.lines(folders)).join("\n"));
  else printError("quoll: This project has no saved session.");
  return 0;
}

/** `quoll sessions show`. */
export async function show(session: string, { json, ...options }: FolderOptions): Promise<number> {
  const folders = await foldersOf(options);
  const found = await sessionOf(session, folders);
  const stored = storedBytes({ folder: folders.folder, sessionId: found.id });
  const file = sessionFile(folders.folder, found.id);
  if (json) {
    printLine(JSON.stringify({ ...jsonOf(found), file, ...stored }, null, 2));
    return 0;
  }
  const { outputBytes, outputFiles } = stored;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["id", found.id],
    ["file", shortPath(file, folders.home)],
    ["log", shownBytes(stored.logBytes)],
    ["output", outputFiles === 0 ? undefined : `${shownBytes(outputBytes)} in ${plural(outputFiles, "file")}`],
    ["worktree", found.worktree],
    ["last prompt", found.lastPrompt],
    ["last answer", found.lastAnswer],
  ];
  const lines = rows.flatMap(([name, value]) => (value === undefined ? [] : [`  ${name.padEnd(12)}${value}`]));
  printLine([rowsOf(found, folders), ...lines].join("\n"));
  return 0;
}

/** `quoll sessions rename`. */
export function rename(session: string, words: readonly string[], options: FolderOptions): Promise<number> {
  return label(session, { name: words.join(" ") }, options);
}

/** `quoll sessions pin`. */
export function pin(session: string, { undo: isUndone = false, ...options }: MarkOptions): Promise<number> {
  return label(session, { isPinned: !isUndone }, options);
}

/** `quoll sessions archive`. */
export function archive(session: string, { undo: isUndone = false, ...options }: MarkOptions): Promise<number> {
  return label(session, { isArchived: !isUndone }, options);
}

async function label(session: string, given: SessionLabel, { json, ...options }: FolderOptions): Promise<number> {
  const folders = await foldersOf(options);
  const { id } = await sessionOf(session, folders);
  labelSession({ folder: folders.folder, sessionId: id }, given, { clock: systemClock, ids: randomIds });
  const now = await sessionOf(id, folders);
  printLine(json ? JSON.stringify(jsonOf(now), null, 2) : rowsOf(now, folders));
  return 0;
}

/** The line about a session that was, or would be, deleted, or that stays. */
type Removal = SessionSummary & {
  readonly logBytes: number;
  readonly outputBytes: number;
  readonly outputFiles: number;
  readonly keptBecause?: string;
};

/** `quoll sessions rm`. @returns 1 if a session stays. */
export async function remove(
  sessions: readonly string[],
  { json, dryRun: isDryRun = false, ...options }: DeleteOptions,
): Promise<number> {
  const folders = await foldersOf(options);
  const found: SessionSummary[] = [];
  for (const session of sessions) found.push(await sessionOf(session, folders));
  const removals = [...new Map(found.map((one) => [one.id, one])).values()].map((one) =>
    removal(one, folders, isDryRun),
  );
  const removed = removals.filter((one) => one.keptBecause === undefined);
  if (!isDryRun && removed.length > 0) await forgetDeleted(processEnvironment().own, [folders.folder]);
  if (json) printLine(JSON.stringify(removals.map(removalJson), null, 2));
  else for (const one of removed) printLine(`${isDryRun ? "would delete" : "deleted"} ${removalLine(one)}`);
  const kept = removals.filter((one) => one.keptBecause !== undefined);
  for (const one of kept) printProblem(`The session ${one.id} ("${one.title}") stays: ${one.keptBecause}.`);
  return kept.length > 0 ? 1 : 0;
}

function removal(session: SessionSummary, { folder }: SessionFolders, isDryRun: boolean): Removal {
  const saved = { folder, sessionId: session.id };
  const whole = { ...session, ...storedBytes(saved) };
  const mark = keptBecause(session);
  if (mark !== undefined) return { ...whole, keptBecause: `it is ${mark}` };
  try {
    if (!isDryRun) deleteSaved(saved);
    return whole;
  } catch (error) {
    return { ...whole, keptBecause: errorMessage(error).replace(/\.$/, "") };
  }
}

function removalLine({ id, title, logBytes, outputBytes, outputFiles }: Removal): string {
  const output = outputFiles === 0 ? [] : [`${plural(outputFiles, "file")} of output (${shownBytes(outputBytes)})`];
  const parts = [`log (${shownBytes(logBytes)})`, ...output, "checkpoints", "entries in the indexes"];
  return `${id} "${title}": ${parts.join(", ")}`;
}

function removalJson({ id, title, logBytes, outputBytes, outputFiles, keptBecause: why }: Removal) {
  return { id, title, deletes: why === undefined, keptBecause: why, logBytes, outputBytes, outputFiles };
}

/** `quoll sessions prune`. */
export async function prune({ json, dryRun: isDryRun = false, cwd }: DeleteOptions): Promise<number> {
  const { own, settings } = await projectHere({ cwd }, printProblem);
  const now = systemClock.now();
  const outdated = await sessionsToPrune(own, settings.sessions ?? {}, now);
  const gone = isDryRun ? outdated : await pruneSessions(own, outdated, now);
  if (!isDryRun)
    await forgetDeleted(
      own,
      gone.map(({ session }) => session.place),
    );
  const bytes = gone.reduce((sum, { session }) => sum + session.bytes, 0);
  if (json) {
    const sessions = gone.map(({ session, why }) => ({ ...jsonOf(session), why }));
    printLine(JSON.stringify({ isDryRun, bytes, sessions }, null, 2));
    return 0;
  }
  for (const { session, why } of gone)
    printLine(`${rowsOf(session, { now, home: own.home })} · ${shownBytes(session.bytes)} · ${WHY[why]}`);
  const verb = isDryRun ? "Would delete" : "Deleted";
  printLine(
    gone.length === 0 ? "Nothing to delete." : `${verb} ${plural(gone.length, "session")} (${shownBytes(bytes)}).`,
  );
  return 0;
}

const WHY = { age: "too old", size: "too many" } as const;

/** @throws {UserFacingError} (as a rejection) no session fits, or several do. */
async function sessionOf(wanted: string, { folder }: SessionFolders): Promise<SessionSummary> {
  const id = await findSession(folder, wanted);
  const found = id === undefined ? undefined : (await listSessions(folder)).find((one) => one.id === id);
  if (found) return found;
  const cleared = await findCleared(folder, wanted);
  if (!cleared) throw noSuchSession(folder, wanted);
  const what = `${cleared.id} is no session, but a conversation ${BEFORE_CLEAR} in the session ${cleared.sessionId}`;
  throw new UserFacingError(`${what}: name that session, or run \`quoll --resume ${cleared.id}\` for a copy.`, 2);
}

function shownBytes(bytes: number): string {
  return `${formatCount(bytes)}B`;
}
