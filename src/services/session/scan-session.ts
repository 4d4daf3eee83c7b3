import { errorCode, errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { Entry } from "../../contracts/session.ts";
import { readLines } from "../../platform/read-chunks.ts";
import type { ReadLine } from "./entry.ts";
import { isOfMainAgent, type Link, pathOf } from "./entry-path.ts";

export type ReadSession = {
  readonly sessionId: string | undefined;
  /** The time of the first entry; ISO 8601, UTC. */
  readonly startedAt: string | undefined;
  /** The entries of the conversation since the last `/clear`, oldest first. */
  readonly path: readonly Entry[];
  /** The same entries, and those of unknown kinds. */
  readonly links: readonly Link[];
  /** The id of the main agent's last entry. */
  readonly lastId: string | null;
  /** The byte offset of an incomplete last line; undefined if the file ends with a complete entry. */
  readonly tornAt: number | undefined;
  /** True if the last entry is complete but lacks its line feed. */
  readonly lacksNewline: boolean;
  readonly warnings: readonly string[];
};

/** Reads one line of a session file. */
export type ParseLine = (line: string) => ReadLine;

export type ScanRequest = {
  readonly parse: ParseLine;
  /** The last entry of the path; by default the last entry of the session's own agent. */
  readonly leafId?: string | undefined;
  /** Gets each conversation with prompts that a `cleared` ended, oldest first. */
  ended?(conversation: EndedConversation): void;
};

export type EndedConversation = {
  /** The `cleared` that ended the conversation. */
  readonly by: Entry;
  /** The entries of the conversation, oldest first. */
  readonly path: readonly Entry[];
  /** The same entries, and those of unknown kinds. */
  readonly links: readonly Link[];
};

/**
 * Streams a session file. Leaves out an incomplete last line, skips and reports unreadable lines, and changes
 * nothing. Only the entries after the last `cleared` stay in memory.
 * @throws {UserFacingError} the file can't be read, or was written in a newer format.
 */
export function scanSession(file: string, { parse, leafId, ended }: ScanRequest): ReadSession {
  const links = new Map<string, Link>();
  const foreign = new Set<Link>();
  const skipped: number[] = [];
  const isKnown = (link: Link): link is Entry => !foreign.has(link);
  let sessionId: string | undefined;
  let startedAt: string | undefined;
  let lastId: string | null = null;
  let tornAt: number | undefined;
  let lacksNewline = false;
  let lineNumber = 0;
  for (const { text, offset, complete } of guarded(file)) {
    lineNumber += 1;
    if (complete && text.trim() === "") continue;
    const read = parse(text);
    if (read.kind === "newer") throw newerFormat(file, read.why);
    if (read.kind === "malformed") {
      if (complete) skipped.push(lineNumber);
      else tornAt = offset;
      continue;
    }
    lacksNewline = !complete;
    if (read.kind === "entry") startedAt ??= read.entry.time;
    if (read.kind === "entry" && read.entry.kind === "session") sessionId ??= read.entry.sessionId;
    const link: Link = read.kind === "entry" ? read.entry : read.record;
    // If a crash caused two entries, the first is used.
    if (links.has(link.id)) continue;
    if (read.kind === "entry" && read.entry.kind === "cleared") {
      const before = ended ? pathOf([...links.values()], lastId) : [];
      const path = before.filter(isKnown);
      if (path.some(({ kind }) => kind === "user")) ended?.({ by: read.entry, path, links: before });
      links.clear();
      foreign.clear();
    }
    links.set(link.id, link);
    if (read.kind === "foreign") foreign.add(link);
    if (isOfMainAgent(link)) lastId = link.id;
  }
  const warnings = skipped.length === 0 ? [] : [skippedWarning(file, skipped)];
  const found = pathOf([...links.values()], leafId ?? lastId);
  const path = found.filter(isKnown);
  return { sessionId, startedAt, path, links: found, lastId, tornAt, lacksNewline, warnings };
}

/**
 * The last entry of an agent since the last `/clear`; undefined if it has none.
 * @throws {UserFacingError} the file can't be read.
 */
export function lastEntryOfAgent(file: string, agentId: string): string | undefined {
  let last: string | undefined;
  for (const { text } of guarded(file)) {
    // Few lines are about one agent.
    if (!text.includes(agentId) && !text.includes('"cleared"')) continue;
    const read = parseOwnLine(text);
    if (read.kind !== "entry") continue;
    if (read.entry.kind === "cleared") last = undefined;
    else if (read.entry.agentId === agentId) last = read.entry.id;
  }
  return last;
}

/** Parses a line that this process wrote, so that its form needs no check. */
export function parseOwnLine(line: string): ReadLine {
  try {
    return { kind: "entry", entry: JSON.parse(line) as Entry };
  } catch {
    return { kind: "malformed" };
  }
}

function* guarded(file: string): ReturnType<typeof readLines> {
  try {
    yield* readLines(file);
  } catch (error) {
    const missing = errorCode(error) === "ENOENT";
    const what = missing ? "does not exist" : `can't be read: ${errorMessage(error)}`;
    throw new UserFacingError(`The session file ${file} ${what}.`, 1, { cause: error });
  }
}

function newerFormat(file: string, why: string): UserFacingError {
  return new UserFacingError(`${file} was written by a newer Quoll (${why}): update Quoll to continue this session.`);
}

function skippedWarning(file: string, lines: readonly number[]): string {
  const shown = lines.slice(0, 5).join(", ");
  const more = lines.length > 5 ? ` and ${lines.length - 5} more` : "";
  const noun = lines.length === 1 ? "line" : "lines";
  return `${file}: ${noun} ${shown}${more} can't be read and ${lines.length === 1 ? "was" : "were"} skipped; the file is kept as it is.`;
}
