import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setImmediate as giveWay } from "node:timers/promises";
import type { Entry } from "../../../contracts/session.ts";
import { readLines } from "../../../platform/read-chunks.ts";
import { textsOf } from "../entry-texts.ts";
import { spaced } from "../recall-query.ts";
import { addHead, type SessionHead } from "../session-head.ts";
import { type SessionFile, SpilledFiles, sessionFileAt } from "./session-files.ts";

/** The number of bytes of a log in one transaction. Other work of the process waits until the transaction ends. */
const BYTES_AT_ONCE = 256 * 1024;
/** The number of characters of a result file in one transaction. Each piece is a separate text in the index. */
const PIECE_CHARS = 256 * 1024;
/** The rest of a longer text is not indexed. */
const MAX_TEXT_CHARS = 1_000_000;

/** A session in the index. `bytes`: the number of indexed bytes of the session's log. */
export type IndexedFile = {
  readonly id: number;
  readonly stamp: string;
  readonly bytes: number;
  /** Where the conversation begins after the last `/clear`, and where the person's last prompt is. */
  readonly cleared: number;
  readonly asked: number;
};

/** A text of a session. */
export type TextPlace = {
  /** The offset of the entry in its log, and the text in the entry. */
  readonly at: number;
  readonly part: number;
  /** The file that contains the text; empty if the text is in the log. */
  readonly spilled: string;
};

export type IndexWriter = {
  readonly database: DatabaseSync;
  /** Hides credentials in a whole text. The index contains titles of sessions as text. */
  redact(text: string): string;
  parse(line: string): Entry | undefined;
};

/**
 * Brings the index up to date with the log of one session. Two processes may do this at the same time: each transaction
 * continues where the last transaction of either ended.
 * @param report Receives the number of bytes that were read.
 * @throws the abort reason of `signal`; {Error} the log or the index can't be used.
 */
export async function indexSession(
  writer: IndexWriter,
  file: SessionFile,
  signal: AbortSignal,
  report?: (bytes: number) => Promise<void>,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const now = sessionFileAt(dirname(dirname(file.path)), file.projectId, file.sessionId);
    const known = indexedFile(writer.database, file);
    if (!now) return;
    const isWaiting = known !== undefined && nextWaiting(writer.database, known.id) !== undefined;
    if (!isWaiting && known?.stamp === now.stamp && known.bytes === now.bytes) return;
    if (isWaiting) inTransaction(writer.database, () => indexWaiting(writer.database, known.id, now));
    else {
      const read = inTransaction(writer.database, () => indexNext(writer, now));
      await report?.(read);
      if (read === 0) return;
    }
    await giveWay();
  }
}

export function indexedFile(database: DatabaseSync, file: SessionFile): IndexedFile | undefined {
  const { projectId, sessionId } = file;
  const found = database
    .prepare("SELECT id, stamp, bytes, cleared, asked FROM files WHERE project = ? AND session = ?")
    .get(projectId, sessionId);
  return found as IndexedFile | undefined;
}

/** Removes sessions whose logs no longer exist. @param projectId If set, only sessions of this project are removed. */
export function forgetDeleted(database: DatabaseSync, there: readonly SessionFile[], projectId?: string): void {
  const paths = new Set(there.map(({ projectId: project, sessionId }) => `${project}/${sessionId}`));
  const rows = database.prepare("SELECT id, project, session FROM files").all() as {
    readonly id: number;
    readonly project: string;
    readonly session: string;
  }[];
  for (const { id, project, session } of rows)
    if ((projectId === undefined || project === projectId) && !paths.has(`${project}/${session}`))
      inTransaction(database, () => forget(database, id));
}

function forget(database: DatabaseSync, id: number): void {
  database.prepare("DELETE FROM words WHERE rowid IN (SELECT id FROM texts WHERE file = ?)").run(id);
  database.prepare("DELETE FROM texts WHERE file = ?").run(id);
  database.prepare("DELETE FROM waiting WHERE file = ?").run(id);
  database.prepare("DELETE FROM files WHERE id = ?").run(id);
}

function inTransaction<Value>(database: DatabaseSync, work: () => Value): Value {
  database.exec("BEGIN IMMEDIATE");
  try {
    const value = work();
    database.exec("COMMIT");
    return value;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

function rollBack(database: DatabaseSync): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // After some errors, such as a full disk, SQLite has already rolled back.
  }
}

/** Indexes the next lines of a log; the files that they name wait. @returns how many bytes; 0 when no whole line is left. */
function indexNext(writer: IndexWriter, file: SessionFile): number {
  const { database, parse, redact } = writer;
  const known = openFile(database, file);
  const add = textAdder(database, known.id, file);
  let { bytes, cleared, asked } = known;
  let head: SessionHead = {};
  for (const { text, offset, end, complete } of readLines(file.path, known.bytes)) {
    if (!complete || offset - known.bytes >= BYTES_AT_ONCE) break;
    bytes = end;
    const entry = parse(text);
    if (entry?.kind === "cleared") cleared = bytes;
    if (entry?.kind === "user" && entry.by === undefined) asked = offset;
    if (entry) head = addHead(head, entry, redact);
    if (entry) add(entry, offset);
  }
  const keep = "CASE WHEN cwd = '' THEN ? ELSE cwd END, title = CASE WHEN title = '' THEN ? ELSE title END";
  database
    .prepare(`UPDATE files SET bytes = ?, cleared = ?, asked = ?, cwd = ${keep} WHERE id = ?`)
    .run(bytes, cleared, asked, head.cwd ?? "", head.title ?? "", known.id);
  return bytes - known.bytes;
}

/** The row of a session: a new row if there is none, or if a different log now has the name. */
function openFile(database: DatabaseSync, file: SessionFile): IndexedFile {
  const known = indexedFile(database, file);
  if (known && known.stamp === file.stamp && known.bytes <= file.bytes) return known;
  if (known) forget(database, known.id);
  const { projectId, sessionId, stamp } = file;
  database
    .prepare(
      `INSERT INTO files (project, session, stamp, bytes, cleared, asked, cwd, title)
        VALUES (?, ?, ?, 0, 0, -1, '', '')`,
    )
    .run(projectId, sessionId, stamp);
  const made = indexedFile(database, file);
  if (!made) throw new Error(`The session ${sessionId} could not be added to the search index.`);
  return made;
}

function textAdder(database: DatabaseSync, fileId: number, file: SessionFile) {
  const wait = database.prepare("INSERT INTO waiting (file, at, part, spilled) VALUES (?, ?, ?, ?)");
  const spilled = new SpilledFiles(file);
  const finished = new Set<string>();
  return (entry: Entry, at: number) => {
    for (const [part, { kind, id, text }] of textsOf(entry).entries()) {
      // In older logs, a result stands twice.
      if (kind === "result" && entry.kind === "results" && finished.has(id)) continue;
      addText(database, fileId, { at, part, spilled: "" }, text);
      if (kind !== "result") continue;
      finished.add(id);
      for (const name of spilled.namedIn(text)) wait.run(fileId, at, part, name);
    }
  };
}

function addText(database: DatabaseSync, fileId: number, { at, part, spilled }: TextPlace, text: string): void {
  const { lastInsertRowid } = database
    .prepare("INSERT INTO texts (file, at, part, spilled) VALUES (?, ?, ?, ?)")
    .run(fileId, at, part, spilled);
  database
    .prepare("INSERT INTO words (rowid, text, place) VALUES (?, ?, ?)")
    .run(lastInsertRowid, spaced(text.slice(0, MAX_TEXT_CHARS)), placeWord(fileId));
}

/** A file with a result. `done`: the number of indexed characters. */
type WaitingFile = TextPlace & { readonly id: number; readonly done: number };

/** A file with a result of a session that is not indexed whole yet. */
function nextWaiting(database: DatabaseSync, fileId: number): WaitingFile | undefined {
  const found = database.prepare("SELECT id, at, part, spilled, done FROM waiting WHERE file = ? LIMIT 1").get(fileId);
  return found as WaitingFile | undefined;
}

/** Indexes the next piece of a file with a result. */
function indexWaiting(database: DatabaseSync, fileId: number, file: SessionFile): void {
  const waiting = nextWaiting(database, fileId);
  if (!waiting) return;
  const { id, done } = waiting;
  const text = new SpilledFiles(file).textOf(waiting.spilled)?.slice(0, MAX_TEXT_CHARS) ?? "";
  const end = pieceEnd(text, done);
  if (end > done) addText(database, fileId, waiting, text.slice(done, end));
  if (end < text.length) database.prepare("UPDATE waiting SET done = ? WHERE id = ?").run(end, id);
  else database.prepare("DELETE FROM waiting WHERE id = ?").run(id);
}

/** The end of a piece, between two lines if a line ends in the second half of the piece. */
function pieceEnd(text: string, from: number): number {
  const to = from + PIECE_CHARS;
  if (to >= text.length) return text.length;
  const lineEnd = text.lastIndexOf("\n", to) + 1;
  return lineEnd > from + PIECE_CHARS / 2 ? lineEnd : to;
}

/** The word that is added to each text of a session, by which a search is limited to the session. */
export function placeWord(fileId: number): string {
  return `s${fileId}`;
}
