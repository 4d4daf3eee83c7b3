import { errorCode, errorMessage, UserFacingError } from "../../contracts/errors.ts";
import { isJsonObject } from "../../contracts/message.ts";
import { parsedObject } from "../../contracts/parsed-json.ts";
import { type Entry, SESSION_FORMAT } from "../../contracts/session.ts";
import { namedFew } from "../../contracts/words.ts";
import { type ByteLine, readByteLines } from "../../platform/read-byte-lines.ts";
import { isOfMainAgent } from "./entry-path.ts";
import { isKnownKind, type ReadLine } from "./read-line.ts";

/** The content of these entries tells about the session. */
const PARSED: ReadonlySet<string> = new Set(["session", "label", "cleared"]);
const MESSAGES: ReadonlySet<string> = new Set(["user", "assistant", "results"]);

/** Reads one line of a session file. */
export type ParseLine = (line: string) => ReadLine;

/** The place of an entry in the tree and in the file, without its content. */
export type IndexedEntry = {
  readonly id: string;
  readonly parentId: string | null;
  readonly kind: string;
  readonly agentId: string | undefined;
  readonly parentAgentId: string | null | undefined;
  /** The id of the message of a `user`, `assistant` or `results` entry. */
  readonly messageId: string | undefined;
  /** True for an entry of an unknown kind, which only links the entries before and after it. */
  readonly isForeign: boolean;
  /** The place of its line in the file, without the line feed. */
  readonly offset: number;
  readonly bytes: number;
};

/** A conversation that a `cleared` ended. */
export type EndedIndex = {
  readonly by: Entry;
  readonly entries: readonly IndexedEntry[];
  readonly lastId: string | null;
};

/** The entries of a session file, without their content. */
export type SessionIndex = {
  readonly sessionId: string | undefined;
  /** The time of the first entry; ISO 8601, UTC. */
  readonly startedAt: string | undefined;
  /** The name that the person gave last; undefined if they gave none. */
  readonly name: string | undefined;
  /** The entries since the last `cleared`, in the order of the file. */
  readonly entries: readonly IndexedEntry[];
  /** The conversations before, oldest first, if they were asked for. */
  readonly ended: readonly EndedIndex[];
  /** The id of the main agent's last entry. */
  readonly lastId: string | null;
  /** The byte offset of an incomplete last line; undefined if the file ends with a complete entry. */
  readonly tornAt: number | undefined;
  /** True if the last entry is complete but lacks its line feed. */
  readonly lacksNewline: boolean;
  readonly warnings: readonly string[];
};

export type IndexRequest = {
  readonly parse: ParseLine;
  /** True to check every line whole. Otherwise only the fields that link entries are checked. */
  readonly checksAll?: boolean;
  /** True to keep the conversations that a `cleared` ended. */
  readonly keepsEnded?: boolean;
};

/**
 * Streams a session file line by line. Leaves out an incomplete last line, skips and reports unreadable lines, and
 * changes nothing.
 * @throws {UserFacingError} the file can't be read, or was written in a newer format.
 */
export function indexSession(file: string, request: IndexRequest): SessionIndex {
  const indexing = new Indexing(file, request);
  for (const line of linesOf(file)) indexing.add(line);
  return indexing.finish();
}

class Indexing {
  readonly #file: string;
  readonly #request: IndexRequest;
  #entries = new Map<string, IndexedEntry>();
  readonly #ended: EndedIndex[] = [];
  readonly #skipped: number[] = [];
  #lines = 0;
  #sessionId: string | undefined;
  #startedAt: string | undefined;
  #name: string | undefined;
  #lastId: string | null = null;
  #tornAt: number | undefined;
  #lacksNewline = false;

  constructor(file: string, request: IndexRequest) {
    this.#file = file;
    this.#request = request;
  }

  add(line: ByteLine): void {
    this.#lines += 1;
    const text = line.bytes.toString("utf8");
    if (line.complete && text.trim() === "") return;
    const quick = line.complete && !this.#request.checksAll ? linksIn(text, line) : undefined;
    if (!quick) {
      this.#addParsed(line, this.#request.parse(text));
      return;
    }
    this.#startedAt ??= quick.time;
    this.#lacksNewline = false;
    this.#keep(quick.entry, undefined);
  }

  finish(): SessionIndex {
    const [file, skipped] = [this.#file, this.#skipped];
    return {
      sessionId: this.#sessionId,
      startedAt: this.#startedAt,
      name: this.#name,
      entries: [...this.#entries.values()],
      ended: this.#ended,
      lastId: this.#lastId,
      tornAt: this.#tornAt,
      lacksNewline: this.#lacksNewline,
      warnings: skipped.length === 0 ? [] : [skippedWarning(file, skipped)],
    };
  }

  #addParsed(line: ByteLine, read: ReadLine): void {
    if (read.kind === "newer") throw newerFormat(this.#file, read.why);
    if (read.kind === "malformed") {
      if (line.complete) this.#skipped.push(this.#lines);
      else this.#tornAt = line.offset;
      return;
    }
    this.#lacksNewline = !line.complete;
    const { offset, bytes } = { offset: line.offset, bytes: line.bytes.length };
    if (read.kind === "foreign") {
      const { id, parentId, kind, agentId, parentAgentId } = read.record;
      const place = { messageId: undefined, isForeign: true, offset, bytes };
      this.#keep({ id, parentId, kind, agentId, parentAgentId, ...place }, undefined);
      return;
    }
    const { entry } = read;
    this.#startedAt ??= entry.time;
    if (entry.kind === "session") this.#sessionId ??= entry.sessionId;
    if (entry.kind === "label" && typeof entry.name === "string") this.#name = entry.name;
    const { id, parentId, kind, agentId, parentAgentId } = entry;
    const messageId = kind === "user" || kind === "assistant" || kind === "results" ? entry.message.id : undefined;
    this.#keep({ id, parentId, kind, agentId, parentAgentId, messageId, isForeign: false, offset, bytes }, entry);
  }

  #keep(indexed: IndexedEntry, entry: Entry | undefined): void {
    // If a crash caused two entries, the first is used.
    if (this.#entries.has(indexed.id)) return;
    if (entry?.kind === "cleared") {
      const entries = this.#request.keepsEnded ? [...this.#entries.values()] : [];
      if (this.#request.keepsEnded) this.#ended.push({ by: entry, entries, lastId: this.#lastId });
      this.#entries = new Map();
    }
    this.#entries.set(indexed.id, indexed);
    if (isOfMainAgent(indexed)) this.#lastId = indexed.id;
  }
}

/** The fields of a line that link entries. Undefined for a line whose content must be checked. */
function linksIn(
  text: string,
  { offset, bytes }: ByteLine,
): { readonly entry: IndexedEntry; readonly time: string } | undefined {
  const { v, id, parentId, time, kind, agentId, parentAgentId, message } = parsedObject(text) ?? {};
  if (typeof v !== "number" || v > SESSION_FORMAT || typeof id !== "string" || typeof time !== "string")
    return undefined;
  if (typeof kind !== "string" || !isKnownKind(kind) || PARSED.has(kind)) return undefined;
  if (!isIdOrNull(parentId) || typeof agentId !== "string" || !isIdOrNull(parentAgentId)) return undefined;
  const own = MESSAGES.has(kind) && isJsonObject(message) ? message["id"] : undefined;
  const messageId = typeof own === "string" ? own : undefined;
  if (MESSAGES.has(kind) && messageId === undefined) return undefined;
  const place = { isForeign: false, offset, bytes: bytes.length };
  return { time, entry: { id, parentId, kind, agentId, parentAgentId, messageId, ...place } };
}

function isIdOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}

function* linesOf(file: string): Generator<ByteLine> {
  try {
    yield* readByteLines(file);
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** The error about a session file that can't be read. */
export function unreadable(file: string, error: unknown): UserFacingError {
  if (error instanceof UserFacingError) return error;
  const missing = errorCode(error) === "ENOENT";
  const what = missing ? "does not exist" : `can't be read: ${errorMessage(error)}`;
  return new UserFacingError(`The session file ${file} ${what}.`, 1, { cause: error });
}

function newerFormat(file: string, why: string): UserFacingError {
  return new UserFacingError(`${file} was written by a newer Quoll (${why}): update Quoll to continue this session.`);
}

function skippedWarning(file: string, lines: readonly number[]): string {
  const noun = lines.length === 1 ? "line" : "lines";
  return `${file}: ${noun} ${namedFew(lines.map(String), 5)} can't be read and ${lines.length === 1 ? "was" : "were"} skipped; the file is kept as it is.`;
}
