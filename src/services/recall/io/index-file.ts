import { closeSync, openSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { errorMessage } from "../../../contracts/errors.ts";
import { makePrivateFolder, PRIVATE_FILE_MODE } from "../../../platform/private-file.ts";

/** The version is part of the file's name. An index of another version is deleted. */
const VERSION = 3;
/** How long one Quoll process waits while another writes. */
const BUSY_TIMEOUT_MS = 3_000;
/** SQLITE_CORRUPT and SQLITE_NOTADB; see https://sqlite.org/rescode.html. */
const DAMAGE_CODES: ReadonlySet<number> = new Set([11, 26]);
/** FTS5 reports a damaged version of its format by the code of any other error. */
const DAMAGED_FORMAT = "invalid fts5 file format";
/** The bits of an error code that hold its primary code. */
const PRIMARY_CODE = 0xff;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS files (
    id INTEGER PRIMARY KEY, project TEXT NOT NULL, session TEXT NOT NULL, stamp TEXT NOT NULL, bytes INTEGER NOT NULL,
    cleared INTEGER NOT NULL, asked INTEGER NOT NULL, cwd TEXT NOT NULL, title TEXT NOT NULL, UNIQUE (project, session)
  );
  CREATE TABLE IF NOT EXISTS texts (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, at INTEGER NOT NULL, part INTEGER NOT NULL, spilled TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS waiting (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, at INTEGER NOT NULL, part INTEGER NOT NULL, spilled TEXT NOT NULL,
    done INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX IF NOT EXISTS texts_by_file ON texts (file);
  CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (
    text, place, content = '', contentless_delete = 1, tokenize = 'unicode61'
  );
`;

export type OpenIndex = {
  readonly database: DatabaseSync;
  /** Set if the index had to be deleted and rebuilt. */
  readonly note?: string;
};

/** The path of the index. @param folder Quoll's data folder; absolute. */
export function indexFile(folder: string): string {
  return join(folder, "search", `sessions-${VERSION}.sqlite`);
}

/**
 * Opens the index, and creates it if it is missing. The index contains words and positions, but no text: the logs
 * remain the source.
 * @param path As `indexFile` names it.
 * @returns undefined with the reason if this runtime has no SQLite with full-text search, or the disk refuses.
 */
export async function openIndex(path: string): Promise<OpenIndex | { readonly problem: string }> {
  const sqlite = await loadSqlite();
  if (!sqlite) return { problem: "this runtime has no SQLite" };
  try {
    makePrivateFolder(dirname(path));
    deleteOthers(path);
    try {
      return { database: openAt(path, sqlite) };
    } catch (error) {
      if (!isDamaged(error)) throw error;
      deleteIndex(path);
      return { database: openAt(path, sqlite), note: "The search index was damaged and is being rebuilt." };
    }
  } catch (error) {
    return { problem: `the search index can't be opened: ${errorMessage(error)}` };
  }
}

/** True if an SQLite error comes from the content of the file, not from the system or another process. */
export function isDamaged(error: unknown): boolean {
  const code = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  if (typeof code !== "number") return false;
  return DAMAGE_CODES.has(code & PRIMARY_CODE) || errorMessage(error).startsWith(DAMAGED_FORMAT);
}

/** Deletes an index with the files that SQLite keeps next to it. */
export function deleteIndex(path: string): void {
  for (const ending of ["", "-wal", "-shm", "-journal"]) rmSync(`${path}${ending}`, { force: true });
}

/**
 * Loads SQLite without the warning of Node 22 that the module is experimental.
 * @returns undefined if the runtime has no SQLite.
 */
async function loadSqlite() {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return await import("node:sqlite");
  } catch {
    return undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

function openAt(path: string, { DatabaseSync }: typeof import("node:sqlite")): DatabaseSync {
  // SQLite gives its additional files the same mode.
  closeSync(openSync(path, "a", PRIVATE_FILE_MODE));
  const database = new DatabaseSync(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    database.exec("PRAGMA journal_mode = WAL");
    database.exec("PRAGMA synchronous = NORMAL");
    database.exec(SCHEMA);
    database.prepare("SELECT f.title, t.spilled FROM files f JOIN texts t ON t.file = f.id LIMIT 1").get();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function deleteOthers(path: string): void {
  const own = basename(path);
  const others = readdirSync(dirname(path)).filter((name) => name.includes(".sqlite") && !name.startsWith(own));
  for (const name of others) rmSync(join(dirname(path), name), { force: true });
}
