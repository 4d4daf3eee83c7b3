import { errorCode, errorMessage, UserFacingError } from "../../contracts/errors.ts";
import { type Entry, SESSION_FORMAT } from "../../contracts/session.ts";
import { type ByteLine, readByteLines } from "../../platform/read-byte-lines.ts";
import type { SlicedWork } from "../../platform/sliced-work.ts";
import { isOfMainAgent } from "./entry-path.ts";
import { isKnownKind, type ReadLine } from "./read-line.ts";

/** Text of an id: letters of ASCII without an escape. Other ids are read by parsing the whole line. */
const TEXT = "[ !#-\\[\\]-~]*";
/** The fields that every entry has at its beginning, up to its kind. */
const START = new RegExp(
  `^\\{"v":(\\d+),"id":"(${TEXT})","parentId":(?:null|"(${TEXT})"),"time":"(${TEXT})","kind":"(\\w+)"`,
);
/** The fields of the agent at the end of an entry. */
const AGENT = ',"agentId":"';
const END = new RegExp(`^,"agentId":"(${TEXT})","parentAgentId":(?:null|"(${TEXT})")\\}$`);
/** The id of a message that ends with its id. */
const LAST_ID = new RegExp(`"id":"(${TEXT})"\\}$`);
/** The id of a message that begins with its role and its id. */
const MESSAGE = new RegExp(`^,"message":\\{"role":"\\w+","id":"(${TEXT})"`);
/** No text can contain this, because the quotes in texts are escaped. */
const USER_MESSAGE = ',"message":{"role":"user","id":"';
/** More than the fields at the beginning, or at the end, of an entry. */
const EDGE_BYTES = 320;
/** Other work gets its turn after so many bytes. */
const SLICE_BYTES = 1024 * 1024;
/** These entries are small, and their content tells about the session. */
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
  /** True to parse every line. Otherwise only damage of the fields at the edges of a line is noticed. */
  readonly checksAll?: boolean;
  /** True to keep the conversations that a `cleared` ended. */
  readonly keepsEnded?: boolean;
};

/**
 * Streams a session file in pieces of 1 MiB. Leaves out an incomplete last line, skips and reports unreadable lines, and
 * changes nothing. Most lines are not parsed: the fields that link entries stand at the edges of their lines.
 * @throws {UserFacingError} the file can't be read, or was written in a newer format.
 */
export function* indexSession(file: string, request: IndexRequest): SlicedWork<SessionIndex> {
  const indexing = new Indexing(file, request);
  let sinceRest = 0;
  for (const line of linesOf(file)) {
    indexing.add(line);
    sinceRest += line.bytes.length;
    if (sinceRest < SLICE_BYTES) continue;
    sinceRest = 0;
    yield;
  }
  return indexing.finish();
}

class Indexing {
  readonly #file: string;
  readonly #request: IndexRequest;
  #entries = new Map<string, IndexedEntry>();
  readonly #ended: EndedIndex[] = [];
  readonly #skipped: number[] = [];
  /** The kinds of entries, and the ids of agents. */
  readonly #texts = new Map<string, string>();
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
    const isQuick = line.complete && !this.#request.checksAll;
    const quick = isQuick ? edgesOf(line) : undefined;
    if (quick) {
      this.#startedAt ??= quick.time;
      this.#lacksNewline = false;
      this.#keep(this.#compact(quick.entry), undefined);
      return;
    }
    const text = line.bytes.toString("utf8");
    if (line.complete && text.trim() === "") return;
    this.#addParsed(line, this.#request.parse(text));
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

  /** The same entry without the parts of its line that a cut text holds on to. */
  #compact({ id, parentId, messageId, kind, agentId, parentAgentId, ...place }: IndexedEntry): IndexedEntry {
    return {
      id: copyOf(id),
      parentId: parentId === null ? null : (this.#entries.get(parentId)?.id ?? copyOf(parentId)),
      messageId: messageId === undefined ? undefined : copyOf(messageId),
      kind: this.#shared(kind),
      agentId: agentId === undefined ? undefined : this.#shared(agentId),
      parentAgentId: typeof parentAgentId === "string" ? this.#shared(parentAgentId) : parentAgentId,
      ...place,
    };
  }

  /** The one copy of a text that many entries have. */
  #shared(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const copy = copyOf(text);
    this.#texts.set(copy, copy);
    return copy;
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

/** A part of a text keeps the whole text in memory; its copy does not. @param text ASCII. */
function copyOf(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}

/** The fields at the edges of a line. Undefined if the line must be parsed. */
function edgesOf({ bytes, offset }: ByteLine): { readonly entry: IndexedEntry; readonly time: string } | undefined {
  const head = bytes.toString("latin1", 0, EDGE_BYTES);
  const start = START.exec(head);
  const [, v, id = "", parentId = null, time = "", kind = ""] = start ?? [];
  if (Number(v) > SESSION_FORMAT || !isKnownKind(kind) || PARSED.has(kind)) return undefined;
  const tail = bytes.toString("latin1", Math.max(0, bytes.length - EDGE_BYTES));
  const endAt = tail.lastIndexOf(AGENT);
  const end = endAt < 0 ? null : END.exec(tail.slice(endAt));
  // A crash of the machine can leave a part of a file as zeros.
  if (!end || bytes.includes(0)) return undefined;
  const [, agentId, parentAgentId = null] = end;
  const lastId = kind === "assistant" ? LAST_ID.exec(tail.slice(0, endAt))?.[1] : undefined;
  const body = head.slice(start?.[0].length ?? 0);
  const messageId = MESSAGES.has(kind) ? messageIdOf({ kind, bytes, body, lastId }) : undefined;
  if (MESSAGES.has(kind) && messageId === undefined) return undefined;
  const place = { isForeign: false, offset, bytes: bytes.length };
  return { time, entry: { id, parentId, kind, agentId, parentAgentId, messageId, ...place } };
}

type Message = {
  readonly kind: string;
  readonly bytes: Buffer;
  /** The text after the kind at the beginning of the line. */
  readonly body: string;
  /** The id with which the message ends. */
  readonly lastId: string | undefined;
};

function messageIdOf({ kind, bytes, body, lastId }: Message): string | undefined {
  if (lastId !== undefined) return lastId;
  if (kind !== "user") return MESSAGE.exec(body)?.[1];
  // The prompt stands before the message.
  const at = bytes.indexOf(USER_MESSAGE);
  return at < 0 ? undefined : MESSAGE.exec(bytes.toString("latin1", at, at + EDGE_BYTES))?.[1];
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
  const shown = lines.slice(0, 5).join(", ");
  const more = lines.length > 5 ? ` and ${lines.length - 5} more` : "";
  const noun = lines.length === 1 ? "line" : "lines";
  return `${file}: ${noun} ${shown}${more} can't be read and ${lines.length === 1 ? "was" : "were"} skipped; the file is kept as it is.`;
}
