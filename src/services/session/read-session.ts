import { errorCode, errorMessage, UserFacingError } from "../../contracts/errors.ts";
import { type Entry, SESSION_FORMAT } from "../../contracts/session.ts";
import { readLines } from "../../platform/read-chunks.ts";
import { parseEntry } from "./entry.ts";

/** An entry on the path, or the bare link of one whose kind we don't know. */
type Link = { readonly id: string; readonly parentId: string | null; readonly entry?: Entry };

export type ReadSession = {
  readonly sessionId: string | undefined;
  /** The time of the first entry; ISO 8601, UTC. */
  readonly startedAt: string | undefined;
  /** The entries of the conversation since it was last cleared, oldest first. */
  readonly path: readonly Entry[];
  /** Of the last entry in the file. */
  readonly lastId: string | null;
  /** Where a torn last line begins, in bytes; undefined when the file ends with a whole entry. */
  readonly tornAt: number | undefined;
  /** True when the last entry is whole but its line feed is missing. */
  readonly lacksNewline: boolean;
  readonly warnings: readonly string[];
};

/**
 * Streams a session file. A torn last line is left out, a line that can't be read is skipped and told; nothing is changed.
 * Only what follows the last `cleared` is kept in memory.
 * @throws {UserFacingError} the file can't be read, or was written in a newer format.
 */
export function readSession(file: string): ReadSession {
  const links = new Map<string, Link>();
  const skipped: number[] = [];
  let sessionId: string | undefined;
  let startedAt: string | undefined;
  let lastId: string | null = null;
  let tornAt: number | undefined;
  let lacksNewline = false;
  let lineNumber = 0;
  for (const { text, offset, complete } of guarded(file)) {
    lineNumber += 1;
    if (complete && text.trim() === "") continue;
    const read = parseEntry(text);
    if (read.kind === "newer") throw newerFormat(file, read.format);
    if (read.kind === "malformed") {
      if (complete) skipped.push(lineNumber);
      else tornAt = offset;
      continue;
    }
    lacksNewline = !complete;
    const link: Link =
      read.kind === "entry" ? { id: read.entry.id, parentId: read.entry.parentId, entry: read.entry } : read;
    if (read.kind === "entry") startedAt ??= read.entry.time;
    if (read.kind === "entry" && read.entry.kind === "session") sessionId ??= read.entry.sessionId;
    // Written twice around a crash: the first counts.
    if (links.has(link.id)) continue;
    if (read.kind === "entry" && read.entry.kind === "cleared") links.clear();
    links.set(link.id, link);
    lastId = link.id;
  }
  const warnings = skipped.length === 0 ? [] : [skippedWarning(file, skipped)];
  return { sessionId, startedAt, path: pathOf([...links.values()]), lastId, tornAt, lacksNewline, warnings };
}

/** From the last entry up by `parentId`; where a link is lost, the entry before it in the file takes its place. */
function pathOf(links: readonly Link[]): readonly Entry[] {
  const places = new Map(links.map((link, index) => [link.id, index]));
  const path: Entry[] = [];
  for (let at = links.length - 1; at >= 0; ) {
    const link = links[at];
    if (!link) break;
    if (link.entry) path.push(link.entry);
    const parent = link.parentId === null ? -1 : (places.get(link.parentId) ?? at - 1);
    // A parent stands before its child: anything else would go round in circles.
    at = parent < at ? parent : at - 1;
  }
  return path.reverse();
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

function newerFormat(file: string, format: number): UserFacingError {
  return new UserFacingError(
    `${file} was written by a newer Quoll (format ${format}, this one reads ${SESSION_FORMAT}): update Quoll to go on with it.`,
  );
}

function skippedWarning(file: string, lines: readonly number[]): string {
  const shown = lines.slice(0, 5).join(", ");
  const more = lines.length > 5 ? ` and ${lines.length - 5} more` : "";
  const noun = lines.length === 1 ? "line" : "lines";
  return `${file}: ${noun} ${shown}${more} can't be read and ${lines.length === 1 ? "was" : "were"} skipped; the file is kept as it is.`;
}
